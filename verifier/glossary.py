"""What the words of grpocheck's output mean: statuses, errors, kinds of evidence, verdicts, quantities."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A word, what kind of word it is, its meaning, and where it is stated."""

    word: str
    sort: str
    meaning: str
    stated: str


ENTRIES = (
    Entry(
        "complete",
        "status",
        "All T outer iterations ran and each of their K steps was applied. theta is theta_T. Says nothing about "
        "improvement or convergence: the procedure promises neither (N1, N2, N7).",
        "grpocheck.core.outcome.Status, claim C4",
    ),
    Entry(
        "undefined-gradient",
        "status",
        "The objective F_t has no total derivative at the current theta, so the gradient oracle answered undefined. "
        "With the built-in oracle this happens exactly when a drawn response with nonzero advantage has its ratio on "
        "the active bound (1 + epsilon for A > 0, 1 - epsilon for A < 0) while the ratio still moves with theta. The "
        "last valid parameter is returned. It cannot happen at the first inner step of an outer iteration, where "
        "every ratio is 1.",
        "grpocheck.core.gradient, claims C4 and F2",
    ),
    Entry(
        "invalid-update",
        "status",
        "The proposal theta + eta * gradient lies outside the open domain U, as the domain oracle said. It is not "
        "applied; the last valid parameter is returned. A smaller step size may avoid it.",
        "grpocheck.core.update, claims A1, A2 and C4",
    ),
    Entry(
        "InvalidProblem",
        "error",
        "The problem file (or what was given to Problem) is no problem: the message names the key, shows the value and "
        "says what was expected there. Nothing was run. Exit status 2.",
        "grpocheck.core.invalid",
    ),
    Entry(
        "SupplyViolation",
        "error",
        "A supplied oracle broke its clause: a wrong type or length, a response outside the support, a membership that "
        "is no boolean, a number that is not finite, two answers to one question, no answer in time, or an exception. "
        "It is no status: a broken supply lies outside the model. Ledger and trace hold everything up to that call. "
        "Exit status 1.",
        "grpocheck.core.violations, claim C4, docs/security.md",
    ),
    Entry(
        "UndecidedComparison",
        "error",
        "Two numbers are equal or so close that certified enclosures still meet at the highest precision allowed. The "
        "message names both expressions. Nothing is rounded to a verdict; --max-bits allows a higher precision. "
        "Exit status 3.",
        "grpocheck.core.arithmetic.errors",
    ),
    Entry(
        "DigitBudgetExceeded",
        "error",
        "An exact number, or its reciprocal, outgrew the digits allowed. --max-digits allows more; --arithmetic "
        "enclosure or auto goes on with certified enclosures. Exit status 3.",
        "grpocheck.core.arithmetic.errors",
    ),
    Entry(
        "NotExact",
        "error",
        "The problem needs a logarithm, an exponential or a nested root, which --arithmetic exact does not have. "
        "Choose auto or enclosure. Exit status 2.",
        "grpocheck.core.arithmetic.errors",
    ),
    Entry(
        "ContractViolation",
        "error",
        "A precondition, postcondition or invariant of the code does not hold. The message begins with the claim that "
        "it states, and shows the values. With the built-in oracles this is a defect of grpocheck. Exit status 1.",
        "grpocheck.contracts.clauses",
    ),
    Entry(
        "TraceError",
        "error",
        "The file is no whole trace: cut, not JSON Lines, another schema. The message names the line. Exit status 2.",
        "grpocheck.core.trace_errors",
    ),
    Entry(
        "TraceMismatch",
        "error",
        "The run that the trace claims to record does not give this line. The message names the line, the field, and "
        "what the run gives there. Exit status 1.",
        "grpocheck.core.trace_errors",
    ),
    Entry(
        "contract",
        "evidence",
        "Preconditions, postconditions and invariants of the code that state the claim were evaluated, and decided, in "
        "the runs named. The weakest kind: it speaks of those runs only.",
        "contracts in core, grpocheck.proofs.examples",
    ),
    Entry(
        "property",
        "evidence",
        "The claim held on cases drawn at random from a stated family, with a search for small counterexamples.",
        "the property tests",
    ),
    Entry(
        "enumeration",
        "evidence",
        "The claim held on every single case of a stated small scope, in exact arithmetic.",
        "grpocheck.proofs.enumeration",
    ),
    Entry(
        "symbolic",
        "evidence",
        "CrossHair went through all paths of the real code at a stated size with exact real unknowns, and confirmed "
        "the claim on each.",
        "grpocheck.proofs.symbolic",
    ),
    Entry(
        "smt",
        "evidence",
        "An inductive argument for every size, discharged by the solver z3.",
        "grpocheck.proofs",
    ),
    Entry(
        "proof",
        "evidence",
        "A theorem for every size, checked by the kernel of a proof assistant, with its assumptions listed.",
        "proofs/coq",
    ),
    Entry(
        "witness",
        "evidence",
        "For a non-claim: a small exact problem that refutes it, run again in every verification.",
        "grpocheck.proofs",
    ),
    Entry("held", "verdict", "Everything in the stated scope was looked at and the claim held.", "proofs.evidence"),
    Entry("refuted", "verdict", "A case in which the claim fails was found; it is shown.", "proofs.evidence"),
    Entry(
        "undecided",
        "verdict",
        "The scope was not exhausted in the budget, and nothing in it refuted the claim. Never counted as held.",
        "proofs.evidence",
    ),
    Entry(
        "not-run",
        "verdict",
        "The check needs a program that this machine does not have; the command that enables it is named. Never "
        "counted as held, and not as lost.",
        "proofs.evidence",
    ),
    Entry("not-covered", "verdict", "No evidence for the claim exists here yet.", "proofs.evidence"),
    Entry(
        "ratio",
        "quantity",
        "rho: the mass of a whole drawn response at theta, divided by its mass under the frozen policy at theta_old. "
        "Finite and above 0; 1 at the first inner step of every outer iteration.",
        "grpocheck.core.ratio, claims B3 and G5",
    ),
    Entry(
        "advantage",
        "quantity",
        "A: the reward of a drawn response less the mean of its group, divided by the group's population standard "
        "deviation; 0 where all rewards of the group are equal.",
        "grpocheck.core.advantage, claims B1 and B2",
    ),
    Entry(
        "U",
        "quantity",
        "The open set of parameters at which every response of the support has a mass above 0, cut with the problem's "
        "[domain] where it states one. Every applied step stays in it.",
        "grpocheck.core.domains, claims A1 and A3",
    ),
    Entry(
        "epsilon",
        "quantity",
        "The clip threshold, between 0 and 1: clip(x) = min(1 + epsilon, max(1 - epsilon, x)). It bounds what a ratio "
        "contributes to the term, and not the ratio (N4).",
        "grpocheck.core.ratio, claims E1 and N4",
    ),
    Entry(
        "kink",
        "quantity",
        "A theta at which F_t has no gradient: a drawn response with A != 0 has its ratio exactly on the bound that "
        "its term switches at, and the ratio moves with theta. A run that asks for the gradient there ends as "
        "undefined-gradient.",
        "grpocheck.core.gradient, claims F1 and F2",
    ),
    Entry(
        "kl",
        "quantity",
        "KL(pi_theta || pi_ref) in nats, exact over the whole support, and the mean over prompts; beta times it is "
        "taken off the objective. At least 0, and 0 exactly where the two agree.",
        "grpocheck.core.divergence, claims B4 and G4",
    ),
    Entry(
        "term",
        "quantity",
        "min(ratio A, clip(ratio) A), what one drawn response contributes to the objective; never above ratio A.",
        "grpocheck.core.ratio, claims E1 and E2",
    ),
    Entry(
        "draws",
        "quantity",
        "Responses drawn: M G in every outer iteration, independently from the frozen policy; T M G at most.",
        "grpocheck.core.ledger, claims C1 and G3",
    ),
    Entry(
        "attempts",
        "quantity",
        "Gradients asked for: one before each inner step, T K at most; the steps applied, and one more where the run "
        "was stopped.",
        "grpocheck.core.ledger, claims C2 and C3",
    ),
)

BY_WORD = {entry.word.lower(): entry for entry in ENTRIES}
