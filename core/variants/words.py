"""Parts as people write them, and back: ``advantage=leave-one-out``, ``term=two-sided,high=0.28``, ``kl=k3``.

A part is a word and, after commas, ``key=number`` or ``key=word``. What is left out has its default. The same words
stand in the table of named methods, which is therefore generated from the compositions themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from fractions import Fraction
from types import UnionType
from typing import Any, get_args, get_type_hints

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import MAX_DIGITS, count, known_keys, rational
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.masks import EntropyMask, OffPolicyMask, Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm
from grpocheck.core.variants.ratios import Level, RatioRule
from grpocheck.core.variants.scores import CappedScore, ClippedWeight, GammaWeight, PlainScore
from grpocheck.core.variants.terms import Delta, DualClip, SoftGate, Term, TwoSided, Unclipped, UpperCap
from grpocheck.core.variants.variant import Variant

TERMS: Mapping[str, type[Term]] = {
    term.word: term
    for term in (
        TwoSided,
        UpperCap,
        DualClip,
        Delta,
        Unclipped,
        SoftGate,
        PlainScore,
        CappedScore,
        ClippedWeight,
        GammaWeight,
    )
}

PARTS = (
    "advantage",
    "ratio",
    "term",
    "kl",
    "normalisation",
    "off-policy-mask",
    "entropy-mask",
    "entropy-bonus",
    "selection",
)
"""The parts of a variant, in the order in which they are written."""

OWN = "own-length"
NONE = "none"


@total("a text that is no part raises InvalidProblem")
@ensure(lambda key, text, result: text.strip() == "" or result[0] == text.split(",")[0].strip(), "the word comes first")
def split_part(key: str, text: str) -> tuple[str, dict[str, str]]:
    """The word of a part and its options."""
    word, *options = (piece.strip() for piece in text.split(","))
    read: dict[str, str] = {}
    for option in options:
        name, equals, number = (piece.strip() for piece in option.partition("="))
        if not name or not equals or not number or name in read:
            raise InvalidProblem(key, option, "key=value after the comma, each key once")
        read[name] = number
    return word, read


@total("a word that is none raises InvalidProblem")
@ensure(lambda word, result: result.value == word, "the member of this word")
def member(key: str, word: str, kind: type[Enum]) -> Any:
    """The member of an enumeration that a word names."""
    known = [str(entry.value) for entry in kind]
    if word not in known:
        raise InvalidProblem(key, word, known_keys(word, known))
    return kind(word)


@total("a value that is none raises InvalidProblem")
@ensure(lambda text, hint, result: result is not None or text == NONE, "only the word none stands for nothing")
def option_value(key: str, text: str, hint: Any) -> Any:
    """The value of an option of a type: a number, a count, a word, several numbers, or a rule of its own."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if text == NONE and type(None) in kinds:
        return None
    kind = kinds[0]
    if kind is AdvantageRule:
        return read_advantage(key, text.replace(";", ","))
    if kind is Fraction:
        return rational(key, text)
    if kind is int:
        return count(key, int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else text, 0)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return member(key, text, kind)
    return tuple(rational(key, number) for number in text.split(":"))


@require(lambda known: len(set(known)) == len(known), "each field once")
@ensure(lambda options, result: len(result) == len(options), "every option is a field")
def read_options(key: str, options: Mapping[str, str], kind: type[Any], known: Sequence[str]) -> dict[str, Any]:
    """The fields of a part that options state; raises InvalidProblem for a key that the part does not have."""
    hints = get_type_hints(kind)
    names = {name.replace("_", "-"): name for name in known}
    read = {}
    for option, text in options.items():
        if option not in names:
            raise InvalidProblem(f"{key},{option}", text, known_keys(option, list(names)) if names else "no options")
        read[names[option]] = option_value(f"{key},{option}", text, hints[names[option]])
    return read


@total("a text that is no rule raises InvalidProblem")
@ensure(lambda text, result: text.split(",")[0].split("/")[0].strip() == result.baseline.value, "the stated baseline")
def read_advantage(key: str, text: str) -> AdvantageRule:
    """``baseline`` or ``baseline/divisor``, with epsilon, floor, missing, weights=1:2 and first=baseline/divisor;..."""
    word, options = split_part(key, text)
    baseline, _, divisor = word.partition("/")
    known = [field.name for field in fields(AdvantageRule)][2:]
    return AdvantageRule(
        member(key, baseline, Baseline),
        member(key, divisor or Divisor.NONE.value, Divisor),
        **read_options(key, options, AdvantageRule, known),
    )


@total("a text that is no normalisation raises InvalidProblem")
@ensure(lambda text, result: text.startswith(OWN) == result.own_length, "own-length is named")
def read_normalisation(key: str, text: str) -> Normalisation:
    """``own-length``, one of the divisions, or ``own-length+`` one of them; ``constant`` has the option constant."""
    word, options = split_part(key, text)
    own, _, per = word.partition("+")
    if own != OWN:
        own, per = "", word
    constant = read_options(key, options, Normalisation, ["constant"]).get("constant")
    division = member(key, per or Per.NONE.value, Per)
    if (division is Per.CONSTANT) != (constant is not None) or (constant is not None and constant <= 0):
        raise InvalidProblem(key, text, "constant,constant=N with a positive number N, and only there")
    return Normalisation(own == OWN, division, constant)


@total("a text that is no term raises InvalidProblem")
@ensure(lambda text, result: text.split(",")[0].strip() == result.word, "the term of this word")
def read_term(key: str, text: str) -> Term:
    """The word of a term, with its numbers as options."""
    word, options = split_part(key, text)
    if word not in TERMS:
        raise InvalidProblem(key, word, known_keys(word, list(TERMS)))
    kind: type[Any] = TERMS[word]
    chosen: Term = kind(**read_options(key, options, kind, [field.name for field in fields(kind)]))
    return chosen


