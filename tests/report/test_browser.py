"""report.html in a real browser: nothing fails, nothing leaves the file, everything is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hanamikoji.report.page import to_html
from hanamikoji.report.sections import build_document
from report.made_up import HOSTILE, made_up

_CHROMIUM = shutil.which("chromium")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

pytestmark = [
    pytest.mark.skipif(_CHROMIUM is None, reason="there is no chromium (apt-get install chromium)"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:playwright"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="there is no playwright (pip install playwright)"
    )
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=_CHROMIUM, args=list(_FLAGS))
        yield launched
        launched.close()


_LONG = "a-variant-with-a-name-as-a-sweep-makes-them"
_NAMES = {
    "ordinary": (),
    "hostile": (HOSTILE[:3], HOSTILE[3:6]),
    "long": ((f"{_LONG}-1", f"{_LONG}-2"), ("random", f"an agent like {_LONG}", "z")),
}


@pytest.fixture(scope="module", params=list(_NAMES))
def page_file(request, tmp_path_factory) -> Path:
    names = _NAMES[request.param]
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(to_html(build_document(*made_up(*names))), encoding="utf-8")
    return path


class Opened:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Any, path: Path, width: int, scheme: str) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_page__opens_quietly_and_is_drawn(browser, page_file, width, scheme):
    opened = Opened(browser, page_file, width, scheme)
    page = opened.page
    assert opened.said == []
    assert opened.asked == [page_file.as_uri()]
    boxes = page.evaluate(
        """[...document.querySelectorAll('svg')].map(svg => ({
            box: svg.getBoundingClientRect().toJSON(),
            marks: [...svg.querySelectorAll('.role-mark path, .role-mark line, .role-mark rect')]
                .map(mark => mark.getBoundingClientRect())
                .filter(box => box.width + box.height > 0).length,
        }))"""
    )
    assert len(boxes) >= 9
    for found in boxes:
        assert found["marks"] > 0
        assert 250 < found["box"]["width"] <= width
        assert found["box"]["height"] > 50
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_page__light_and_dark_differ_and_are_legible(browser, page_file):
    contrast = """() => {
        const light = (colour) => {
            const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
                .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const paper = light(getComputedStyle(document.body).backgroundColor);
        const ratio = (style) => {
            const ink = light(style);
            return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
        };
        const texts = [...document.querySelectorAll('p, td, th button, a, .role-axis-label text')];
        const of = (e) => e instanceof SVGElement
            ? getComputedStyle(e).fill : getComputedStyle(e).color;
        return {paper, least: Math.min(...texts.map(e => ratio(of(e))))};
    }"""
    found = {}
    for scheme in ("light", "dark"):
        opened = Opened(browser, page_file, 1280, scheme)
        found[scheme] = opened.page.evaluate(contrast)
        opened.page.close()
    assert found["light"]["paper"] > 0.9
    assert found["dark"]["paper"] < 0.05
    assert min(scheme["least"] for scheme in found.values()) >= 4.5


def test_page__a_click_on_a_heading_sorts_its_table(browser, page_file):
    opened = Opened(browser, page_file, 1280, "light")
    opened.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    table = opened.page.locator("#starter-and-second ~ div table").first
    scores = "rows => rows.map(row => Number(row.cells[2].dataset.key))"
    button = table.locator("th button").nth(2)
    button.click()
    rising = table.locator("tbody tr").evaluate_all(scores)
    button.click()
    falling = table.locator("tbody tr").evaluate_all(scores)
    assert rising == sorted(rising)
    assert falling == rising[::-1]
    assert len(set(rising)) > 3
    assert opened.said == []
    opened.page.close()


def test_page__prints_with_nothing_folded_away(browser, page_file):
    opened = Opened(browser, page_file, 1280, "dark")
    page = opened.page
    assert page.locator("details:not([open])").count() > 0
    assert len(page.pdf()) > 10_000
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    page.close()
