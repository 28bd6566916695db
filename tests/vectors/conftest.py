import json

import pytest
from grpocheck.verifier.vectors.making import vectors


@pytest.fixture(scope="session")
def document():
    return vectors()


@pytest.fixture(scope="session")
def file(document, tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "vectors.json"
    path.write_text(json.dumps(document))
    return path
