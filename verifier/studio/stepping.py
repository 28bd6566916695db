"""A run as a list of views: at each event its rule, the responses, the parameter and the ledger against its bounds."""

from dataclasses import asdict
from functools import cached_property
from typing import Any

from grpocheck.core import Kind, Problem, UndecidedComparison
from grpocheck.core.gradient import Vector
from grpocheck.core.objective import objective
from grpocheck.verifier.studio.responses import Policies, policies_at, response_rows
from grpocheck.verifier.studio.rules import rule_of
from grpocheck.verifier.studio.scenes import Rule, Scene
from grpocheck.verifier.studio.shown import shown, vector
from grpocheck.verifier.studio.stage import Stage, staged
from grpocheck.verifier.studio.terms_plot import term_plot
from grpocheck.verifier.studio.titles import title_of

ROWS_CHANGE_AT = (Kind.DRAW, Kind.REWARD, Kind.GROUP, Kind.OUTER_ITERATION, Kind.APPLY)
STOPS = (Kind.STOP, Kind.OUTCOME)


class Stepper:
    """The views of one run, made when they are asked for."""

    def __init__(self, problem: Problem) -> None:
        """Run the problem; raises InvalidProblem where it cannot start."""
        self.stage: Stage = staged(problem)
        self.policies: dict[int, tuple[Vector, Policies]] = {}
        self.rows: dict[int, list[dict[str, Any]]] = {}
        self.parameters: dict[tuple[int, int], tuple[list[dict[str, Any]], dict[str, Any] | None]] = {}

    def __len__(self) -> int:
        """The number of events."""
        return len(self.stage.events)

    def policies_at(self, theta: Vector) -> Policies:
        """The policies at a parameter of the run, computed once."""
        if id(theta) not in self.policies:
            self.policies[id(theta)] = (theta, policies_at(self.stage.problem, theta, self.stage.arithmetic))
        return self.policies[id(theta)][1]

    def rows_at(self, place: int) -> list[dict[str, Any]]:
        """The rows of the responses after an event; they change only where something is drawn or applied."""
        while place > 0 and self.stage.events[place].kind not in ROWS_CHANGE_AT:
            place -= 1
        if place not in self.rows:
            situation = self.stage.situations[place]
            policies = self.policies_at(situation.theta)
            self.rows[place] = response_rows(self.stage.problem, situation, policies, self.stage.arithmetic)
        return self.rows[place]

    def rule(self, place: int) -> Rule:
        """The rule of an event; where its numbers are not decided it says so."""
        situation = self.stage.situations[place]
        event = self.stage.events[place]
        scene = Scene(self.stage, event, situation, self.policies_at(situation.theta), self.rows_at(place))
        try:
            return rule_of(scene)
        except UndecidedComparison as error:
            return Rule(f"The numbers of this event are not decided: {error}")

    def view(self, place: int) -> dict[str, Any]:
        """Everything about an event for the page."""
        event, situation, rule = self.stage.events[place], self.stage.situations[place], self.rule(place)
        theta, value = self.parameter(place)
        return {
            "index": place,
            "kind": event.kind.value,
            "t": situation.t,
            "k": situation.k,
            "applied": situation.applied,
            "title": title_of(self.stage, place),
            "says": rule.says,
            "formulas": list(rule.formulas),
            "conditions": [{"formula": formula, "holds": holds} for formula, holds in rule.conditions],
            "theta": theta,
            "objective": value,
            "calls": asdict(situation.calls),
            "rows": self.rows_at(place),
            "terms": term_plot(self.rows_at(place), float(self.stage.problem.epsilon)),
        }

    def parameter(self, place: int) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """theta and F_t at an event, computed once for each parameter of an outer iteration."""
        situation = self.stage.situations[place]
        known = len(situation.groups) == len(self.stage.problem.prompts)
        key = (situation.t if known else 0, id(situation.theta))
        if key not in self.parameters:
            self.parameters[key] = (vector(situation.theta), self.objective_at(place))
        return self.parameters[key]

    def objective_at(self, place: int) -> dict[str, Any] | None:
        """F_t at the parameter of an event, once the groups are drawn."""
        situation = self.stage.situations[place]
        if len(situation.groups) < len(self.stage.problem.prompts):
            return None
        frozen = self.stage.frozen(situation.t)
        assert frozen is not None
        masses = self.policies_at(situation.theta).masses
        return shown(objective(frozen, masses, self.stage.arithmetic)).to_mapping()

    @cached_property
    def timeline(self) -> list[dict[str, Any]]:
        """A short entry for each event: kind, place in the run and label."""
        return [
            {"kind": event.kind.value, "t": now.t, "k": now.k, "label": title_of(self.stage, place)}
            for place, (event, now) in enumerate(zip(self.stage.events, self.stage.situations, strict=True))
        ]

    def summary(self) -> dict[str, Any]:
        """The run as a whole: its timeline, bounds, status and what ended it."""
        problem, outcome = self.stage.problem, self.stage.outcome
        attempts = problem.outer_iterations * problem.inner_steps
        return {
            "timeline": self.timeline,
            "stops": [i for i, event in enumerate(self.stage.events) if event.kind in STOPS],
            "bounds": {
                "draws": problem.outer_iterations * len(problem.prompts) * problem.group_size,
                "gradient_attempts": attempts,
                "membership_calls": attempts,
                "steps_applied": attempts,
                "outer_iterations_started": problem.outer_iterations,
            },
            "status": None if outcome is None else outcome.status.value,
            "ended": self.stage.ended,
            "arithmetic": self.stage.arithmetic.name,
            "draws": self.stage.events[0].values["draws"],
            "ledger": None if outcome is None else outcome.ledger.to_mapping(),
            "dimension": problem.dimension,
            "prompts": [prompt.name for prompt in problem.prompts],
            "epsilon": shown(problem.epsilon).to_mapping(),
        }
