"""Plugin loading: agents by entry point, shipped or not, imported only when named."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

from hanamikoji.agents.messages import describe_exception, describe_numba_error, printable
from hanamikoji.errors import HanamikojiError, PluginError
from hanamikoji.rules.sentences import nearest, show

if TYPE_CHECKING:
    from hanamikoji.engine.seat import CompiledSeat, Game, Parameters, Seat
    from hanamikoji.experiment import AgentUse
    from hanamikoji.rules import Rules

GROUP = "hanamikoji.agents"

Kind = Literal["plain", "batched", "compiled"]
_FORMS: dict[str, Kind] = {"act": "plain", "act_batch": "batched", "kernel": "compiled"}
_OURS = "hanamikoji-sim"
_C_FUNCTION = ctypes.CFUNCTYPE(None).__mro__[1]  # what all of ctypes' functions are


@dataclass(frozen=True)
class LoadedAgent:
    """An agent as an experiment uses it, imported and checked, not yet prepared for any rules."""

    name: str
    agent: str
    kind: Kind
    distribution: str
    version: str
    options: Mapping[str, Any]
    _class: type = field(repr=False)

    @property
    def shipped(self) -> bool:
        """Whether it comes with this package."""
        return self.distribution == _OURS

    def seat(self, game: Game) -> Seat:
        """The agent, ready to play under these rules; compiled or trained if need be.

        Raises:
            PluginError: it can't be made, prepared or compiled.
        """
        from hanamikoji.agents.asked import BatchedSeat, PlainSeat

        agent = self._make()
        prepared = self._prepare(agent, game)
        if self.kind == "compiled":
            return self._compile(agent, prepared)
        if self.kind == "batched":
            return BatchedSeat(self.name, agent)
        return PlainSeat(self.name, agent, game)

    def training(self, rules: Rules) -> int:
        """Rounds of self-play that it must be trained for before it can play these rules."""
        return int(self._make().training(rules)) if hasattr(self._class, "training") else 0

    def train(self, rules: Rules, tell: Callable[[int], None] | None = None) -> None:
        """Train it for these rules; ``tell`` is called now and then with the rounds played."""
        self._make().train(rules, tell)

    def facts(self, rules: Rules) -> dict[str, Any]:
        """What a manifest records of it under these rules, such as the hash of its weights."""
        return dict(self._make().facts(rules)) if hasattr(self._class, "facts") else {}

    def _make(self) -> Any:
        try:
            return self._class(**self.options)
        except HanamikojiError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"agent '{self.name}' can't be made: {describe_exception(error)}"
            ) from error

    def _prepare(self, agent: Any, game: Game) -> Any:
        if not hasattr(agent, "prepare"):
            return None
        try:
            return agent.prepare(game)
        except HanamikojiError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"agent '{self.name}' failed to prepare for the rules {game.rules.hash}: "
                f"{describe_exception(error)}"
            ) from error

    def _compile(self, agent: Any, prepared: Any) -> CompiledSeat:
        from hanamikoji._jit import address_of_agent, address_of_c
        from hanamikoji.engine.seat import CompiledSeat, Parameters
        from hanamikoji.moves.index import VIEW_SIZE

        if prepared is None:
            prepared = Parameters()
        if not isinstance(prepared, Parameters):
            raise PluginError(
                f"agent '{self.name}' prepared {type(prepared).__name__}; a compiled agent's "
                "prepare returns hanamikoji.agents.Parameters"
            )
        _check_parameters(self.name, prepared)
        function = agent.kernel
        try:
            if isinstance(function, _C_FUNCTION):
                return CompiledSeat(self.name, address_of_c(function), prepared)
            _check_signature(function)
            address = address_of_agent(function, _source_key(function), VIEW_SIZE)
        except Exception as error:
            raise PluginError(
                f"agent '{self.name}' can't be compiled: its kernel must be a plain function "
                f"({', '.join(_ARGUMENTS)}) that Numba accepts; {describe_numba_error(error)}"
            ) from error
        return CompiledSeat(self.name, address, prepared)


def _check_parameters(name: str, parameters: Parameters) -> None:
    for key, kind, dimensions in (("weights", "int16", 2), ("numbers", "float64", 1)):
        array = getattr(parameters, key)
        if getattr(array, "dtype", None) != kind or array.ndim != dimensions:
            found = f"{array.dtype} of shape {array.shape}" if hasattr(array, "shape") else array
            raise PluginError(
                f"agent '{name}' prepared {key} that are {printable(str(found))}; they must be "
                f"an array of {kind} with {dimensions} dimension{'s' * (dimensions > 1)}"
            )
    for key in ("lanes", "memory"):
        number = getattr(parameters, key)
        if not isinstance(number, int) or not 0 <= number < 2**40:
            raise PluginError(
                f"agent '{name}' prepared {key} = {printable(str(number))}; it must be an "
                "integer, 0 or more"
            )


_ARGUMENTS = ("view", "tables", "weights", "numbers", "lanes", "memory", "word")


def _check_signature(function: Any) -> None:
    """Refuse what Numba would reject with a page of text, and what the cache can't tell apart.

    Compiled code is cached under its sources, which don't show what a closure has captured.
    """
    if not isinstance(function, FunctionType):
        raise TypeError(f"it is {type(function).__name__}")
    if function.__closure__:
        raise TypeError("it is a closure: pass values through prepare's Parameters")
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(_ARGUMENTS):
        raise TypeError(f"it takes ({', '.join(names)})")


@functools.cache
def _source_key(function: Any) -> str:
    """Hash of a kernel's name and of all sources of the package it comes from."""
    digest = hashlib.sha256(f"{function.__module__}.{function.__qualname__}".encode())
    source = Path(inspect.getfile(function))
    package = import_module(function.__module__.partition(".")[0])
    if package.__name__ != "hanamikoji" and getattr(package, "__path__", None):
        sources = sorted(path for root in package.__path__ for path in Path(root).rglob("*.py"))
    else:
        sources = [source]
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _entries() -> dict[str, list[EntryPoint]]:
    return _entries_on(tuple(sys.path))


