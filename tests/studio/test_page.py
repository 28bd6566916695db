"""The page itself, in headless Chromium: what a person would do, read and see. Pictures are kept in build/studio."""

from pathlib import Path

import pytest

from tests.studio.conftest import Open, Served, Watched
from tests.studio.processes import busy_for, started_by

pytestmark = pytest.mark.slow

FIRST_PICTURE = 3.0
"""Seconds that the command and its processes may compute until the first picture is there, contracts included."""
STEP = 0.1
"""Seconds from a key to the next event."""


@pytest.fixture
def page(opened: Open) -> Watched:
    found = opened()
    found.goto()
    return found


def at_event(page: Watched, start: str) -> None:
    page.until(f"document.getElementById('event-title').textContent.startsWith({start!r})")


def decimal(shown: str) -> float:
    """The number of a text such as 1/5 = 0.2 or 1/10*log(8/5) ≈ 0.0470004."""
    return float(shown.replace("−", "-").replace("≈", "=").rpartition("=")[2].strip())


def test_the_first_picture_is_there_after_seconds_of_computing(opened: Open, studio: Served) -> None:
    """Runs first: the fixture has just started the command. Other programs of the machine take no part."""
    found = opened()
    found.page.goto(found.address)
    found.page.wait_for_selector("#picture svg")
    took = sum(map(busy_for, [studio.process, *started_by(studio.process)]))
    assert 0 < took < FIRST_PICTURE


def test_step_to_the_stop_and_read_three_fifths_and_why(page: Watched) -> None:
    page.until("document.getElementById('example').value === 'undefined_gradient'")
    assert page.text("#event-title") == "Start at θ = 1/2"
    for event in range(2, 13):
        page.page.keyboard.press("ArrowRight")
        page.until(f"document.getElementById('position').textContent.startsWith('{event} / 13')")
    assert page.text("#event-title") == "Stop: undefined-gradient"
    assert page.text("#theta") == "3/5 = 0.6"
    assert page.text("#objective") == "1/5 = 0.2"
    assert "“good” (A = 1, ratio 6/5 = 1 + ε)" in page.text("#event-says")
    assert "no gradient there (F2)" in page.text("#event-says")
    assert page.page.locator("#responses tr.kink").count() == 2
    assert page.page.locator("#picture .step.now").count() == 1
    page.until("document.getElementById('contracts-summary').textContent.includes('contracts were checked')")
    assert "all held" in page.text("#contracts-summary")
    assert "2 of 2" in page.text("#ledger")
    page.shot("step-1280")


def test_time_goes_both_ways(page: Watched) -> None:
    page.page.keyboard.press("End")
    at_event(page, "Stop")
    page.page.keyboard.press("End")
    at_event(page, "Outcome")
    page.page.keyboard.press("ArrowLeft")
    at_event(page, "Stop")
    page.page.keyboard.press("PageUp")
    at_event(page, "Gradient attempt 2: undefined")
    page.page.keyboard.press("PageUp")
    at_event(page, "Gradient attempt 1: 2")
    page.page.keyboard.press("Home")
    at_event(page, "Start")
    page.page.click("#stop")
    at_event(page, "Stop")
    page.until("location.hash.includes('at=')")
    page.page.reload()
    at_event(page, "Stop")  # the address holds the place


