"""report.md: a document as GitHub-flavored Markdown, with charts as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hanamikoji.report.document import Block, Chart, Code, Document, Items, Paragraph, Table
from hanamikoji.text import escape_terminal

# Anywhere in a line these can begin markup; `:` and `www.` do so in links and emoji names.
_MARKUP = re.compile(r"[\\`*\[\]<>|~&$@]|(?<![^\W_])_|_(?![^\W_])|:(?=//|[\w+-]+:)|(?<=\bwww)\.")
_TICKS = re.compile(r"`+")


def escape(text: str) -> str:
    """Text that Markdown renders verbatim, with control characters and line ends as escapes."""
    return _MARKUP.sub(lambda found: "\\" + found.group(), escape_terminal(text))


def _line(text: str) -> str:
    """A whole line: what would make it a heading, a rule or a list is escaped too."""
    escaped = escape(text)
    number = re.match(r"\d+(?=[.)])", escaped)
    if number:
        return f"{number.group()}\\{escaped[number.end() :]}"
    return f"\\{escaped}" if escaped[:1] in ("#", "+", "-", "=") else escaped


def to_markdown(document: Document) -> str:
    """The whole document; its first line is the verdict."""
    lines = [f"**{escape(document.headline)}**", "", f"# {escape(document.title)}", ""]
    for section in document.sections:
        lines += [f"## {escape(section.title)}", ""]
        for block in section.blocks:
            lines += [*_lines(block), ""]
    return "\n".join(lines)


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Chart):
        yield f"**{escape(block.title)}.** {escape(block.text)}"
        yield ""
        yield from _lines(block.table)
    elif isinstance(block, Table):
        if block.rows:
            yield from _table(block)
    elif isinstance(block, Items):
        yield from (f"- {_line(text)}" for text in block.texts)
    elif isinstance(block, Code):
        longest = max((len(ticks) for ticks in _TICKS.findall(block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        yield f"{fence}text"
        yield from (escape_terminal(line) for line in block.text.split("\n"))
        yield fence
    elif isinstance(block, Paragraph):
        yield f"**{escape(block.text)}**" if block.strong else _line(block.text)


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield _line(table.caption)
        yield ""
    yield _row(column.title for column in table.columns)
    yield _bar("---:" if column.number else "---" for column in table.columns)
    yield from (_row(cell.text for cell in row) for row in table.rows)


def _row(texts: Iterator[str]) -> str:
    return _bar(escape(text) for text in texts)


def _bar(texts: Iterator[str]) -> str:
    return f"| {' | '.join(texts)} |"
