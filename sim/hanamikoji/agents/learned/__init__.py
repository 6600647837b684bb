"""The learned agent: a small network that trains itself by self-play on any rules."""
