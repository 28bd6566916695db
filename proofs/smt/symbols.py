"""States and plans of z3's symbols, and how a model's states read in words."""

from dataclasses import fields
from typing import Any

import z3
from grpocheck.proofs.smt.transition import Answer, Phase, Plan, State, Status

Parameter = z3.DeclareSort("theta")
Data = z3.DeclareSort("data")
Item = z3.DeclareSort("item")
Gradient = z3.DeclareSort("gradient")
Reference = z3.DeclareSort("reference")

SORTS = {
    "theta": Parameter,
    "theta_old": Parameter,
    "proposal": Parameter,
    "returned": Parameter,
    "theta_at_start": Parameter,
    "last_valid": Parameter,
    "data": Data,
    "data_at_freeze": Data,
    "reference": Reference,
    "gradient": Gradient,
}
"""The abstract entries of a state; all others are integers."""

WORDS = {
    "phase": "phase",
    "t": "outer iteration t",
    "l": "prompt l",
    "i": "draws of the group i",
    "j": "rewards of the group j",
    "k": "inner step k",
    "theta_at_start": "theta at the start of the iteration",
    "data_at_freeze": "data as frozen",
    "last_valid": "last valid theta",
    "gradients_returned": "gradients returned",
}
"""What the entries of a state are called where it is not by their names."""

IN_U = z3.Function("In_U", Parameter, z3.BoolSort())


def symbolic_plan() -> Plan:
    """T, M, G, K, theta_0, the reference and U as symbols; data and proposals as uninterpreted functions."""
    integer = z3.IntSort()
    return Plan(
        outer_iterations=z3.Int("T"),
        prompts=z3.Int("M"),
        group_size=z3.Int("G"),
        inner_steps=z3.Int("K"),
        theta=z3.Const("theta_0", Parameter),
        reference=z3.Const("reference of the problem", Reference),
        no_data=z3.Const("no data", Data),
        extended=z3.Function("extended", Data, Item, Data),
        moved=z3.Function("moved", Parameter, integer, integer, Gradient, Parameter),
        membership=lambda theta: z3.If(IN_U(theta), 1, 0),
    )


def symbolic_state() -> State:
    """A state of which nothing is known."""
    return State(
        **{
            entry.name: z3.Const(entry.name, SORTS[entry.name]) if entry.name in SORTS else z3.Int(entry.name)
            for entry in fields(State)
        }
    )


def symbolic_answer() -> Answer:
    """An answer of the supply of which nothing is known but that it is one: 0 or 1 where the oracle decides."""
    return Answer(
        item=z3.Const("item", Item),
        defined=z3.If(z3.Bool("a gradient exists"), 1, 0),
        gradient=z3.Const("gradient answered", Gradient),
        member=z3.If(z3.Bool("M_U answers 1"), 1, 0),
    )


def size_of(plan: Plan, state: State) -> z3.ArithRef:
    """How large the numbers of a plan and a state are, all together."""
    counters = [entry for name, entry in vars(state).items() if name not in SORTS]
    sizes = [plan.outer_iterations, plan.prompts, plan.group_size, plan.inner_steps]
    total: z3.ArithRef = z3.Sum(
        [z3.If(number >= 0, number, -number) for number in [*sizes, *counters] if z3.is_expr(number)]
    )
    return total


def in_words(name: str, value: Any, plan: Plan, model: z3.ModelRef) -> str:
    """The value of a state's entry in a model: phases and statuses by name, parameters with their place in U."""
    term = model.eval(value, model_completion=True) if z3.is_expr(value) else value
    if name in SORTS:
        shown = str(term).replace("!val!", "#")
        if SORTS[name] == Parameter and z3.is_expr(term):
            inside = z3.is_true(model.eval(IN_U(term), model_completion=True))
            shown += " (in U)" if inside else " (not in U)"
        return shown
    number = term.as_long() if z3.is_expr(term) else int(term)
    names: type[Phase] | type[Status] | None = {"phase": Phase, "status": Status}.get(name)  # type: ignore[assignment]
    if names is not None and number in list(names):
        return names(number).name.lower().replace("_", " ")
    return str(number)


def show_state(plan: Plan, state: State, model: z3.ModelRef) -> dict[str, str]:
    """A state of a model, entry by entry."""
    return {
        name: f"{WORDS.get(name, name.replace('_', ' '))} = {in_words(name, value, plan, model)}"
        for name, value in vars(state).items()
        if value is not None
    }


def show_step(plan: Plan, before: State | None, after: State, model: z3.ModelRef, names: frozenset[str]) -> str:
    """The sizes, the named entries of a state, and what a step changed in it."""
    sizes = {
        "T": plan.outer_iterations,
        "M": plan.prompts,
        "G": plan.group_size,
        "K": plan.inner_steps,
    }
    head = ", ".join(f"{name} = {model.eval(size, model_completion=True)}" for name, size in sizes.items())
    later = show_state(plan, after, model)
    if before is None:
        shown = [line for name, line in later.items() if name in names or not z3.is_expr(getattr(after, name))]
        return f"{head}\n  state: {', '.join(shown)}"
    earlier = show_state(plan, before, model)
    changed = [name for name in later if later[name] != earlier[name]]
    kept = [line for name, line in earlier.items() if name in names or name in changed]
    return f"{head}\n  before: {', '.join(kept)}\n  after: {', '.join(later[name] for name in changed) or 'the same'}"
