"""What a key that is no alias can stand for: by the parts of its name, and by what its value can be.

A key such as ``trainer_token_logps`` says a quantity (log probabilities) and whose it is (the policy that is trained);
``num_labels`` says little, but whole numbers in a list are counts. A name is given only to a value that can have it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from grpocheck.verifier.disputes.formulas import flat

Test = Callable[[Any], bool]
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+(,[0-9]+)+")
"""What is meant for a number, or for a list of them, in a text: 1,5."""
LETTERS = re.compile(r"[^\W\d_]+")


def numbers_in(value: Any) -> list[Fraction]:
    """The numbers of a value that are exact and rational."""
    return [number for number in flat(value) if isinstance(number, Fraction)]


def is_number(value: Any) -> bool:
    """Whether a value is one number."""
    return not isinstance(value, list) and value is not None


def is_fraction(value: Any) -> bool:
    """Whether a value is a number between 0 and 1."""
    return isinstance(value, Fraction) and 0 <= value < 1


def is_bound(value: Any) -> bool:
    """Whether a value is a number from 1 on: a bound of a ratio, a count."""
    return isinstance(value, Fraction) and value >= 1


def is_list(value: Any) -> bool:
    """Whether a value is a list of numbers, nested or not."""
    return isinstance(value, list) and None not in flat(value)


def is_column(value: Any) -> bool:
    """Whether a value is a list of numbers that is not nested."""
    return is_list(value) and not any(isinstance(entry, list) for entry in value)


def is_masses(value: Any) -> bool:
    """Whether a value is a list of numbers from 0 to 1."""
    numbers = numbers_in(value)
    return is_column(value) and len(numbers) == len(value) and all(0 <= number <= 1 for number in numbers)


def is_distributions(value: Any) -> bool:
    """Whether a value is a list of lists of masses that sum to 1."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return False
    return all(is_masses(row) and sum(numbers_in(row)) == 1 for row in value)


def is_flags(value: Any) -> bool:
    """Whether a value is a list of 0 and 1."""
    numbers = numbers_in(value)
    return is_list(value) and len(numbers) == len(flat(value)) and all(number in (0, 1) for number in numbers)


def is_counts(value: Any) -> bool:
    """Whether a value is a list of whole numbers, none below 1."""
    numbers = numbers_in(value)
    return is_list(value) and len(numbers) == len(flat(value)) and all(n == int(n) and n >= 1 for n in numbers)


def is_places(value: Any) -> bool:
    """Whether a value is a list of whole numbers, none below 0."""
    numbers = numbers_in(value)
    return is_column(value) and len(numbers) == len(value) and all(n == int(n) and n >= 0 for n in numbers)


def is_positive(value: Any) -> bool:
    """Whether a value is a list of numbers above 0 as far as they are rational."""
    return is_list(value) and all(number > 0 for number in numbers_in(value))


def is_anything(value: Any) -> bool:
    """Whether a value is there."""
    return value is not None


@dataclass(frozen=True)
class Role:
    """A name for formulas: the parts of a key that mean it, and the test that its value passes."""

    name: str
    pattern: str
    test: Test


LOGP = r"log_?(p|prob|probs|probability|likelihood|pi)|logp|(^|_)lps?(_|$)|nll"
WHOSE = (
    ("ref", r"ref|base|init|sft|anchor"),
    ("old", r"old|prev|stale|before|prox|first"),
    ("sampler", r"sampl|roll|infer|vllm|sglang|engine|actor|behav|gener"),
)
"""Whose policy it is by the parts of a key; a key that says none is of the policy that is trained."""

ROLES = (
    Role("x", rf"(log_?(ratio|rho|w)|logr(atio)?|(delta|diff|gap).*({LOGP})|({LOGP}).*(diff|ratio|delta))",
         is_anything),
    Role("{}_logp", LOGP, is_anything),
    Role("beta", r"kl.*(coef|weight|beta|scale|tau|lambda)|^beta(?!_?(high|low|upper|max|min))|_beta$", is_number),
    Role("entropy_coef", r"ent.*(coef|weight|beta|bonus|scale)", is_number),
    Role("H", r"entrop|^ents?$|^h$", is_anything),
    Role("low", r"eps.*(low|lower|min|lo$)|(low|lower|min).*eps", is_number),
    Role("high", r"eps.*(high|higher|upper|max|hi$)|(high|upper|max).*eps", is_number),
    Role("least", r"(ratio|bound|mask|pop|is|weight|_|^)_?(low|lower|min|alpha)$", is_fraction),
    Role("most", r"(ratio|bound|mask|pop|is|weight|_|^)_?(high|upper|max|beta)$", is_bound),
    Role("low", r"(clip|eps|range).*(low|lower|min|lo$)|(low|lower|min).*(clip|eps)", is_fraction),
    Role("high", r"(clip|eps|range).*(high|higher|upper|max|hi$)|(high|upper|max).*(clip|eps)", is_fraction),
    Role("c", r"dual|clip_?c$|_c$", is_bound),
    Role("cap", r"cap|thresh|trunc|tis|max.*(ratio|weight|w$)|(ratio|weight|is|w)_?max|clamp", is_bound),
    Role("cache", r"cache|buffer|soft", is_bound),
    Role("longest", r"max.*(len|tok|compl|resp|gen)|l_?max|len.*max|budget|limit", is_bound),
    Role("accum", r"accum|^gas$|_gas$", is_bound),
    Role("window", r"steps_?per_?gen|gen.*steps|generation_?batch", is_bound),
    Role("items", r"num_?items|batch_?num_?tokens|num_?tokens|n_?tokens", is_bound),
    Role("G", r"(num|n|group|k|per|rollout|samples?).*(gen|samples?|rollouts?|responses|group|size|prompt)|^k$",
         is_bound),
    Role("T", r"temp|^tau$", is_number),
    Role("top_p", r"top_?p|nucleus", is_number),
    Role("top_k", r"top_?k", is_bound),
    Role("eps", r"eps|clip|^tiny$|stab|delta", is_fraction),
    Role("dists", r"dist|prob|polic|soft|mass|^p|pi", is_distributions),
    Role("{}", r"prob|dist|mass|polic|^p(_|$)|^pi|_pi$|_p$|(^|_)mu$", is_masses),
    Role("z", r"logit|^z$", is_column),
    Role("truncated", r"trunc|overlong|cut|unfinish|too_?long|stopped|(finish|stop)_?reason|^end|_end$|status",
         is_flags),
    Role("mask", r"mask|keep|kept|valid|^m$|active|rej", is_flags),
    Role("A", r"adv|hat_?a|^a$|^a_", is_anything),
    Role("w", r"ratio|rho|coef_?1|importance|_is$|^is_|^iw$|weight|^s$", is_positive),
    Role("parts", r"(rank|device|worker|micro|shard|step|gpu|accum).*", is_list),
    Role("base_loss", r"loss|objective", is_number),
    Role("L", r"loss|token_?val", is_list),
    Role("weights", r"weight|^ws?$", is_column),
    Role("R", r"reward|score|return|outcome|correct|accura|^accs?$|^r$|^r_|_r$|verdict|grade", is_anything),
    Role("metric", r"^accs?(_|$)|accura|correct|metric|solved", is_list),
    Role("lengths", r"len|tok|label|size|count|^t$|^n$|^o$", is_counts),
    Role("shaped", r"(shaped|final|penali[sz]ed|corrected|adjusted)_(reward|score)", is_list),
    Role("shape", r"shap|factor|multipl|len.*(coef|weight)", is_list),
    Role("penalties", r"penalt|bonus|deduct", is_list),
    Role("draws", r"sampled|drawn|draw|taken|chosen|action|picked|index|indices|^y$", is_places),
)  # fmt: skip
"""The roles in the order in which they are tried."""


