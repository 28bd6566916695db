"""A studio as people start it, and a browser that notes what goes wrong.

The tests of the page need playwright's Python package and a Chromium of this machine; they skip, saying what to
install, unless GRPOCHECK_REQUIRE names the studio.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HOUSE = Path(__file__).resolve().parent.parent.parent
SHOTS = HOUSE / "build" / "studio"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ENABLE = "apt-get install chromium && pip install '.[browser]'"


def lacking() -> str | None:
    """What the tests of the page need and do not find."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed"
    return None if CHROMIUM is not None else "there is no chromium on this machine"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of the page where they cannot run, or fail them where they have to."""
    found = lacking()
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) and found is not None:
            if "studio" in os.environ.get("GRPOCHECK_REQUIRE", "").split(","):
                continue
            item.add_marker(pytest.mark.skip(reason=f"{found}; to enable it: {ENABLE}"))


@dataclass
class Served:
    """A running studio: its address, and its process."""

    address: str
    process: int


@pytest.fixture(scope="session")
def studio() -> Iterator[Served]:
    """The command, started in the house, on a free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "grpocheck", "studio", "--no-browser", "--port", "0"],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    yield Served(said.split()[-1], process.pid)
    process.terminate()
    assert process.wait(20) == 0


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium of this machine."""
    if lacking() is not None:
        pytest.fail(f"{lacking()}; to enable it: {ENABLE}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@dataclass
class Watched:
    """A page, and everything it asked for and complained of."""

    page: Any
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def goto(self, rest: str = "") -> None:
        """Open a place of the studio and wait for its first event."""
        self.page.goto(self.address + rest)
        self.until("document.getElementById('event-title').textContent !== ''")

    def until(self, condition: str, seconds: float = 60.0) -> None:
        """Wait until a condition holds; asked from outside, since the page lets nothing be evaluated inside.

        A condition on an element that is not there yet does not hold yet.
        """
        end = time.monotonic() + seconds
        asked = f"(() => {{ try {{ return Boolean({condition}) }} catch (error) {{ return false }} }})()"
        while not self.page.evaluate(asked):
            assert time.monotonic() < end, f"not within {seconds:.0f} s: {condition}"
            self.page.wait_for_timeout(25)

    def complain(self, message: Any) -> None:
        """Note what the browser's console says that is more than a remark."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def filled(self) -> None:
        """Wait until the page that is shown has its content."""
        self.until(
            "[...document.querySelectorAll('.page')].some((page) => !page.hidden && page.childElementCount > 0 "
            "&& !page.querySelector('.working'))"
        )

    def shot(self, name: str) -> None:
        """Keep a picture of the page as it is."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def text(self, selector: str) -> str:
        """What stands at a place of the page."""
        return str(self.page.inner_text(selector)).strip()

    def strangers(self) -> list[str]:
        """The requests to anything but the studio itself."""
        return [url for url in self.requests if not url.startswith((self.address, "blob:", "data:"))]


Open = Callable[..., Watched]


@pytest.fixture
def opened(studio: Served, browser: Any) -> Iterator[Open]:
    """A function that opens a page of a size; at the end no page has complained or asked anybody else."""
    pages: list[Watched] = []

    def open_page(width: int = 1280, height: int = 860, dark: bool = False) -> Watched:
        scheme = "dark" if dark else "light"
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        watched = Watched(page, studio.address)
        page.on("request", lambda request: watched.requests.append(request.url))
        page.on("console", watched.complain)
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        pages.append(watched)
        return watched

    yield open_page
    for watched in pages:
        watched.page.close()
        assert watched.complaints == []
        assert watched.strangers() == []
