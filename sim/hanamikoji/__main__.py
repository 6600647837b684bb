"""``python -m hanamikoji`` is the command ``hanamikoji``."""

from hanamikoji.cli import main

if __name__ == "__main__":
    main()
