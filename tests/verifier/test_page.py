"""The report as a page: one file, well-formed, everything escaped, nothing fetched."""

from html.parser import HTMLParser
from pathlib import Path

from grpocheck.contracts.claims import Claim, Kind
from grpocheck.contracts.coverage import Coverage, Gap
from grpocheck.proofs.evidence import held, not_run, refuted, undecided
from grpocheck.verifier.evidence.page import page
from grpocheck.verifier.evidence.report import ClaimReport, Report, Row
from grpocheck.verifier.evidence.summary import summary

WITHOUT_END = ("meta", "br", "link", "img")


class Tags(HTMLParser):
    """Which elements are open, and which text and attributes there are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def undecided_example() -> Report:
    claim = Claim("B4", "KL >= 0", "[000]", {Kind.SYMBOLIC: 2})
    rows = (
        Row("m:two", Kind.SYMBOLIC, "n = 2", held(paths=4), 0.2),
        Row("m:eight", Kind.SYMBOLIC, "n = 8", undecided("1 of 5 paths were left open", paths=5), 2.7),
    )
    return Report("9.9", (ClaimReport(claim, rows),), None, 3.0)


def example() -> Report:
    claim = Claim("A1", "theta < upper & theta > lower", "[000]", {Kind.ENUMERATION: 2, Kind.PROOF: 1})
    rows = (
        Row("m:cases", Kind.ENUMERATION, "rho < 2", held(cases=7), 1.25),
        Row("m:proof", Kind.PROOF, "every size", not_run("no <Coq>", "make proofs-setup"), 0.0),
    )
    witness = ClaimReport(
        Claim("N1", "F never falls", "[000]", {}), (Row("m:w", Kind.WITNESS, "one", refuted("F < 0", steps=1), 0.5),)
    )
    gap = Gap(Path("core/x.py"), 3, "f<T>", "no postcondition")
    return Report("9.9", (ClaimReport(claim, rows), witness), Coverage(5, 4, (gap,), ()), 3.0)


def test_the_page_is_well_formed_and_says_everything() -> None:
    tags = Tags()
    tags.feed(page(example()))
    assert tags.open == []
    for words in (
        "theta < upper & theta > lower",
        "rho < 2; 7 cases; 1.2 s",
        "no <Coq>",
        "make proofs-setup",
        "F < 0",
        "f<T>: no postcondition",
        "A1: 1 of 2 pieces of enumeration evidence held",
        "NOT ok",
    ):
        assert words in tags.text


def test_the_page_fetches_nothing() -> None:
    tags = Tags()
    tags.feed(page(example()))
    assert not [value for name, value in tags.attributes if name in ("src", "href")]


def test_the_summary_says_the_same() -> None:
    shown = " ".join(summary(example(), Path("verify.json")).split())
    for words in (
        "4 of 5 functions",
        "core/x.py:3 f<T>: no postcondition",
        "A1 held, 1 lost enumeration rho < 2 (7 cases)",
        "N1 refuted F < 0",
        "not run: m:proof: no <Coq>; to enable it: make proofs-setup",
        "lost: A1: 1 of 2 pieces of enumeration evidence held",
        "NOT ok",
    ):
        assert words in shown


def test_what_is_undecided_is_not_called_lost_and_the_last_line_says_what_to_do() -> None:
    shown = " ".join(summary(undecided_example(), Path("verify.json")).split())
    last = shown.split("report: verify.json")[-1]
    assert "B4 held, 1 undecided symbolic" in shown
    assert "undecided: B4: 1 of 2 pieces of symbolic evidence held: m:eight: 1 of 5 paths were left open" in shown
    assert "1 lost" not in shown
    assert "undecided in its budget; run it again: grpocheck verify B4 (what is decided is in the cache" in last
    assert "run it again: grpocheck verify B4" in page(undecided_example())
