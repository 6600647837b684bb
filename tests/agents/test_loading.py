"""Loading: found by entry point, imported when named, refused in one sentence."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents.bad_agents import BAD, declare
from agents.use import seat, use
from hanamikoji._jit import agents as _jit_agents
from hanamikoji.agents import list_agents, load_agent
from hanamikoji.errors import PluginError


def refused(agent: str, **options: object) -> str:
    """The sentence with which loading or preparing an agent is refused."""
    with pytest.raises(PluginError) as caught:
        seat(agent, **options)
    sentence = str(caught.value)
    assert sentence.isprintable() and len(sentence) < 1000
    assert caught.value.exit_code == 2
    return sentence


def test_shipped_agents__load_as_any_others() -> None:
    for agent in ("random", "random-move", "greedy"):
        loaded = load_agent(use(agent))
        assert (loaded.kind, loaded.distribution, loaded.shipped) == (
            "compiled",
            "hanamikoji-sim",
            True,
        )


@pytest.mark.usefixtures("bad")
def test_third_partys_agents__load_with_their_options() -> None:
    loaded = load_agent(use("steady-batched", "mine", shift=3))
    assert (loaded.name, loaded.agent, loaded.kind) == ("mine", "steady-batched", "batched")
    assert (loaded.distribution, loaded.version, loaded.shipped) == ("bad-agents", "1.0", False)
    assert loaded.options == {"shift": 3}


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("lost", r"agent 'lost' of bad-agents can't be imported .*nowhere.*"),
        ("nameless", r"agent 'nameless' of bad-agents can't be imported .*Lost.*"),
        ("not-today", r"agent 'not-today' .* can't be imported .*RuntimeError: not today"),
        ("closed", r"agent 'closed' .* can't be imported .*SystemExit: closed"),
        ("not-a-class", r"agent 'not-a-class' is function at .*; it must be a class"),
        ("two-forms", r"agent 'two-forms' must have one of .*; it has act and act_batch"),
        ("no-form", r"agent 'no-form' must have one of .*; it has none of them"),
        ("unprepared", r"agent 'unprepared' failed to prepare .*LookupError: nothing of the kind"),
        ("leaves-early", r"agent 'leaves-early' failed to prepare .*SystemExit: 1"),
        ("needs", r"agent 'needs' needs its option 'depth'"),
    ],
)
def test_bad_agents__are_refused_in_a_sentence(agent: str, sentence: str) -> None:
    assert re.fullmatch(sentence, refused(agent))


@pytest.mark.usefixtures("bad")
def test_unknown_agent__names_those_there_are() -> None:
    sentence = refused("gready")
    assert sentence.startswith("no agent is called 'gready'; it must be one of ")
    assert "greedy" in sentence and "steady-plain" in sentence


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("agent", "options", "sentence"),
    [
        ("steady-plain", {"shfit": 1}, "has no option 'shfit'; .*shift"),
        ("greedy", {"depth": 1}, "has no option 'depth'"),
        ("picky", {"level": 2}, "agent 'picky' can't be made: ValueError: level is 2; it must be"),
        ("needs", {"width": 1}, "agent 'needs' needs its option 'depth'"),
    ],
)
def test_options__that_cannot_be(agent: str, options: dict[str, object], sentence: str) -> None:
    assert re.search(sentence, refused(agent, **options))


@pytest.mark.usefixtures("bad")
def test_options__reach_the_agent() -> None:
    assert load_agent(use("needs", depth=2))._make().depth == 2


def test_two_claims__name_both_distributions(
    bad: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(tmp_path, "other-agents", {"steady-plain": "bad_agents_plugin.good:Plain"})
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert re.search("bad-agents and other-agents both provide .*'steady-plain'",
                     refused("steady-plain"))  # fmt: skip
    assert load_agent(use("steady-batched")).kind == "batched"


def test_one_distribution__listed_twice_is_one_claim(
    bad: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an editable install may be."""
    declare(tmp_path, "bad-agents", {"steady-plain": "bad_agents_plugin.good:Plain"})
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert load_agent(use("steady-plain")).kind == "plain"