def squashed(key: str) -> str:
    """A key in small letters with single low lines between its parts."""
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()).strip("_")


def owner(key: str) -> str:
    """Whose policy a key speaks of."""
    return next((name for name, pattern in WHOSE if re.search(pattern, key)), "new")


def role_of(key: str, value: Any, taken: Mapping[str, Any]) -> str | None:
    """The name that a key can stand for by its parts and its value, of those that are not taken; None for none."""
    parts = squashed(key)
    for role in ROLES:
        if not re.search(role.pattern, parts) or not role.test(value):
            continue
        name = role.name
        if "{}" in name:
            whose = owner(parts)
            name = f"{whose}_logp" if name != "{}" else {"new": "pi"}.get(whose, whose)
            if name == "sampler" and "old" not in taken:
                name = "old"
        if name == "mask" and "mask" in taken:
            name = "mask_after"
        if name not in taken:
            return name
    return None


def names_by_parts(key: str) -> list[str]:
    """The names whose parts a key has, whatever its value."""
    parts = squashed(key)
    return [role.name.format(owner(parts)) for role in ROLES if re.search(role.pattern, parts)]


def named_by(key: str, allowed: Sequence[str]) -> str | None:
    """The first allowed name whose parts a key has, whatever its value."""
    return next((name for name in names_by_parts(key) if name in allowed), None)


def is_negated(key: str) -> bool:
    """Whether a key is of negative log probabilities."""
    parts = squashed(key)
    return bool(re.search(rf"(neg|minus)_?({LOGP})|nll", parts))


def by_shape(value: Any) -> tuple[str, ...]:
    """The names that a value can have by itself, the likelier first: by its depth, range, sum and wholeness."""
    numbers = numbers_in(value)
    if not numbers:
        return ()
    if not isinstance(value, list):
        if not numbers[0] > 0:
            return ("base_loss",)
        below = ("eps", "low", "high", "eps_std", "beta", "entropy_coef")
        return below if numbers[0] < 1 else ("G", "cap", "longest", "accum", "c", "T")
    if all(number <= 0 for number in numbers) and any(number.denominator > 1 for number in numbers):
        return ("new_logp", "old_logp", "ref_logp", "sampler_logp")
    if not is_column(value):
        return ("dists", "R") if is_distributions(value) else ("mask", "R", "L") if is_flags(value) else ("L", "R", "x")
    if is_masses(value) and sum(numbers) == 1 and all(numbers):
        return ("pi", "old", "ref")
    if is_flags(value):
        return ("R", "mask", "truncated")
    if is_counts(value):
        return ("lengths", "R")
    if all(number > 0 for number in numbers):
        return ("w", "R", "H")
    return ("A", "R", "x") if sum(numbers) == 0 else ("R", "A", "x")


def assignments(values: Mapping[str, Any], taken: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Names for keys that say nothing, by what their values can be: every way in which no name comes twice."""
    choices = [[name for name in by_shape(value) if name not in taken] for value in values.values()]
    for names in product(*choices):
        if len(set(names)) == len(names):
            yield dict(zip(values, names, strict=True))


def text_for_a_number(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """The place and the text of the first entry of a list of numbers, in an input as it was written, that is none."""

    def found_in(place: str, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield from found_in(f"{place}[{index}]", entry)
        elif isinstance(value, str) and (DECIMAL_COMMA.fullmatch(value) or (beside and LETTERS.fullmatch(value))):
            yield place, value

    for key, value in given.items():
        entries = flat(value) if isinstance(value, list) else []
        beside = [entry for entry in entries if not isinstance(entry, bool | str | Mapping) and entry is not None]
        for place_and_text in found_in(key, value):
            return place_and_text
    return None
