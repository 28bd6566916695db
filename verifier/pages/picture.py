"""The picture of the README: the objective of examples/undefined_gradient.toml, and the run that stops on its kink.

    python -m grpocheck.verifier.pages.picture docs/run.svg

runs the problem and draws what core says: F_t at a hundred parameters, the same without the clip, and the steps.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from grpocheck.core import Outcome, Problem, Undefined, read_problem, run
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.objective import objective
from grpocheck.core.ratio import importance_ratio
from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text

EXAMPLE = Path("examples/undefined_gradient.toml")
LOW, HIGH, PARTS = Fraction(3, 10), Fraction(4, 5), 100
WIDTH, HEIGHT = 760, 300
BOX = (64.0, 34.0, 740.0, 252.0)
BLUE, GREY, RED = "#1f5fa8", "#888888", "#b5332a"

Point = tuple[Fraction, Fraction]


def masses_at(problem: Problem, outcome: Outcome, theta: Fraction) -> list[Sequence[Fraction]]:
    """The masses of each prompt at a parameter."""
    return [Bernoulli().masses((theta,), prompt, outcome.arithmetic) for prompt in problem.prompts]


def clipped_curve(problem: Problem, outcome: Outcome) -> list[Point]:
    """F_t of the first outer iteration over the window, by core itself."""
    frozen = outcome.iterations[0].frozen
    return [
        (theta, objective(frozen, masses_at(problem, outcome, theta), outcome.arithmetic))
        for theta in (LOW + (HIGH - LOW) * part / PARTS for part in range(PARTS + 1))
    ]


def plain_line(problem: Problem, outcome: Outcome) -> list[Point]:
    """The mean of rho A at both ends of the window: what F_t would be without the clip."""
    (group,) = outcome.iterations[0].frozen.groups
    found = []
    for theta in (LOW, HIGH):
        (masses,) = masses_at(problem, outcome, theta)
        ratios = [importance_ratio(masses[p], old) for p, old in zip(group.positions, group.old_masses, strict=True)]
        products = [ratio * advantage for ratio, advantage in zip(ratios, group.advantages, strict=True)]
        found.append((theta, sum(products, Fraction(0)) / len(products)))
    return found


def steps_of(outcome: Outcome) -> list[Point]:
    """Where the run stood, with F_t there: theta_old, and after each applied step."""
    first = outcome.iterations[0]
    moved = [(step.theta[0], step.objective) for step in first.steps if step.objective is not None]
    return [(first.frozen.theta_old[0], first.objective), *moved]


def picture(problem: Problem, outcome: Outcome) -> str:
    """The picture as SVG."""
    curve, plain, stood = clipped_curve(problem, outcome), plain_line(problem, outcome), steps_of(outcome)
    heights = [height for _, height in (*curve, *plain)]
    low, high = min(heights), max(heights)

    def at(point: Point) -> tuple[float, float]:
        left, top, right, bottom = BOX
        across = float((point[0] - LOW) / (HIGH - LOW))
        upward = float((point[1] - low) / (high - low))
        return left + across * (right - left), bottom - upward * (bottom - top)

    def line(points: Sequence[Point], colour: str, more: str) -> str:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, points))
        return f'<polyline points="{path}" fill="none" stroke="{colour}" {more}/>'

    def label(x: float, y: float, text: str, colour: str = "#222", anchor: str = "start") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'

    start, stop = stood[0], stood[-1]
    (x, y), (stop_x, stop_y) = at(start), at(stop)
    attempt = outcome.iterations[0].steps[0].gradient
    gradient = "undefined" if isinstance(attempt, Undefined) else str(attempt[0])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13" role="img">',
        "<title>The clipped objective over theta, and a run that stops exactly on its kink</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        line([(LOW, Fraction(0)), (HIGH, Fraction(0))], "#ccc", 'stroke-width="1"'),
        line([(stop[0], low), (stop[0], high)], RED, 'stroke-width="1" stroke-dasharray="3 3"'),
        line(plain, GREY, 'stroke-width="1.5" stroke-dasharray="7 5"'),
        line(curve, BLUE, 'stroke-width="2.5"'),
        *(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="{RED}"/>' for px, py in map(at, stood)),
        label(BOX[0], 22, "F(theta), the clipped objective", BLUE),
        label(at(plain[1])[0] - 40, at(plain[1])[1] + 6, "without the clip", GREY, "end"),
        label(x - 12, y - 10, f"theta = {start[0]}: gradient {gradient}, one step", anchor="end"),
        label(stop_x + 12, stop_y + 64, f"theta = {stop[0]}, F = {stop[1]}:", RED),
        label(stop_x + 12, stop_y + 82, "ratio = 1 + epsilon, a kink;", RED),
        label(stop_x + 12, stop_y + 100, f"no gradient: {outcome.status}", RED),
    ]
    for tick in (LOW + (HIGH - LOW) * part / 5 for part in range(6)):
        parts.append(label(at((tick, low))[0], BOX[3] + 20, str(tick), "#555", "middle"))
    parts.append(label(BOX[2], BOX[3] + 40, "theta, the probability of the good response", "#555", "end"))
    return "\n".join([*parts, "</svg>", ""])


def main(arguments: Sequence[str]) -> int:
    """Draw the picture into the file that is given."""
    if len(arguments) != 1 or not EXAMPLE.is_file():
        say("usage, where the folder examples is: python -m grpocheck.verifier.pages.picture FILE")
        return BAD_INPUT
    problem = read_problem(EXAMPLE)
    write_text(Path(arguments[0]), picture(problem, run(problem)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
