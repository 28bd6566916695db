"""Takes the pictures of docs/tour.md from the running studio: python docs/tour/take.py

Needs playwright's Python package and a Chromium of this machine. Each picture is taken only after the page shows what
the text says of it; where it does not, the script stops.
"""

import base64
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent
HOUSE = FOLDER.parent.parent
QUALITY = 82


class Tourist:
    """A browser's page that walks the tour."""

    def __init__(self, page: Any, address: str) -> None:
        """On a page of the studio at an address."""
        self.page, self.address = page, address

    def go(self, rest: str) -> None:
        """Open a place of the studio, as a visitor who comes there first."""
        self.page.goto("about:blank")
        self.page.goto(self.address + rest)

    def until(self, selector: str, text: str) -> None:
        """Wait until a part of the page shows a text."""
        end = time.monotonic() + 90
        while text not in (self.page.text_content(selector) if self.page.query_selector(selector) else ""):
            if time.monotonic() > end:
                raise SystemExit(f"{selector} does not show {text!r}")
            self.page.wait_for_timeout(50)

    def picture(self, name: str, height: int = 760) -> None:
        """Take a picture of what is on the screen, from the top of the page."""
        self.page.wait_for_timeout(900)
        self.page.evaluate("document.activeElement.blur()")
        width = self.page.viewport_size["width"]
        session = self.page.context.new_cdp_session(self.page)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip})
        (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
        print(f"{name}.webp {(FOLDER / f'{name}.webp').stat().st_size // 1024} KB", flush=True)


def tour(visitor: Tourist, small: Tourist) -> None:
    """Walk through docs/tour.md."""
    page = visitor.page
    visitor.go("#step?example=undefined_gradient")
    visitor.until("#event-title", "Start at θ = 1/2")
    visitor.picture("start")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(120)
    visitor.until("#event-title", "Gradient attempt 1: 2")
    visitor.picture("gradient")
    page.keyboard.press("End")
    visitor.until("#event-title", "Stop: undefined-gradient")
    visitor.until("#theta", "3/5")
    visitor.until("#contracts-summary", "contracts were checked")
    visitor.picture("stop", 860)
    page.click("#tab-change")
    page.fill("#change-step_size", "1/40")
    page.keyboard.press("Tab")
    visitor.until("#events", "Outcome: complete, θ = 3/5")
    page.click("#stop")
    visitor.until("#event-title", "Outcome: complete")
    visitor.picture("change")
    visitor.go("#step?example=undefined_gradient")
    visitor.until("#event-title", "Start")
    page.fill("#property", "F_next >= F")
    page.select_option("#scope", "shape")
    page.click("#check")
    visitor.until("#verdict-word", "refuted")
    visitor.picture("refuted")
    page.click("#open-counterexample")
    visitor.until("#event-title", "Apply step 1")
    visitor.picture("counterexample")
    visitor.go("#oracle")
    visitor.until("#page-oracle", "What is the gradient of F at θ = 1/2?")
    page.fill("#gradient-answer", "7")
    page.keyboard.press("Enter")
    visitor.until("#page-oracle", "Is 17/20 in U?")
    visitor.picture("oracle", 800)
    visitor.go("#compare")
    visitor.until("#compared", "tic-surrogate")
    page.fill("#compare-at", "13/20")
    page.keyboard.press("Tab")
    visitor.until("#compared", "\N{MINUS SIGN}7/10")
    visitor.picture("compare", 860)
    visitor.go("#step?example=triangle&at=26")
    visitor.until("#event-title", "Outcome: complete")
    visitor.until("#picture", "middling")
    visitor.picture("triangle")
    visitor.go("#evidence")
    visitor.until("#page-evidence", "theta is in U at the start")
    page.click("#claim-A1 summary")
    visitor.picture("evidence")
    small.go("#step?example=two_paths&at=16")
    small.until("#event-title", "Apply step 1")
    small.picture("phone", 844)


def main() -> None:
    """Start the studio and a browser, and walk."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    report = ["--report", "nowhere/verify.json"]  # the same pictures whether or not verify has run here
    command = [sys.executable, "-m", "grpocheck", "studio", "--no-browser", "--port", "0", *report]
    studio = subprocess.Popen(command, cwd=HOUSE, stdout=subprocess.PIPE, text=True)
    try:
        assert studio.stdout is not None
        address = studio.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            wide = browser.new_page(viewport={"width": 1280, "height": 860})
            narrow = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
            tour(Tourist(wide, address), Tourist(narrow, address))
            browser.close()
    finally:
        studio.terminate()
        studio.wait(20)


if __name__ == "__main__":
    main()
