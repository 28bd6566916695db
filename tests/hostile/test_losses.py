"""``conform`` on losses that are hostile, in its own process and in one of theirs."""

import json
import re
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

pytest.importorskip("numpy")


@pytest.fixture
def conform(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent.parent.parent)

    def told(name, *options):
        named = f"tests.hostile.{name}"
        result = CliRunner().invoke(app, ["conform", named, "--variant", "grpo", "--json", *options])
        assert "Traceback" not in result.stderr
        return result.exit_code, json.loads(result.stdout) if result.stdout else result.stderr

    return told


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("printing", ()),
        ("printing", ("--call-limit", "300")),
        pytest.param("overwriting", (), marks=pytest.mark.slow),
        pytest.param("overwriting", ("--call-limit", "300"), marks=pytest.mark.slow),
    ],
)
def test_what_has_no_effect_has_none(conform, name, options):
    status, found = conform(f"losses:{name}", *options)
    _, honest = conform("losses:honest")
    assert (status, found["verdict"]) == (0, "conforms")
    assert found == honest | {"target": f"tests.hostile.losses:{name}"}


@pytest.mark.parametrize("options", [(), ("--isolate",)], ids=["here", "isolated"])
def test_leaving_is_no_conformance(conform, options):
    status, found = conform("losses:leaving", *options)
    assert (status, found["verdict"]) == (1, "departs")
    assert re.fullmatch(r"SystemExit: 0 \(at .*losses\.py:\d+\)", found["witness"]["raised"])
    status, said = conform("leaves:loss", *options)
    assert (status, "importing it raised SystemExit: 0" in said) == (2, True)


def test_a_loss_that_never_returns_is_ended_and_named(conform):
    status, said = conform("losses:endless", "--call-limit", "0.2")
    assert status == 1
    assert "tests.hostile.losses:endless on the input" in said
    assert "gave no answer within 0.2 s; its process was ended" in said
