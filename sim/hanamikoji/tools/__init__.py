"""Tools around runs: agents checked, ranked and timed; single games played again."""
