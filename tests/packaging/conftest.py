"""What is built is built once."""

import pytest

from tests.packaging.environments import Built, build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist and the wheel."""
    return build(tmp_path_factory.mktemp("built"))
