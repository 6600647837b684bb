"""What the package's code keeps to, read off its syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import hanamikoji

PACKAGE = Path(hanamikoji.__file__).parent
MOST_PARAMETERS = 8
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST, method: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """All functions of a tree, nested ones too, and whether each is a method with a self."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _FUNCTIONS):
            decorators = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            yield node, method and "staticmethod" not in decorators
        yield from functions(node, isinstance(node, ast.ClassDef))


def crowded(source: str, most: int = MOST_PARAMETERS) -> dict[str, int]:
    """Functions that take more positional parameters (self apart), and how many they take."""
    found = {}
    for node, is_method in functions(ast.parse(source)):
        arguments = node.args  # type: ignore[attr-defined]
        n = len(arguments.posonlyargs) + len(arguments.args) - is_method
        if n > most:
            found[node.name] = n  # type: ignore[attr-defined]
    return found


def test_crowded__counts_positional_parameters() -> None:
    source = """
def few(a, b, /, c, *, d, e): ...
def many(a, b, /, c, d=1): ...
class C:
    def method(self, a, b, c): ...
    @staticmethod
    def static(a, b, c, d):
        def inner(a, b, c, d, e): ...
"""
    assert crowded(source, 3) == {"many": 4, "static": 4, "inner": 5}


def test_functions__take_at_most_eight_positional_parameters() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}:{name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in crowded(path.read_text("utf-8"))
    }
    assert found == set()
