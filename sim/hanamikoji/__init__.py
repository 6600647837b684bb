"""Balance-testing for rule variants of the card game Hanamikoji."""

from hanamikoji._version import __version__

__all__ = ["__version__"]
