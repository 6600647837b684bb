"""The command line: parse, call, print. Heavy imports stay inside the commands."""

from hanamikoji.cli.app import app, main

__all__ = ["app", "main"]
