"""The registry of cited theorems, proofs/theorems.toml: what each proves, says and may rest on.

It also holds a digest of every definition of the development: a statement is worth as much as the definitions in it.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grpocheck.contracts.claims import claim

REGISTRY = Path(__file__).parent / "theorems.toml"

REALS = ("functional_extensionality_dep", "sig_forall_dec", "sig_not_dec")
LOGARITHM = (*REALS, "classic")
LIBRARY = (
    "Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Reals.ClassicalDedekindReals.sig_forall_dec",
    "Reals.ClassicalDedekindReals.sig_not_dec",
    "Logic.Classical_Prop.classic",
)
"""Where Coq's library has these axioms: another axiom that bears the name of one of them is none of them."""
ALLOWED: Mapping[str, tuple[str, ...]] = {"nothing": (), "reals": REALS, "reals and logarithm": LOGARITHM}
"""The axioms on which a theorem of each class may rest. Statements about the protocol alone rest on nothing, not even
on an axiom of the real numbers; Coq's logarithm is built with excluded middle."""

HEADER = """\
# Cited theorems of proofs/coq: the claims each proves (the non-claims it refutes; none where it stands beside a claim),
# what it may rest on (nothing | reals | reals and logarithm), and what it says, as Coq prints it.
# Names, claims and rests_on are written by hand; statements, and digests of statements and of definitions (printed
# without notations and with every implicit argument), are recorded, after reading them, by:
# python -m grpocheck.proofs.kernel --record
"""


class BadRegistry(ValueError):  # noqa: N818 - named for what it says
    """The registry cannot be used; the message names the theorem, the key, the value and what was expected."""


@dataclass(frozen=True)
class Theorem:
    """A cited theorem as recorded; its name is module.theorem.

    The digest is that of the statement without notations and with every implicit argument, by which the same words
    could say something else.
    """

    name: str
    claims: tuple[str, ...]
    rests_on: str
    statement: str
    digest: str

    @property
    def module(self) -> str:
        """The file of the development that holds it."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Registry:
    """The cited theorems in their order, and a digest of every definition by its name."""

    theorems: tuple[Theorem, ...]
    definitions: Mapping[str, str]


def read_registry(path: Path = REGISTRY) -> Registry:
    """The registry in a file; raises BadRegistry or UnknownClaim for what it cannot mean."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    theorems = []
    for entry in content.get("theorem", []):
        recorded = entry.get("statement", ""), entry.get("digest", "")
        theorem = Theorem(entry["name"], tuple(entry["claims"]), entry["rests_on"], *recorded)
        if theorem.rests_on not in ALLOWED:
            raise BadRegistry(f"{theorem.name}: rests_on: {theorem.rests_on!r}: expected one of {', '.join(ALLOWED)}")
        for identifier in theorem.claims:
            claim(identifier)
        theorems.append(theorem)
    names = [theorem.name for theorem in theorems]
    if not names or len(set(names)) != len(names):
        raise BadRegistry(f"{path.name}: theorem: expected at least one, each named once")
    return Registry(tuple(theorems), dict(content.get("definitions", {})))


def write_registry(registry: Registry, path: Path = REGISTRY) -> None:
    """Write the registry so that it can be read and compared line by line."""
    parts = [HEADER]
    for theorem in registry.theorems:
        parts.append(
            f"[[theorem]]\nname = {json.dumps(theorem.name)}\nclaims = {json.dumps(list(theorem.claims))}\n"
            f"rests_on = {json.dumps(theorem.rests_on)}\nstatement = '''\n{theorem.statement}'''\n"
            f"digest = {json.dumps(theorem.digest)}\n"
        )
    lines = [f"{json.dumps(name)} = {json.dumps(digest)}" for name, digest in registry.definitions.items()]
    parts.append("\n".join(["[definitions]", *lines, ""]))
    path.write_text("\n".join(parts), encoding="utf-8")


def normal(text: str) -> str:
    """A text with one space wherever it has white space."""
    return " ".join(text.split())


def statement_in(answer: str) -> str:
    """The statement in an answer of Check: what follows the name and the colon, its indentation taken off."""
    lines = answer.partition(": ")[2].splitlines()
    return "\n".join(line.removeprefix("       ") for line in lines)


def digest_of(text: str) -> str:
    """A digest of a text, whatever its white space."""
    return hashlib.sha256(normal(text).encode()).hexdigest()[:16]


def digest_of_definition(answer: str) -> str:
    """A digest of an answer of Print: the definition, without the lines on its implicit arguments."""
    return digest_of(answer.partition("\nArguments ")[0])