@total("a text that is no part raises InvalidProblem")
@ensure(lambda part, result: part in PARTS, "one of the parts")
def with_part(variant: Variant, part: str, text: str) -> Variant:
    """The variant with one part exchanged for what a text says."""
    text = text.strip()
    if part == "advantage":
        return replace(variant, advantage=read_advantage(part, text))
    if part == "normalisation":
        return replace(variant, normalisation=read_normalisation(part, text))
    if part == "term":
        return replace(variant, term=read_term(part, text))
    if part == "ratio":
        word, options = split_part(part, text)
        chosen = read_options(part, options, RatioRule, ["denominator"])
        return replace(variant, ratio=RatioRule(member(part, word, Level), **chosen))
    if part == "kl":
        word, options = split_part(part, text)
        chosen = read_options(part, options, KLTerm, [field.name for field in fields(KLTerm)][1:])
        return replace(variant, kl=KLTerm(member(part, word, Divergence), **chosen))
    if part == "off-policy-mask":
        return replace(variant, off_policy_mask=None if text == NONE else OffPolicyMask(rational(part, text)))
    if part == "entropy-mask":
        return replace(variant, entropy_mask=None if text == NONE else EntropyMask(rational(part, text)))
    if part == "entropy-bonus":
        return replace(variant, entropy_bonus=Fraction(0) if text == NONE else rational(part, text))
    if part == "selection":
        return replace(variant, selection=member(part, text, Selection))
    raise InvalidProblem("part", part, known_keys(part, PARTS))


@total("texts that are no parts raise InvalidProblem")
@ensure(lambda variant, texts, result: bool(texts) or result is variant, "without a change the variant stays")
def with_parts(variant: Variant, texts: Sequence[str]) -> Variant:
    """The variant with parts exchanged, each text ``part=word,...``; its name then says so.

    Raises InvalidProblem for what is no part, and for a part that is exchanged twice.

    >>> from grpocheck.core.variants.registry import named
    >>> with_parts(named("dapo"), ["advantage=leave-one-out"]).name
    'dapo with advantage=leave-one-out'
    """
    exchanged: set[str] = set()
    for text in texts:
        part, equals, words = text.partition("=")
        if not equals:
            raise InvalidProblem("part", text, "part=word, such as advantage=leave-one-out")
        if part.strip() in exchanged:
            raise InvalidProblem(part.strip(), words, "each part once: it is exchanged already")
        exchanged.add(part.strip())
        variant = replace(with_part(variant, part.strip(), words), name=f"{variant.name} with {text.strip()}")
    return variant


@total("every value of an option has a word")
@ensure(lambda result: "," not in result, "options are parted by commas")
def option_text(value: Any) -> str:
    """The value of an option as it is written."""
    if value is None:
        return NONE
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, AdvantageRule):
        return advantage_text(value).replace(",", ";")
    if isinstance(value, tuple):
        return ":".join(str(number) for number in value)
    return str(value)


@require(lambda part, skipped: skipped <= len(fields(part)), "fields that the word says already")
@ensure(lambda word, result: result.split(",")[0] == word, "the word comes first")
def part_text(word: str, part: Any, skipped: int) -> str:
    """A word, and the fields of a part after the first ones that differ from their defaults."""
    stated = [
        f"{field.name.replace('_', '-')}={option_text(getattr(part, field.name))}"
        for field in fields(part)[skipped:]
        if getattr(part, field.name) != field.default
    ]
    return ",".join([word, *stated])


@total("every rule has a text")
@ensure(lambda rule, result: read_advantage("advantage", result) == rule, "the text is read back as the same rule")
def advantage_text(rule: AdvantageRule) -> str:
    """An advantage rule as it is written."""
    divisor = "" if rule.divisor is Divisor.NONE else f"/{rule.divisor.value}"
    return part_text(f"{rule.baseline.value}{divisor}", rule, 2)


@total("every normalisation has a text")
@ensure(
    lambda normalisation, result: read_normalisation("normalisation", result) == normalisation,
    "the text is read back as the same normalisation",
)
def normalisation_text(normalisation: Normalisation) -> str:
    """A normalisation as it is written."""
    per = normalisation.per.value
    if normalisation.own_length:
        per = OWN if normalisation.per is Per.NONE else f"{OWN}+{per}"
    return part_text(per, normalisation, 2)


@total("every variant has its parts")
@ensure(lambda result: list(result) == list(PARTS), "all parts, in their order")
@ensure(
    lambda variant, result: not variant.source
    or with_parts(Variant("anything"), [f"{part}={text}" for part, text in result.items()])
    == replace(variant, name="anything" + "".join(f" with {part}={text}" for part, text in result.items()), source=""),
    "the texts are read back as the same parts",
)
def composition(variant: Variant) -> dict[str, str]:
    """The parts of a variant by name, each as ``with_parts`` takes it.

    >>> from grpocheck.core.variants.registry import named
    >>> composition(named("dapo"))["normalisation"]
    'all-tokens'
    """
    return {
        "advantage": advantage_text(variant.advantage),
        "ratio": part_text(variant.ratio.level.value, variant.ratio, 1),
        "term": part_text(variant.term.word, variant.term, 0),
        "kl": part_text(variant.kl.divergence.value, variant.kl, 1),
        "normalisation": normalisation_text(variant.normalisation),
        "off-policy-mask": option_text(variant.off_policy_mask and variant.off_policy_mask.threshold),
        "entropy-mask": option_text(variant.entropy_mask and variant.entropy_mask.share),
        "entropy-bonus": option_text(variant.entropy_bonus or None),
        "selection": variant.selection.value,
    }
