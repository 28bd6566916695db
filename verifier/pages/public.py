"""Which names are public: the pages of the reference, and what is on each.

A package stands for what its ``__all__`` lists, a module for every function and class whose name begins with no
underscore, and ``module:name`` for one name of a module.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Page:
    """A page of the reference: the file's name, its title, what it is about, and what is on it."""

    name: str
    title: str
    about: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Public:
    """A public name: the module that defines it, the lines that do, and the text that stands below a constant."""

    module: str
    name: str
    node: Definition
    below: str | None = None

    @property
    def path(self) -> Path:
        """The file that defines it, from the house."""
        return module_path(self.module).relative_to(HOUSE)


PAGES = (
    Page(
        "core",
        "Problems, runs, traces",
        "What most programs need: read a problem, run it, look at the outcome, supply oracles of one's own.",
        ("core",),
    ),
    Page(
        "definition",
        "The definition, function by function",
        "The update in the order of section 1 of the specification; each function with the contracts that state it.",
        ("core.draws", "core.advantage", "core.ratio", "core.divergence", "core.objective", "core.gradient",
         "core.update"),
    ),
    Page(
        "arithmetic",
        "Arithmetics",
        "The numbers that a run is made of: exact, enclosed, or (not certified) of mpmath.",
        ("core.arithmetic",),
    ),
    Page(
        "variants",
        "Variants",
        "The methods that people use, composed of named parts, and what they make of sampled groups.",
        ("core.variants.variant", "core.variants.registry:named", "core.variants.registry:NAMED",
         "core.variants.words:with_parts", "core.variants.words:composition", "core.variants.formulas:formula",
         "core.variants.batch", "core.variants.evaluation:value", "core.variants.evaluation:slopes",
         "core.variants.evaluation:Slopes"),
    ),
    Page(
        "laws",
        "Laws and estimators",
        "The exact law of a run's outcome, sampled laws, and what a method's gradient is an estimate of.",
        ("verifier.prime_logs:PrimeLogs",
         "verifier.law.exact:exact_law", "verifier.law.exact:expected_first_gradient", "verifier.law.exact:Law",
         "verifier.law.exact:ParameterAtom", "verifier.law.exact:ObjectiveAtom", "verifier.law.exact:ExpectedGradient",
         "verifier.law.exact:TrueObjective", "verifier.law.exact:TooLarge",
         "verifier.law.samples:sampled_law", "verifier.law.samples:SampledLaw", "verifier.law.samples:SampledStatus",
         "verifier.estimator.problems:update_of", "verifier.estimator.exact:estimate",
         "verifier.estimator.exact:Estimation", "verifier.estimator.exact:Verdict",
         "verifier.estimator.exact:multiple_of_truth", "verifier.estimator.moments:Moments",
         "verifier.estimator.moments:TooManyCases", "verifier.estimator.groups:read_groups",
         "verifier.estimator.groups:GroupFile", "verifier.estimator.groups:realised",
         "verifier.estimator.groups:Realised"),
    ),
    Page(
        "supplies",
        "Supplied oracles, held to what they should be",
        "In a process of their own, beside the problem's own definition, and their draws tested for the policy's law.",
        ("verifier.isolation.supply:isolated", "verifier.supplied.cross_examination:cross_examined",
         "verifier.supplied.draws_seen:DrawsUnderTest", "verifier.supplied.draws_seen:draws_of_outcome",
         "verifier.supplied.draws_seen:draws_of_traces", "verifier.supplied.draw_law:law_of",
         "verifier.supplied.draw_law:LawTest", "verifier.supplied.draw_law:Verdict", "verifier.supplied.draw_law:Draw",
         "verifier.supplied.draw_law:ALPHA", "verifier.supplied.draw_law:SUSPICIONS", "verifier.strategies"),
    ),
    Page(
        "properties",
        "Properties",
        "State a property of runs, and get a verdict with a counterexample.",
        ("verifier.properties",),
    ),
    Page(
        "trainers",
        "Recording, recomputing, conforming",
        "A recorder for training loops, losses recomputed within a certified bound, and loss functions as black boxes.",
        ("verifier.recorder", "verifier.recompute", "verifier.conform.targets:target_of",
         "verifier.conform.targets:Target", "verifier.conform.targets:Answer", "verifier.conform.wanted:numbers_of",
         "verifier.conform.wanted:Numbers", "verifier.conform.conforming:conform",
         "verifier.conform.conforming:Conformance", "verifier.conform.conforming:Matched",
         "verifier.conform.conforming:Witness", "verifier.conform.pytest_plugin", "verifier.vectors.making:vectors"),
    ),
    Page(
        "audits",
        "Audits",
        "What recorded runs show, as findings: the command grpocheck audit from Python.",
        ("verifier.audit.discovery:runs_of", "verifier.audit.auditing:audit", "verifier.audit.auditing:Audit",
         "verifier.audit.findings:Finding", "verifier.audit.findings:Observation",
         "verifier.audit.findings:Where", "verifier.audit.findings:Severity", "verifier.audit.report:to_mapping",
         "verifier.audit.report:to_sarif", "verifier.audit.errors:Unreadable"),
    ),
    Page(
        "evidence",
        "Evidence",
        "How a claim gets evidence, and what a verification reports.",
        ("proofs.evidence:evidence", "proofs.evidence:held", "proofs.evidence:refuted", "proofs.evidence:undecided",
         "proofs.evidence:Budget", "proofs.evidence:Finding", "proofs.evidence:Verdict",
         "verifier.evidence.ladder:verify", "verifier.evidence.gathering:Settings", "verifier.evidence.report:Report",
         "verifier.evidence.report:ClaimReport", "verifier.evidence.report:Row", "verifier.evidence.report:Loss"),
    ),
    Page(
        "fast",
        "Certified values, fast",
        "F_t and its gradient with a certified error, at the speed of float64.",
        ("verifier.fast",),
    ),
    Page(
        "training-free",
        "Training-free optimisation",
        "The second system: tasks, its run, and what is supplied to it.",
        ("core.training_free.reading:read_task", "core.training_free.task:Task", "core.training_free.procedure:run",
         "core.training_free.oracles", "core.training_free.outcome"),
    ),
)  # fmt: skip


def module_path(module: str) -> Path:
    """The file of a module that is named below grpocheck."""
    folder = HOUSE / module.replace(".", "/")
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    """A module, parsed."""
    return ast.parse(module_path(module).read_text(encoding="utf-8"))


def listed_names(tree: ast.Module) -> list[str] | None:
    """The names of a module's ``__all__``; None where it has none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def defined(module: str, name: str) -> Public:
    """Where a name that a module has is defined, through the imports that hand it on; KeyError where it is nowhere."""
    tree = tree_of(module)
    for place, node in enumerate(tree.body):
        if name in names_of(node) and isinstance(node, Definition):
            following = tree.body[place + 1] if place + 1 < len(tree.body) else None
            return Public(module, name, node, text_of(following))
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                if (alias.asname or alias.name) == name and node.module.startswith("grpocheck."):
                    return defined(node.module.removeprefix("grpocheck."), alias.name)
    raise KeyError(f"{module}: {name} is not defined there")


def text_of(node: ast.stmt | None) -> str | None:
    """A text that stands alone: it says what the constant above it is."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None


def public_of(source: str) -> Iterator[Public]:
    """The public names that a source of a page stands for, in the order of the page."""
    module, _, name = source.partition(":")
    if name:
        yield defined(module, name)
        return
    tree = tree_of(module)
    listed = listed_names(tree)
    if listed is not None:
        yield from (defined(module, each) for each in listed)
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield Public(module, node.name, node)
