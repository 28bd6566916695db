"""Every mistake of the catalogue is killed by verification alone, and by something that names a claim."""

import pytest
from grpocheck.contracts.claims import CLAIMS

from tests.mutants.catalogue import HELPERS, MISTAKES
from tests.mutants.fast_tier import FOR_CLAIMS
from tests.mutants.trees import ROOT, change, fast_tier, plant

SECONDS = 300.0
"""By the clock of a busy machine; a kill takes a few."""


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_the_mistake_is_killed(tmp_path, mistake):
    core = plant(tmp_path)
    change(core, mistake.file, mistake.before, mistake.after, HELPERS if mistake.file == "update.py" else "")
    found = fast_tier(tmp_path, SECONDS, *FOR_CLAIMS)
    assert found is not None, f"{mistake.name}: survived"
    assert found["evidence"] != "import", found["says"]
    assert found["claims"], found
    assert set(found["claims"]) <= set(CLAIMS), found


@pytest.mark.slow
def test_the_unchanged_tree_is_not_killed(tmp_path):
    plant(tmp_path)
    assert fast_tier(tmp_path, SECONDS, *FOR_CLAIMS) is None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_the_catalogue_is_up_to_date(tmp_path, mistake):
    (tmp_path / mistake.file).parent.mkdir(exist_ok=True)
    (tmp_path / mistake.file).write_text((ROOT / "core" / mistake.file).read_text(encoding="utf-8"), encoding="utf-8")
    change(tmp_path, mistake.file, mistake.before, mistake.after)
