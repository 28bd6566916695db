"""Supplies that are found by their names: for processes of their own, and for the command."""

import contextlib
import decimal
import os
import random
import signal
import sys
import threading
import time
from fractions import Fraction as F

import mpmath
from grpocheck.core import Supply
from grpocheck.core.arithmetic.exact import ExactArithmetic

from tests.hostile.answers import LyingFraction, LyingText


def after(act, answer=1):
    """A reward oracle that does something first."""

    def reward(prompt, response):
        act()
        return answer if response == "good" else 0

    return Supply(reward=reward)


def forever():
    while True:
        time.sleep(1)


def busy():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        signal.setitimer(signal.ITIMER_REAL, 0)
    while True:
        pass


def exits():
    sys.exit(0)


def vanishes():
    os._exit(0)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def hoards():
    return bytearray(2**40)


def shouts():
    print("SPOILT")
    os.write(1, b"SPOILT\n")


def leaks():
    threading.Thread(target=forever).start()


def spoil_the_state():
    """Change what libraries keep for everybody."""
    random.seed(0)
    decimal.getcontext().prec = 1
    mpmath.mp.prec = mpmath.iv.prec = 2
    os.environ["GRPOCHECK_CONTRACTS"] = "off"


@contextlib.contextmanager
def state_kept():
    """Put it back afterwards."""
    before = random.getstate(), decimal.getcontext().prec, mpmath.mp.prec, mpmath.iv.prec, dict(os.environ)
    try:
        yield
    finally:
        random.setstate(before[0])
        decimal.getcontext().prec, mpmath.mp.prec, mpmath.iv.prec = before[1:4]
        os.environ.clear()
        os.environ.update(before[4])


def speaks_out_of_turn():
    """Write to every descriptor that may be the way to the run."""
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(number, b"\xff" * 64)


honest = after(lambda: None)
late = after(forever)
deaf = after(busy)
leaving = after(exits)
vanishing = after(vanishes)
dying = after(killed)
hoarding = after(hoards)
shouting = after(shouts)
leaking = after(leaks)
garbling = after(speaks_out_of_turn)
lying = after(lambda: None, LyingFraction(1))
stateless = Supply()
reckoning = Supply(arithmetic=ExactArithmetic())
text_lying = Supply(draws=lambda masses, prompt, t, i: LyingText("ugly"))


class Counting:
    """A sampler with a state: its process keeps it from call to call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, masses, prompt, outer_iteration, draw):
        self.calls += 1
        return prompt.responses[self.calls % 2]


counting = Supply(draws=Counting())


# The good response eleven times out of twelve.
favouring = Supply(draws=lambda masses, prompt, t, i: "bad" if i == 12 else "good")


class Softmax:
    """The softmax family of two responses, (1, 0) theta: masses e^theta/(e^theta + 1) and 1/(e^theta + 1)."""

    def masses(self, theta, prompt, arithmetic):
        grown = arithmetic.exp(theta[0])
        return grown / (grown + 1), 1 / (grown + 1)

    def mass_gradients(self, theta, prompt, arithmetic):
        first, second = self.masses(theta, prompt, arithmetic)
        return (first * second,), (-first * second,)


softmax = Supply(policy=Softmax())


class Bernoulli(Softmax):
    """The Bernoulli family, as a policy."""

    def masses(self, theta, prompt, arithmetic):
        arithmetic.less(theta[0], F(1))
        return theta[0], 1 - theta[0]

    def mass_gradients(self, theta, prompt, arithmetic):
        return (F(1),), (F(-1),)


def true_gradient(frozen, theta):
    """(1/old + 1/(1 - old))/2 of the recorded group."""
    group, old = frozen.groups[0], frozen.theta_old[0]
    assert group.prompt.responses == ("good", "bad")
    return [(1 / old + 1 / (1 - old)) / 2]


whole = Supply(
    draws=lambda masses, prompt, t, i: prompt.responses[(i + 1) % 2],
    reward=lambda prompt, response: F(response == "good"),
    policy=Bernoulli(),
    domain=lambda theta: 0 < theta[0] < 1,
    gradient=true_gradient,
)

stale = Supply(gradient=lambda frozen, theta: [F(3)])
