"""Section 1 of the specification in mpmath at 80 digits, from the problem's data alone: what the tests compare with.

It shares no code with core: masses, advantages, objective and gradient are written out again, in floating point with
so many digits that a tie is recognised as a difference below 1e-60.
"""

from mpmath import mp, mpf

mp.dps = 80
TIE = mpf(10) ** -60


def number(value):
    return mpf(value.numerator) / value.denominator


def masses(problem, theta, prompt):
    n, name = len(prompt.responses), problem.family.name
    start = sum(len(p.responses) - (name == "simplex") for p in problem.prompts[: prompt.position])
    if name == "bernoulli":
        return [theta[0], 1 - theta[0]]
    if name == "simplex":
        own = theta[start : start + n - 1]
        return [*own, 1 - sum(own)]
    weights = [mp.exp(x) for x in theta[start : start + n]]
    return [w / sum(weights) for w in weights]


def mass_gradients(problem, theta, prompt):
    n, name, d = len(prompt.responses), problem.family.name, len(theta)
    start = sum(len(p.responses) - (name == "simplex") for p in problem.prompts[: prompt.position])
    rows = [[mpf(0)] * d for _ in range(n)]
    if name == "bernoulli":
        return [[mpf(1)], [mpf(-1)]]
    if name == "simplex":
        for j in range(n - 1):
            rows[j][start + j] = mpf(1)
            rows[n - 1][start + j] = mpf(-1)
        return rows
    p = masses(problem, theta, prompt)
    for i in range(n):
        for j in range(n):
            rows[i][start + j] = p[i] * ((i == j) - p[j])
    return rows


def advantages(rewards):
    average = sum(rewards) / len(rewards)
    variance = sum((r - average) ** 2 for r in rewards) / len(rewards)
    if variance < TIE:
        return [mpf(0)] * len(rewards)
    return [(r - average) / mp.sqrt(variance) for r in rewards]


def data(problem, draws_of_iteration, theta_old):
    """Per prompt: (positions, advantages, old masses)."""
    groups = []
    for prompt, names in zip(problem.prompts, draws_of_iteration, strict=True):
        positions = [prompt.responses.index(name) for name in names]
        rewards = [number(prompt.rewards[j]) for j in positions]
        old = masses(problem, theta_old, prompt)
        groups.append((prompt, positions, advantages(rewards), [old[j] for j in positions]))
    return groups


def objective(problem, groups, theta):
    eps, beta, total = number(problem.epsilon), number(problem.beta), mpf(0)
    for prompt, positions, advs, old in groups:
        now = masses(problem, theta, prompt)
        terms = []
        for j, a, base in zip(positions, advs, old, strict=True):
            rho = now[j] / base
            terms.append(min(rho * a, min(1 + eps, max(1 - eps, rho)) * a))
        divergence = sum(p * mp.log(p / number(q)) for p, q in zip(now, prompt.reference, strict=True))
        total += sum(terms) / len(terms) - beta * divergence
    return total / len(groups)


def gradient(problem, groups, theta):
    """None where a drawn response of nonzero advantage sits on its active bound and its ratio moves."""
    eps, beta, d = number(problem.epsilon), number(problem.beta), len(theta)
    total = [mpf(0)] * d
    for prompt, positions, advs, old in groups:
        now, rows = masses(problem, theta, prompt), mass_gradients(problem, theta, prompt)
        for j, a, base in zip(positions, advs, old, strict=True):
            bound = 1 + eps if a > 0 else 1 - eps
            if a != 0 and abs(now[j] / base - bound) < TIE and any(abs(x) > TIE for x in rows[j]):
                return None
            if a != 0 and now[j] / base * a < bound * a - TIE:
                for axis in range(d):
                    total[axis] += a * rows[j][axis] / base / len(positions)
        for p, q, row in zip(now, prompt.reference, rows, strict=True):
            for axis in range(d):
                total[axis] -= beta * row[axis] * mp.log(p / number(q))
    return [x / len(groups) for x in total]


def inside(problem, theta):
    return all(p > 0 for prompt in problem.prompts for p in masses(problem, theta, prompt))


def run(problem, draws):
    """(status, theta, objectives of the applied steps, attempts, memberships) of the whole procedure."""
    theta, objectives, attempts, memberships = [number(x) for x in problem.theta], [], 0, 0
    for t in range(problem.outer_iterations):
        groups = data(problem, draws[t], theta)
        for k in range(problem.inner_steps):
            attempts += 1
            slope = gradient(problem, groups, theta)
            if slope is None:
                return "undefined-gradient", theta, objectives, attempts, memberships
            memberships += 1
            eta = number(problem.step_sizes[t][k])
            proposal = [x + eta * g for x, g in zip(theta, slope, strict=True)]
            if not inside(problem, proposal):
                return "invalid-update", theta, objectives, attempts, memberships
            theta = proposal
            objectives.append(objective(problem, groups, theta))
    return "complete", theta, objectives, attempts, memberships
