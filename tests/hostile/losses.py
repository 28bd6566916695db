"""Loss functions that do not return, leave, print, or change what they are given."""

import sys
import time

from tests.conform.losses import grpo


def honest(new, old, ref, advantages, mask):
    return grpo(new, old, ref, advantages, mask)


def endless(new, old, ref, advantages, mask):
    while True:
        time.sleep(1)


def leaving(new, old, ref, advantages, mask):
    sys.exit(0)


def printing(new, old, ref, advantages, mask):
    print("SPOILT")
    return grpo(new, old, ref, advantages, mask)


def overwriting(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    for array in (new, old, ref, advantages, mask):
        array[...] = 0
    return loss, gradient
