"""The title of each event of a run: what happened, with its number, in a few words."""

from typing import Any

from grpocheck.core import Kind
from grpocheck.core.oracles import Undefined
from grpocheck.verifier.studio.scenes import plain, point
from grpocheck.verifier.studio.stage import Stage


def title_of(stage: Stage, place: int) -> str:
    """The title of an event."""
    event, theta = stage.events[place], stage.situations[place].theta
    values: Any = event.values
    match event.kind:
        case Kind.START:
            return f"Start at θ = {point(theta)}"
        case Kind.OUTER_ITERATION:
            return f"Outer iteration {values['t']}: freeze θ"
        case Kind.DRAW:
            return f"Draw {values['i']} of “{values['prompt']}”: {values['response']}"
        case Kind.REWARD:
            return f"Reward of draw {values['i']}: {plain(values['reward'])}"
        case Kind.GROUP:
            return f"Advantages of the group of “{values['prompt']}”"
        case Kind.ARITHMETIC:
            return "From exact numbers to certified enclosures"
        case Kind.GRADIENT:
            answer = values["answer"]
            found = "undefined" if isinstance(answer, Undefined) else point(answer)
            return f"Gradient attempt {values['k']}: {found}"
        case Kind.MEMBERSHIP:
            return f"Is {point(values['proposal'])} in U? {'Yes' if values['answer'] else 'No'}"
        case Kind.APPLY:
            return f"Apply step {values['k']}: θ ← {point(theta)}"
        case Kind.STOP:
            return f"Stop: {values['status']}"
        case Kind.OUTCOME:
            return f"Outcome: {values['outcome'].status}, θ = {point(theta)}"
