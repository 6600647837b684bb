from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from hanamikoji.report.page import to_html
from hanamikoji.report.sections import build_document
from hanamikoji.text import escape_terminal
from report.made_up import HOSTILE, made_up

_LINKS = ("href", "src", "action", "xlink:href", "srcset", "data", "poster", "background")


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style", "svg"} & set(self._open):
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def ordinary() -> str:
    return to_html(build_document(*made_up()))


@pytest.fixture(scope="module")
def hostile() -> str:
    return to_html(build_document(*made_up(HOSTILE[:4], HOSTILE[4:])))


def test_page__first_text_is_the_verdict(ordinary):
    body = ordinary[ordinary.index("<body>") :]
    first = next(text for text in _Page(body).text if text.strip())
    assert first.startswith("Undecided at the level of learned: base (")
    assert first.endswith("Margin ±1 pp.")


def test_page__hostile_names_are_text(hostile):
    page = _Page(hostile)
    for name in HOSTILE:
        assert any(escape_terminal(name) in text for text in page.text), name
    assert len(page.named("script")) == 1
    assert not page.named("img")
    assert not [a for _, attrs in page.elements for a in attrs if a.startswith("on")]


def test_page__hostile_names_add_no_elements(hostile):
    known = {
        tag
        for tag, _ in _Page(
            to_html(build_document(*made_up(("k", "l", "m", "n"), ("o", "p", "q", "r", "s"))))
        ).elements
    }
    assert {tag for tag, _ in _Page(hostile).elements} <= known


@pytest.mark.parametrize("which", ["ordinary", "hostile"])
def test_page__refers_to_nothing_outside(which, request):
    page = _Page(request.getfixturevalue(which))
    links = [v for _, attrs in page.elements for a, v in attrs.items() if a in _LINKS]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\(|@import", request.getfixturevalue(which))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in links} <= set(ids)


def test_page__policy_allows_its_own_script_only(ordinary):
    (policy,) = (
        a["content"] for a in _Page(ordinary).named("meta") if a.get("http-equiv") is not None
    )
    assert policy.startswith("default-src 'none'; ")
    assert "script-src 'sha256-" in policy
    assert "unsafe-eval" not in policy


def test_page__charts_have_text_alternatives_and_no_fixed_colours(ordinary):
    charts = _Page(ordinary).named("svg")
    assert len(charts) >= 9
    for chart in charts:
        assert chart["role"] == "img"
        assert len(chart["aria-label"]) > 20
    svg = "".join(re.findall(r"<svg.*?</svg>", ordinary, re.DOTALL))
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
    assert all(c.startswith("var(--") or c in ("none", "transparent") for c in colours), colours


def test_page__is_small_with_hundreds_of_cells():
    data = made_up(tuple(f"a-variant-of-a-sweep-{i}" for i in range(400)), ("random",), 20)
    assert len(data[0].cells) == 400
    assert len(to_html(build_document(*data)).encode()) < 3_000_000


def test_page__a_table_can_be_sorted_by_its_figures(ordinary):
    page = _Page(ordinary)
    assert page.named("button")
    keys = [a["data-key"] for a in page.named("td") if "data-key" in a]
    assert len(keys) > 100
    assert all(float(key) == float(key) for key in keys)
