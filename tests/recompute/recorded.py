"""The recorded calls of TRL 1.16.0, from the archive of the tests."""

import io
import json
import tarfile
from functools import cache
from pathlib import Path

import numpy as np
from grpocheck.verifier.recompute import LossCall

ARCHIVE = Path(__file__).parents[1] / "data" / "trl.tar.xz"


@cache
def recorded_calls():
    """(run, name of the call, what its .json says, the call), all of them."""
    metas, arrays = {}, {}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            if "/calls/" not in member.name or not member.isfile():
                continue
            content = archive.extractfile(member).read()
            stem, _, suffix = member.name.rpartition(".")
            if suffix == "json":
                metas[stem] = json.loads(content)
            else:
                with np.load(io.BytesIO(content)) as found:
                    arrays[stem] = {name: found[name] for name in found.files}
    assert metas.keys() == arrays.keys()
    return [
        (stem.split("/")[0], stem.split("/")[-1], metas[stem], LossCall.from_trl(metas[stem], arrays[stem]))
        for stem in sorted(metas)
    ]


def finite_calls():
    """Those whose loss is a number."""
    return [entry for entry in recorded_calls() if np.isfinite(entry[3].loss)]