@functools.lru_cache(maxsize=2)
def _entries_on(_path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """The entry points found on this path.

    Cached: a search takes milliseconds, and a run of ten thousand cells would repeat it for each.
    """
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        known = found.setdefault(entry.name, [])
        # An editable install may be listed twice; the same claim of the same distribution is one.
        if all(_distribution(entry) != _distribution(other) for other in known):
            known.append(entry)
    return found


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist else ("unknown", "0")


def _find(agent: str) -> EntryPoint:
    entries = _entries()
    if agent not in entries:
        raise PluginError(
            f"no agent is called {show(agent)}; it must be one of {', '.join(sorted(entries))}"
        )
    claims = entries[agent]
    if len(claims) > 1:
        names = " and ".join(sorted(_distribution(entry)[0] for entry in claims))
        raise PluginError(
            f"the distributions {names} both provide an agent called '{agent}'; uninstall one"
        )
    return claims[0]


def _import(entry: EntryPoint) -> type:
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"agent '{entry.name}' of {_distribution(entry)[0]} can't be imported from "
            f"{entry.value}: {describe_exception(error)}"
        ) from error
    if not isinstance(found, type):
        raise PluginError(
            f"agent '{entry.name}' is {type(found).__name__} at {entry.value}; it must be a class"
        )
    return found


def _kind_of(name: str, agent: type) -> Kind:
    forms = [form for form in _FORMS if callable(getattr(agent, form, None))]
    if len(forms) != 1:
        has = " and ".join(forms) or "none of them"
        raise PluginError(f"agent '{name}' must have one of act, act_batch or kernel; it has {has}")
    return _FORMS[forms[0]]


def options_of(agent: type) -> dict[str, Any]:
    """The options of an agent's class and their defaults (``...`` for a required one)."""
    if agent.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    return {
        name: ... if parameter.default is parameter.empty else parameter.default
        for name, parameter in inspect.signature(agent).parameters.items()
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }


def load_agent(use: AgentUse) -> LoadedAgent:
    """Import the agent that an experiment names, and check its form and options.

    Raises:
        PluginError: it is unknown, claimed twice, can't be imported, or has no such option.
    """
    entry = _find(use.agent)
    found = _import(entry)
    known = options_of(found)
    for option in use.options:
        if option not in known:
            raise PluginError(
                f"agent '{use.agent}' has no option {show(option)}; {nearest(option, known)}"
            )
    for option, default in known.items():
        if default is ... and option not in use.options:
            raise PluginError(f"agent '{use.agent}' needs its option '{option}'")
    distribution, version = _distribution(entry)
    kind = _kind_of(use.agent, found)
    loaded = LoadedAgent(use.name, use.agent, kind, distribution, version, dict(use.options), found)
    loaded._make()  # an option's bad value is refused before anything runs
    return loaded


@dataclass(frozen=True)
class AgentInfo:
    """An installed agent, for a list; ``problem`` is why it can't be used, empty if it can."""

    name: str
    kind: str
    version: str
    distribution: str
    options: Mapping[str, Any]
    summary: str
    problem: str = ""


def list_agents() -> list[AgentInfo]:
    """The installed agents by name; ``problem`` is why one can't be used.

    >>> import hanamikoji
    >>> {"random", "greedy"} <= {agent.name for agent in hanamikoji.list_agents()}
    True
    """
    infos = []
    for name in sorted(_entries()):
        try:
            entry = _find(name)
            found = _import(entry)
            kind = _kind_of(name, found)
        except PluginError as error:
            infos.append(AgentInfo(name, "-", "-", "-", {}, "", str(error)))
            continue
        distribution, version = _distribution(entry)
        summary = (inspect.getdoc(found) or "").partition("\n")[0]
        infos.append(AgentInfo(name, kind, version, distribution, options_of(found), summary))
    return infos
