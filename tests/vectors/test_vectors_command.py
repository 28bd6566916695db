"""The command vectors: what it writes, what it says, what it cannot write."""

import json

from grpocheck.verifier.cli import app
from typer.testing import CliRunner


def called(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_it_writes_the_vectors_and_says_how_many(tmp_path, document, monkeypatch):
    from grpocheck.verifier.commands import vectors as commands_vectors

    monkeypatch.setattr(commands_vectors, "vectors", lambda advance: document)
    out = tmp_path / "vectors.json"
    done = called("vectors", out)
    assert done.exit_code == 0
    assert done.stdout == f"{out}: 20 cases, 20 variants, 286 outputs (grpocheck-vectors/1)\n"
    assert json.loads(out.read_text()) == document
    summary = json.loads(called("vectors", out, "--json").stdout)
    assert summary == {
        "file": str(out),
        "schema": "grpocheck-vectors/1",
        "cases": 20,
        "variants": 20,
        "outputs": 286,
    }


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    for out, message in ((tmp_path, "it is a folder"), (tmp_path / "no" / "v.json", "there is no folder")):
        done = called("vectors", out)
        assert done.exit_code == 2
        assert message in done.stderr


def test_progress_is_told_to_its_end(document):
    from grpocheck.verifier.vectors.making import number_of_steps

    told = len(document["variants"]) * sum(case["kind"] == "objective" for case in document["cases"])
    told += sum(case["kind"] == "divergence" for case in document["cases"])
    assert number_of_steps() == told == 286