def test_a_step_takes_less_than_a_tenth_of_a_second(opened: Open) -> None:
    """M = 3, n = 6, G = 8: forward, from the key to the new title."""
    prompts = "".join(
        f'[[prompts]]\nname = "q{i}"\nresponses = ["a", "b", "c", "d", "e", "f"]\nrewards = [1, 2, 3, 0.5, 0, 5]\n'
        'reference = ["1/6", "1/6", "1/6", "1/6", "1/6", "1/6"]\n'
        for i in range(3)
    )
    masses = ", ".join(['"1/6"'] * 15)
    text = (
        "group_size = 8\nouter_iterations = 1\ninner_steps = 3\nepsilon = 0.2\nbeta = 0\nstep_size = 0.02\n"
        f'theta = [{masses}]\nfamily = "simplex"\n[draws]\nseed = 3\n{prompts}'
    )
    found = opened()
    found.goto()
    found.page.click("#tab-text")
    found.page.fill("#text", text)
    found.page.click("#apply-text")
    found.until("document.getElementById('scrub').max > 50")
    found.page.wait_for_timeout(3000)  # what a person spends on the first event
    took = found.page.evaluate(
        """async () => {
          const took = [];
          for (let i = 0; i < 20; i += 1) {
            const before = document.getElementById("event-title").textContent;
            const began = performance.now();
            document.getElementById("forward").click();
            while (document.getElementById("event-title").textContent === before && performance.now() - began < 5000) {
              await new Promise((done) => setTimeout(done, 1));
            }
            took.push(performance.now() - began);
            await new Promise((done) => setTimeout(done, 150));
          }
          return took;
        }"""
    )
    assert sorted(took)[len(took) // 4] < 1000 * STEP  # the rest of a machine may hold up the others


def test_a_property_is_refuted_and_its_counterexample_opens_in_the_stepper(page: Watched) -> None:
    page.page.keyboard.press("/")
    assert page.page.evaluate("document.activeElement.id") == "property"
    page.page.keyboard.type("F_next >= F")
    page.page.keyboard.press("Enter")
    page.until("document.getElementById('verdict-word') !== null")
    assert page.text("#verdict-word") == "✓ holds"  # on this run
    page.page.select_option("#scope", "shape")
    page.page.click("#check")
    page.until("document.getElementById('open-counterexample') !== null")
    assert page.text("#verdict-word") == "✗ refuted"
    assert "F_next" in page.text("#verdict-reason")
    page.shot("refuted-1280")
    page.page.click("#open-counterexample")
    at_event(page, "Apply step 1")
    page.shot("counterexample-1280")
    after = decimal(page.text("#objective"))
    page.page.keyboard.press("PageUp")
    at_event(page, "Gradient attempt 1")
    assert after < decimal(page.text("#objective"))


def test_what_is_no_property_says_where(page: Watched) -> None:
    page.page.fill("#property", "__import__('os').system('true')")
    page.page.keyboard.press("Enter")
    page.until("document.querySelector('#verdict pre') !== null")
    assert "column" in page.text("#verdict pre")


def test_a_change_runs_at_once_and_can_be_shared_and_undone(page: Watched) -> None:
    page.page.click("#tab-change")
    page.page.fill("#change-step_size", "1/40")
    page.page.keyboard.press("Tab")
    page.until("document.getElementById('events').textContent.includes('Outcome: complete, θ = 3/5')")
    page.until("location.hash.includes('problem=')")
    address = page.page.url
    page.page.goto("about:blank")
    page.page.goto(address)
    page.until("document.getElementById('events').textContent.includes('Outcome: complete, θ = 3/5')")
    page.page.click("#tab-change")
    page.page.fill("#change-epsilon", "2")
    page.page.keyboard.press("Tab")
    page.page.wait_for_selector("#trouble:visible")
    assert "epsilon: 2: expected a number strictly between 0 and 1" in page.text("#trouble")
    page.shot("change-1280")
    page.page.fill("#change-epsilon", "1/4")
    page.page.keyboard.press("Tab")
    page.page.wait_for_selector("#trouble", state="hidden")


def test_an_address_that_was_cut_says_so_and_shows_something(opened: Open) -> None:
    found = opened()
    found.goto("#step?problem=eNq")
    found.page.wait_for_selector("#trouble:visible")
    assert "the address was cut" in found.text("#trouble")
    assert found.text("#event-title") == "Start at θ = 1/2"


def test_saving_gives_the_problem_file(page: Watched) -> None:
    with page.page.expect_download() as waiting:
        page.page.click("#save")
    assert waiting.value.suggested_filename == "undefined_gradient.toml"
    assert "step_size = 0.05" in Path(waiting.value.path()).read_text(encoding="utf-8")


def test_play_the_oracle_and_break_a_clause(opened: Open) -> None:
    found = opened()
    found.goto("#oracle")
    found.page.wait_for_selector("#gradient-answer")
    found.page.fill("#gradient-answer", "7")
    found.page.keyboard.press("Enter")
    found.page.wait_for_selector("text=Is 17/20 in U?")
    assert "Nothing in the procedure can notice" in found.text("#page-oracle")
    assert "gradient oracle: the Euclidean gradient of F_t where it exists" in found.text("#page-oracle .clauses")
    found.shot("oracle-1280")
    found.page.click("text=Maybe")
    found.page.wait_for_selector("#clause")
    assert found.text("#clause") == "domain oracle: answers True or False"
    assert "whatever you answer" in found.text("#page-oracle .follows")
    found.page.click("text=Take the last answer back")
    found.page.wait_for_selector("text=Is 17/20 in U?")
    found.page.click("text=Begin again")
    found.page.wait_for_selector("#gradient-answer")
    found.page.fill("#gradient-answer", "2")
    found.page.keyboard.press("Enter")
    found.page.click("text='Yes'")
    found.page.click("text='Undefined'")
    found.page.wait_for_selector("#oracle-status")
    assert found.text("#oracle-status") == "Status: undefined-gradient"


def test_compare_two_variants(opened: Open) -> None:
    """At 13/20 the two-sided clip cuts both responses, an upper cap alone does not: gradients 0 and 1, by hand."""
    found = opened()
    found.goto("#compare")
    found.page.wait_for_selector("#compared .facts")
    found.page.select_option("#left", "section-1")
    found.page.select_option("#right", "tic-surrogate")
    found.page.fill("#compare-at", "13/20")
    found.page.keyboard.press("Tab")
    found.until("document.querySelector('#compared').textContent.includes('−7/10')")
    gradients = found.page.locator("#compared .side .facts div:nth-child(2) dd").all_inner_texts()
    assert [text.strip() for text in gradients if text.strip() in ("0", "1")][:2] == ["0", "1"]
    found.shot("compare-1280")


def test_an_answer_leaves_what_is_being_typed(opened: Open) -> None:
    """It came between the letters and the key that ends them, and put its own parameter in their place."""
    found = opened()
    found.goto("#compare")
    found.page.wait_for_selector("#compared .facts")
    held = []
    found.page.route("**/ask/compare", lambda route: held.append(route))
    found.page.select_option("#right", "tic-surrogate")
    while not held:
        found.page.wait_for_timeout(20)
    found.page.fill("#compare-at", "13/20")
    with found.page.expect_response("**/ask/compare"):
        held.pop().continue_()
    found.until("document.querySelector('#compared').textContent.includes('tic-surrogate')")
    assert found.page.input_value("#compare-at") == "13/20"


@pytest.mark.parametrize(("page", "question"), [("evidence", "evidence"), ("lessons", "lessons")])
def test_a_link_to_a_page_reads_it_once(opened: Open, page: str, question: str) -> None:
    """It was read twice, and the second answer folded up again what had been unfolded in the first."""
    found = opened()
    asked: list[str] = []
    found.page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    found.goto(f"#{page}")
    found.until(f"document.querySelector('#page-{page} .card') !== null")
    found.page.wait_for_load_state("networkidle")
    assert asked.count(question) == 1


def test_the_evidence_and_the_text_behind_it(opened: Open) -> None:
    found = opened()
    found.goto("#evidence")
    found.page.wait_for_selector("#claim-A1", timeout=60_000)
    found.page.click("#claim-A1 summary")
    found.page.click("#claim-A1 button:has-text('Admissibility.applied_parameters_in_domain')")
    found.until("document.querySelector('#source-text pre').textContent.includes('Proof.')")
    found.page.keyboard.press("Escape")
    found.page.click("#claim-N1 summary")
    found.shot("evidence-1280")
    found.page.click("#claim-N1 a >> nth=0")
    found.until("!document.getElementById('page-step').hidden")
    found.until("document.getElementById('example').value.startsWith('n1_')")


def test_a_lesson_is_told_and_its_exercise_checked(opened: Open) -> None:
    found = opened()
    found.goto("#lessons")
    found.page.wait_for_selector("#lesson form.exercise", timeout=60_000)
    found.page.click("[data-lesson=budget]")
    found.until("(document.querySelector('#lesson h1')?.textContent || '').includes('cost')")
    found.page.fill("#lesson form.exercise input >> nth=0", "no number")
    found.page.keyboard.press("Enter")
    found.until("document.querySelector('#lesson .judged').textContent.includes('expected')")
    found.shot("lesson-1280")


def test_the_keys_and_the_theme(page: Watched) -> None:
    page.page.keyboard.press("?")
    page.page.wait_for_selector("#keys[open]")
    page.page.keyboard.press("Escape")
    page.page.wait_for_selector("#keys", state="hidden")  # keys are the dialog's until it is closed
    page.page.keyboard.press("3")
    page.page.wait_for_selector("#page-compare:visible")
    page.page.keyboard.press("1")
    page.page.wait_for_selector("#page-step:visible")
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.page.evaluate(colour)
    page.page.click("#theme")
    assert page.page.evaluate(colour) != before


PLACES = {"step": "#step?example=two_paths&at=9", "triangle": "#step?example=triangle&at=9", "oracle": "#oracle",
          "compare": "#compare", "evidence": "#evidence", "lessons": "#lessons"}  # fmt: skip
SMALL_OR_WIDE = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const owner = node.parentElement;
    if (!node.textContent.trim() || !owner.checkVisibility()) continue;
    let size = Number.parseFloat(getComputedStyle(owner).fontSize);
    const svg = owner.closest("svg.picture");
    if (svg) size *= svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (owner.closest("math")) continue;
    if (size < 11.99) found.push(`${size.toFixed(1)}: ${node.textContent.trim().slice(0, 40)}`);
  }
  for (const card of document.querySelectorAll(".card")) {
    const [inner, outer] = [card.getBoundingClientRect(), card.parentElement.getBoundingClientRect()];
    if (inner.right > outer.right + 1) found.push(`a card beyond its column: ${card.className}`);
  }
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push(`wider than the page: ${width}`);
  return found;
}"""


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_fits_and_no_text_is_small(opened: Open, name: str, width: int, dark: bool) -> None:
    found = opened(width, 844, dark)
    found.goto(PLACES[name])
    found.filled()
    found.page.wait_for_timeout(700)
    found.shot(f"{name}-{width}-{'dark' if dark else 'light'}")
    assert found.page.evaluate(SMALL_OR_WIDE) == []


NAMELESS = """() => [...document.querySelectorAll("button, input, select, textarea, a, [role=img]")]
  .filter((part) => part.checkVisibility() && part.type !== "file")
  .filter((part) => !(part.textContent.trim() || part.getAttribute("aria-label") || part.labels?.length || part.title))
  .map((part) => part.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("name", PLACES)
def test_everything_that_acts_has_a_name(opened: Open, name: str) -> None:
    found = opened()
    found.goto(PLACES[name])
    found.filled()
    found.page.wait_for_timeout(700)
    assert found.page.evaluate(NAMELESS) == []


def test_a_person_without_a_mouse_reaches_everything(page: Watched) -> None:
    """Tab goes through the header, the property, the tabs and the transport, each with a visible ring."""
    reached = []
    for _ in range(40):
        page.page.keyboard.press("Tab")
        reached.append(page.page.evaluate("document.activeElement.id"))
    for part in ("example", "share", "property", "scope", "check", "tab-events", "forward", "stop", "scrub"):
        assert part in reached, part
    assert page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
