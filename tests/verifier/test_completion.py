"""What the shells offer: the protocol of each by its script, and real shells where they are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.penalties import Divergence
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.registry import NAMED
from grpocheck.core.variants.words import PARTS, TERMS, composition, with_parts
from grpocheck.verifier import names
from grpocheck.verifier.command_line import completing
from grpocheck.verifier.commands import new as starters
from grpocheck.verifier.lessons import course
from grpocheck.verifier.properties.shelf import SHELF

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "problems").mkdir()
    for name in ("problems/one.toml", "problems/two.toml", "problems/notes.txt", "mine.toml", ".hidden.toml"):
        (tmp_path / name).write_text("")
    (tmp_path / "run.jsonl").write_text("")
    command = tmp_path / "bin" / "grpocheck"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m grpocheck "$@"\n')
    command.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", **variables}
    return subprocess.run(["grpocheck"], env=environment, cwd=folder, capture_output=True, text=True)


def offered(folder: Path, line: str) -> list[str]:
    """What bash is told for a command line whose last word is being typed."""
    words = line.split(" ")
    return asked(
        folder, _GRPOCHECK_COMPLETE="complete_bash", COMP_WORDS="\n".join(words), COMP_CWORD=str(len(words) - 1)
    ).stdout.split()


def test_the_names_that_are_offered_are_those_that_there_are() -> None:
    assert list(NAMED) == list(names.VARIANTS)
    assert [lesson.name for lesson in course()] == list(names.COURSE)
    assert list(starters.STARTERS) == list(names.STARTERS)
    assert [name for name in SHELF if " " not in name] == list(names.SHELF)


def test_every_word_that_a_part_is_exchanged_for_is_one_and_none_is_left_out() -> None:
    words = {part: set(offered) for part, offered in names.PARTS.items()}
    assert list(words) == list(PARTS)
    for variant in NAMED.values():
        for part, text in composition(variant).items():
            assert text.split(",")[0].split("+")[0] in words[part], text
    for part, kind in {"ratio": Level, "kl": Divergence, "selection": Selection}.items():
        assert words[part] == {member.value for member in kind}
    assert words["term"] == set(TERMS)
    for part, offered in words.items():
        for word in offered:
            assert composition(with_parts(NAMED["section-1"], [f"{part}={word}"]))[part] == word


def test_problem_files_are_offered_and_a_lone_folder_with_its_content(folder: Path) -> None:
    assert completing.problems("") == ["bin/", "mine.toml", "problems/"]
    assert completing.problems("pro") == ["problems/one.toml", "problems/two.toml"]
    assert completing.problems("problems/t") == ["problems/two.toml"]
    assert completing.problems(".h") == [".hidden.toml"]
    assert completing.problems("nowhere/") == []
    assert completing.traces("r") == ["run.jsonl"]


def test_names_that_have_to_be_quoted_are_left_to_the_shell(folder: Path) -> None:
    (folder / "my problem.toml").write_text("")
    assert completing.problems("m") == []


def test_each_command_offers_what_it_takes(folder: Path) -> None:
    assert offered(folder, "grpocheck run mi") == ["mine.toml"]
    assert offered(folder, "grpocheck verify N4") == [name for name in REGISTRY if name.startswith("N4")]
    assert offered(folder, "grpocheck explain float-mean") == ["float-mean-residue"]
    assert offered(folder, "grpocheck lesson ten") == ["ten-by-ten"]
    assert offered(folder, "grpocheck estimator reinforce-l") == ["reinforce-leave-one-out"]
    assert offered(folder, "grpocheck conform my:loss --variant dr") == ["dr-grpo"]
    assert offered(folder, "grpocheck conform my:loss --variant dapo --with sel")[:1] == ["selection=all"]
    assert offered(folder, "grpocheck estimator dapo mine.toml --with r") == [
        "ratio=token", "ratio=sequence", "ratio=geometric-mean",
    ]  # fmt: skip
    assert offered(folder, "grpocheck prove F>0 mine.toml --scope dr") == ["draws"]
    assert offered(folder, "grpocheck re") == ["repl", "replay"]


def test_completion_loads_nothing_heavy(folder: Path) -> None:
    words = "grpocheck\nestimator\nd"
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "grpocheck"],
        env={**os.environ, "_GRPOCHECK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"},
        cwd=folder,
        capture_output=True,
        text=True,
    ).stderr
    assert "grpocheck.verifier.command_line.completing\n" in loaded
    for heavy in ("icontract", "mpmath", "z3", "grpocheck.core"):
        assert f" {heavy}\n" not in loaded


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_its_script(folder: Path, shell: str) -> None:
    script = asked(folder, _GRPOCHECK_COMPLETE=f"source_{shell}").stdout
    assert "grpocheck" in script
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_zsh_and_fish_are_told_what_they_ask_for(folder: Path) -> None:
    typed = "grpocheck lesson kl-c"
    zsh = asked(folder, _GRPOCHECK_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=typed).stdout
    assert zsh.strip() == """_arguments '*: :(("kl-chain-rule"))'"""
    fish = {"_GRPOCHECK_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": typed}
    assert asked(folder, _TYPER_COMPLETE_FISH_ACTION="is-args", **fish).returncode == 0
    assert asked(folder, _TYPER_COMPLETE_FISH_ACTION="get-args", **fish).stdout.split() == ["kl-chain-rule"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_itself_completes(folder: Path) -> None:
    typed = (
        'eval "$(_GRPOCHECK_COMPLETE=source_bash grpocheck)"\n'
        "COMP_WORDS=(grpocheck run pro) COMP_CWORD=2\n"
        "_grpocheck_completion grpocheck\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", typed], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.stdout.split() == ["problems/one.toml", "problems/two.toml"], done.stderr