def test_only_the_named_agent__is_imported(bad: Path) -> None:
    code = (
        "import sys; from hanamikoji.agents import load_agent; "
        "from hanamikoji.experiment import AgentUse; "
        "load_agent(AgentUse(name='x', agent='steady-plain')); "
        "print('bad_agents_plugin.bad' in sys.modules, 'hanamikoji.agents.greedy' in sys.modules)"
    )
    env_path = {"PYTHONPATH": ":".join([str(bad), *filter(None, sys.path)])}
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env_path, check=True
    )
    assert said.stdout.split() == ["False", "False"]


@pytest.mark.usefixtures("bad")
def test_list__tells_options_and_problems() -> None:
    infos = {info.name: info for info in list_agents()}
    assert list(infos) == sorted(infos) and len(infos) > len(BAD)
    steady, needs, lost = infos["steady-batched"], infos["needs"], infos["lost"]
    assert (steady.kind, steady.version, steady.distribution) == ("batched", "1.0", "bad-agents")
    assert steady.options == {"shift": 0} and steady.summary == "One policy, batched."
    assert needs.options == {"depth": ..., "width": 3}
    assert "can't be imported" in lost.problem and lost.kind == "-"
    assert not infos["greedy"].problem


# --- compiled agents -----------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("kernel-float", "it returns float64, which is no integer"),
        ("kernel-bool", "it returns bool, which is no integer"),
        ("kernel-none", "it returns none, which is no integer"),
        ("kernel-broken", "Unknown attribute 'nonsense' of type array.*"),
        ("kernel-few", r"it takes \(view, tables\)"),
        ("kernel-closure", "it is a closure: .*"),
        ("kernel-builtin", "it is builtin_function_or_method"),
    ],
)
def test_kernels__that_do_not_compile(agent: str, reason: str) -> None:
    assert re.fullmatch(f"agent '{agent}' can't be compiled: .*; {reason}", refused(agent))


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("agent", "what"),
    [
        ("kernel-unprepared", "prepared int; .*Parameters"),
        ("kernel-flat", r"prepared weights that are int16 of shape \(3,\); .*2 dimensions"),
        ("kernel-double", r"prepared numbers that are \[1.0\]; .*float64 with 1 dimension"),
        ("kernel-less", "prepared memory = -1; it must be an integer, 0 or more"),
    ],
)
def test_parameters__of_the_wrong_form(agent: str, what: str) -> None:
    assert re.fullmatch(f"agent '{agent}' {what}", refused(agent))


@pytest.mark.slow
@pytest.mark.jit
def test_cached_kernel__notices_an_edited_helper(tmp_path: Path) -> None:
    """Numba's own cache would serve the old result."""
    package = tmp_path / "edited_plugin"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "kernel.py").write_text(
        "from edited_plugin.helper import pick\n"
        "def kernel(view, tables, weights, numbers, lanes, memory, word):\n    return pick()\n"
        "class Agent:\n    kernel = staticmethod(kernel)\n"
    )
    declare(tmp_path, "edited", {"edited": "edited_plugin.kernel:Agent"})
    code = (
        "from agents.use import *\nfrom hanamikoji.errors import AgentError\n"
        "try: mirror(seat('edited'), 1)\nexcept AgentError as error: print(error)\n"
    )
    paths = [str(tmp_path), str(Path(__file__).parents[1]), *filter(None, sys.path)]
    env = {"PYTHONPATH": ":".join(paths), "HANAMIKOJI_CACHE": str(tmp_path / "cache")}
    for answer in (1_000_001, 1_000_002, 1_000_002):
        (package / "helper.py").write_text(
            f"from hanamikoji.agents.kernels import njit\n@njit\ndef pick():\n    return {answer}\n"
        )
        said = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
        )
        assert f"answered {answer}, which is no legal move" in said.stdout


@pytest.mark.jit
def test_seat__compiles_an_agent_once_for_all_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled stays in memory, so ten thousand cells may not compile it each."""
    first = seat("random")
    monkeypatch.setattr(_jit_agents, "_new_address_of_agent", None)  # would be called to compile
    assert seat("random", "other").address == first.address
