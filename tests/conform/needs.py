"""Packages that some tests need: a test without them is skipped out loud, or fails where they are demanded.

GRPOCHECK_REQUIRE=torch,trl,verl,openrlhf turns the skips of these into failures, as in CI.
"""

import os
from importlib.util import find_spec

import pytest

COMMANDS = {
    "torch": "pip install '.[trl]'",
    "trl": "pip install '.[trl]'",
    "verl": "pip install --no-deps verl",
    "openrlhf": "pip install --no-deps openrlhf",
}


def needs(*packages):
    """Go on only where the packages are installed."""
    for package in packages:
        if find_spec(package) is None:
            message = f"{package} is not installed; to run this: {COMMANDS[package]}"
            if package in os.environ.get("GRPOCHECK_REQUIRE", "").split(","):
                pytest.fail(f"{message} (demanded by GRPOCHECK_REQUIRE)", pytrace=False)
            pytest.skip(message)
