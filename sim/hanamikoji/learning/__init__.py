"""Agents that learn: a network trained by self-play, search on top of it, and attacks on both."""
