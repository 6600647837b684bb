from __future__ import annotations

from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from hanamikoji.report.columns import table, text
from hanamikoji.report.document import (
    Code,
    Document,
    Items,
    Paragraph,
    Section,
)
from hanamikoji.report.markdown import escape, to_markdown
from hanamikoji.report.sections import build_document
from hanamikoji.text import escape_terminal
from report.made_up import HOSTILE, made_up

MORE = (
    "# heading",
    "- item",
    "+ item",
    "1. item",
    "12) item",
    "> quote",
    "===",
    "---",
    "    code",
    "[link](https://example.org)",
    "![image](x)",
    "**bold** __bold__ ***both*** ~~gone~~",
    "back\\slash \\* end\\",
    "`code` ``code`` ```",
    "<!-- gone --> &amp; &copy;",
    "| a | b |",
    "snake_case_name",
)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def read(markdown: str) -> _Text:
    parsed = _Text()
    parsed.feed(
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    )
    return parsed


@pytest.mark.parametrize("name", HOSTILE + MORE)
def test_escape__a_reader_sees_the_name_as_typed(name):
    document = Document(
        "title",
        "headline",
        "none",
        (
            Section(
                "section",
                (
                    Paragraph(name),
                    Items((name,)),
                    table([name, f"x {name} y"], [text("name", str)]),
                    Code(name),
                ),
            ),
        ),
    )
    seen = read(to_markdown(document))
    assert (
        seen.text.count(" ".join(escape_terminal(name).split()))
        + seen.text.count(escape_terminal(name))
        >= 4
    )
    assert set(seen.tags) == {
        *("p", "strong", "h1", "h2", "ul", "li", "pre", "code"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }


@pytest.mark.parametrize("name", ["https://example.org", "www.example.org", "a@example.org"])
def test_escape__breaks_what_github_would_link(name):
    assert name not in escape(name)


def test_to_markdown__hostile_names_everywhere_add_no_markup():
    ordinary = read(to_markdown(build_document(*made_up(("a", "b"), ("c", "d")))))
    hostile = read(to_markdown(build_document(*made_up(HOSTILE[:2], HOSTILE[2:4]))))
    assert set(hostile.tags) == set(ordinary.tags)
    assert not {"script", "img", "a", "em", "del"} & set(hostile.tags)
    for name in HOSTILE[:4]:
        assert escape_terminal(name) in hostile.text


def test_to_markdown__first_line_is_the_verdict():
    first = to_markdown(build_document(*made_up())).splitlines()[0]
    assert first.startswith("**Undecided at the level of learned: base (")
    assert first.endswith("Margin ±1 pp.**")


def test_to_markdown__tables_are_whole():
    seen = read(to_markdown(build_document(*made_up())))
    assert seen.tags.count("table") > 10


def test_to_markdown__code_can_hold_a_fence():
    code = "before\n```\n# after\n`````"
    seen = read(
        to_markdown(Document("t", "h", "none", (Section("s", (Code(code), Paragraph("end"))),)))
    )
    assert code in seen.text
    assert seen.tags == ["p", "strong", "h1", "h2", "pre", "code", "p"]
