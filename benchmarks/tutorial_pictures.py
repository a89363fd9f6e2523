"""Make the pictures of docs/tutorial.md by running it.

Usage: python benchmarks/tutorial_pictures.py   (needs 'ncbench[browser,report]' and Chromium)
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT = 900, 1130


def run(page: str) -> tuple[dict[str, float], tuple[float, ...]]:
    """Run the blocks of the page here; return its losses, and the estimate with its interval."""
    names: dict = {}
    estimate: tuple[float, ...] = ()
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        if language == "python":
            with redirect_stdout(io.StringIO()) as said:
                exec(text, names)
            print(said.getvalue(), end="")
        elif not language:
            for command in text.strip().splitlines():
                words = [sys.executable, *command.split()[1:]]
                done = subprocess.run(words, check=True, capture_output=True, text=True)
                print(f"$ {command}\n{done.stdout}")
                found = re.search(r"loss ([\d.]+), 90% interval ([\d.]+) to ([\d.]+)", done.stdout)
                estimate = tuple(map(float, found.groups())) if found else estimate
    return names["losses"], estimate


def screenshot(out: Path) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(Path("diagnosis.html").absolute().as_uri())
        page.screenshot(path=str(out))
        browser.close()
    with Image.open(out) as image:
        image.convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(out, optimize=True)


def bars(losses: dict[str, float], estimate: tuple[float, ...], out: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 2.2), layout="constrained")
    axes = figure.add_subplot()
    titles = {
        "plain": "logistic regression",
        "balanced": 'logistic regression,\nclass_weight="balanced"',
        "ncbench": "ncbench",
    }
    for place, (name, title) in enumerate(reversed(titles.items())):
        axes.barh(place, losses[name], color="#0072b2" if name == "ncbench" else "#b0b7bf")
        axes.text(losses[name] + 0.004, place + 0.18, f"{losses[name]:.3f}", va="center")
        axes.text(-0.004, place, title, ha="right", va="center")
    loss, low, high = estimate
    axes.errorbar(loss, 0, xerr=[[loss - low], [high - loss]], fmt="o", color="#d55e00", capsize=3)
    axes.set(yticks=[], xlim=(0, 0.3), xlabel="G-mean loss on true labels; orange: as estimated")
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None})


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        losses, estimate = run((DOCS / "tutorial.md").read_text())
        screenshot(DOCS / "figures" / "tutorial_diagnosis.png")
        bars(losses, estimate, DOCS / "figures" / "tutorial_losses.svg")
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
