"""The public library: what ``import hanamikoji`` offers, and what the command line is written on.

A module for each subject; `hanamikoji` itself lists the public names and imports them when they
are first used.
"""
