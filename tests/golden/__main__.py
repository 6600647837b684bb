"""Write the golden playthroughs anew: ``PYTHONPATH=tests python -m golden``; then read the diff."""

from golden.games import FOLDER, GAMES, render

for name in GAMES:
    (FOLDER / f"{name}.txt").write_text(render(name), encoding="utf-8")
