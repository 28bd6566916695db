"""The page under strain: numbers that no float holds, changes in haste, a property that would run for ever."""

import pytest

from tests.studio.conftest import Open

pytestmark = pytest.mark.slow


def test_a_property_that_would_run_for_ever_leaves_the_page_alone(opened: Open) -> None:
    """One over a sum of 22 roots is one operation, which looks at no clock: meanwhile everything else answers."""
    page = opened()
    page.goto()
    roots = " + ".join(f"sqrt(theta + {i})" for i in range(2, 24))
    page.page.fill("#property", f"1 / ({roots}) > 0")
    page.page.keyboard.press("Enter")
    page.until("document.getElementById('verdict').textContent.includes('1 s of at most 60 s')")
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("End")
    page.until("document.getElementById('event-title').textContent.startsWith('Stop')")
    page.page.keyboard.press("4")
    page.page.wait_for_selector("#claim-A1", timeout=30_000)
    page.page.keyboard.press("1")
    assert "of at most 60 s" in page.text("#verdict")
    page.page.click("#cancel")
    page.until("document.getElementById('verdict-word') !== null", 30)  # it would be given up after 60
    assert page.text("#verdict-word") == "? undecided"
    assert page.text("#verdict-reason") == "cancelled"


def test_a_change_while_the_one_before_still_runs_builds_on_it(opened: Open) -> None:
    page = opened()
    page.goto()
    page.page.click("#tab-change")
    page.page.fill("#change-inner_steps", "700")
    page.page.keyboard.press("Tab")
    page.page.fill("#change-step_size", "1/9999999")
    page.page.keyboard.press("Tab")
    page.page.fill("#change-epsilon", "1/7")
    page.page.keyboard.press("Tab")
    page.until("document.getElementById('scrub').max > 2000")
    page.until("document.getElementById('change-epsilon').value === '1/7'")
    assert page.page.input_value("#change-step_size") == "1/9999999"
    assert page.page.input_value("#change-inner_steps") == "700"


def test_each_number_of_a_response_stands_under_its_head(opened: Open) -> None:
    page = opened()
    page.goto()
    page.page.keyboard.press("End")
    page.page.keyboard.press("PageUp")
    page.page.keyboard.press("PageUp")
    page.until("document.getElementById('event-title').textContent.startsWith('Gradient attempt 1')")
    lefts = "[...document.querySelectorAll('#responses {}')].map((cell) => Math.round(cell.getBoundingClientRect().x))"
    heads = page.page.evaluate(lefts.format("thead th"))
    assert len(heads) == 8
    assert page.page.evaluate(lefts.format("tbody tr:first-child > *")) == heads


def test_a_false_gradient_that_no_float_holds_is_an_answer(opened: Open) -> None:
    found = opened()
    found.goto("#oracle")
    found.page.wait_for_selector("#gradient-answer")
    found.page.fill("#gradient-answer", "1e5000")
    found.page.keyboard.press("Enter")
    found.until("document.getElementById('page-oracle').textContent.includes('M_U is asked')")
    assert not found.page.is_visible("#trouble")


def test_an_answer_that_is_none_can_be_given_again(opened: Open) -> None:
    """What was refused is not among the answers given: the next one is the first."""
    found = opened()
    found.goto("#oracle")
    found.page.wait_for_selector("#gradient-answer")
    found.page.fill("#gradient-answer", "7" * 401)
    found.page.keyboard.press("Enter")
    found.page.wait_for_selector("#trouble:visible")
    assert "at most 400 characters" in found.text("#trouble")
    found.page.fill("#gradient-answer", "2")
    found.page.keyboard.press("Enter")
    found.page.wait_for_selector("#page-oracle h2:has-text('Is 3/5 in U?')")
    assert not found.page.is_visible("#trouble")


def test_a_text_too_long_for_the_studio_is_told_how_long_it_may_be(opened: Open) -> None:
    found = opened()
    found.goto()
    found.page.click("#tab-text")
    found.page.fill("#text", "#" * 3_000_000)
    found.page.click("#apply-text")
    found.page.wait_for_selector("#trouble:visible")
    assert "expected at most 400000" in found.text("#trouble")
    assert [text for text in found.complaints if "413" not in text] == []
    found.complaints.clear()  # the browser's own line on the refusal


def test_a_witness_opens_as_it_is_after_it_was_changed(opened: Open) -> None:
    found = opened()
    found.goto("#step?example=undefined_gradient")
    found.page.click("#tab-change")
    found.page.fill("#change-epsilon", "1/7")
    found.page.keyboard.press("Tab")
    found.until("document.getElementById('example').value === '' && location.hash.includes('problem=')")
    found.page.evaluate("location.hash = '#step?example=undefined_gradient'")
    found.until("document.getElementById('example').value === 'undefined_gradient'")
    assert found.page.input_value("#change-epsilon") == "1/5"


def test_a_step_that_gets_no_answer_says_so_and_stays(opened: Open) -> None:
    found = opened()
    found.page.route("**/ask/views", lambda route: route.abort())
    found.goto()
    found.page.keyboard.press("End")
    found.page.wait_for_selector("#trouble:visible")
    assert "The studio does not answer" in found.text("#trouble")
    assert found.text("#event-title") == "Start at θ = 1/2"
    found.page.unroute("**/ask/views")
    found.page.keyboard.press("ArrowRight")
    found.until("document.getElementById('event-title').textContent.startsWith('Outer iteration 1')")
    assert not found.page.is_visible("#trouble")
    assert [text for text in found.complaints if "ERR_FAILED" not in text] == []
    found.complaints.clear()  # the browser's own lines on what did not come


def test_an_address_before_the_first_event_is_the_first_event(opened: Open) -> None:
    found = opened()
    found.goto("#step?at=-5")
    assert found.text("#event-title") == "Start at θ = 1/2"
