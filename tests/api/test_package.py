"""``import hanamikoji``: light, complete, and documented by examples that run."""

from __future__ import annotations

import doctest
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import hanamikoji
from hanamikoji.errors import HanamikojiError

HEAVY = ("numba", "numpy", "polars", "pyarrow", "pydantic", "scipy", "altair", "tqdm", "typer")
PUBLIC = [name for name in hanamikoji.__all__ if name != "__version__"]


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, HanamikojiError)


DOCUMENTED = [
    name
    for name in PUBLIC
    if callable(getattr(hanamikoji, name)) and not _is_error(getattr(hanamikoji, name))
]
"""Functions and classes; the errors share one example, and `PRESETS` has no docstring."""


def _in_another_process(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_import__is_light() -> None:
    code = "import hanamikoji, json, sys; print(json.dumps(sorted(sys.modules)))"
    modules = _in_another_process(code)
    assert not set(HEAVY) & set(modules)
    ours = [name for name in modules if name.startswith("hanamikoji")]
    assert ours == ["hanamikoji", "hanamikoji._version"]


@pytest.mark.parametrize("first", ["run", "rules"])
def test_run_and_rules__are_functions_whatever_is_imported_before(first: str) -> None:
    code = (
        f"import json, hanamikoji.{first}, hanamikoji\n"
        "from hanamikoji.rules import Rules\nfrom hanamikoji.run import Options\n"
        "print(json.dumps([type(hanamikoji.run).__name__, type(hanamikoji.rules).__name__]))"
    )
    assert _in_another_process(code) == ["function", "function"]


def test_names__are_all_there_and_no_others() -> None:
    assert sorted(hanamikoji.__all__) == sorted(["__version__", *hanamikoji._HOME])
    assert set(hanamikoji.__all__) <= set(dir(hanamikoji))
    with pytest.raises(AttributeError, match="has no attribute 'nowhere'"):
        hanamikoji.nowhere  # noqa: B018
    errors = {name for name in PUBLIC if _is_error(getattr(hanamikoji, name))}
    family = {kind.__name__ for kind in HanamikojiError.__subclasses__()}
    assert errors == {"HanamikojiError", *family}


@pytest.mark.jit
@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstring__has_an_example_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    value = getattr(hanamikoji, name)
    assert inspect.getdoc(value)
    if ">>>" not in (value.__doc__ or ""):
        assert isinstance(value, type), f"{name} has no example"
        return
    finder = doctest.DocTestFinder(recurse=False)
    nowhereer = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in finder.find(value, name, globs=vars(inspect.getmodule(value)).copy()):
        nowhereer.run(example)
    assert nowhereer.tries > 0
    assert nowhereer.failures == 0


@pytest.mark.jit
def test_readme__example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    names: dict[str, object] = {}
    exec(readme.partition("```python\n")[2].partition("```")[0], names)
    assert isinstance(names["results"], hanamikoji.Results)
