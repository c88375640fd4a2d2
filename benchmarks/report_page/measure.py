#!/usr/bin/env python3
"""Measures the size of the page of `crescendo report`, and how soon it is ready and responds in a browser.

usage: "$(scripts/install.sh python)" benchmarks/report_page/measure.py build/default/bin/crescendo

Needs what `scripts/install.sh browser` installs. tests/report/virtual_sweep.py makes the sweeps.
"""
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests/report"), str(Path(__file__).resolve().parents[1])]
import usage  # noqa: E402, F401
import virtual_sweep  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

SIZES = {3: 2, 300: 32, 1000: 64, 10_000: 256}  # trials: slots
WIDTHS = (400, 1600)

# Presses keys and changes a filter, and waits for the next frame each time. Returns the longest wait, in seconds.
SLOWEST_ANSWER = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const filter = document.querySelector('.filters select');
  const actions = [
    ...['b', 'ArrowRight', 'Escape'].map((key) => () =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))),
    () => { filter.selectedIndex = 1; filter.dispatchEvent(new Event('change')); },
  ];
  let slowest = 0;
  for (const act of actions) {
    const begin = performance.now();
    act();
    await frame();
    slowest = Math.max(slowest, performance.now() - begin);
  }
  return slowest / 1000;
}"""


def main(crescendo):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        print("trials  written, s     MB  width  ready, s  answer, s")
        for trials, slots in SIZES.items():
            sweep, out = folder / f"of{trials}", folder / f"{trials}.html"
            options = virtual_sweep.options([crescendo, str(trials), "--trials", str(trials), "--slots", str(slots)])
            virtual_sweep.make(crescendo, sweep, options)
            begin = time.monotonic()
            subprocess.run([crescendo, "report", sweep, "--out", out], check=True, stdout=subprocess.DEVNULL)
            written = time.monotonic() - begin
            for width in WIDTHS:
                page = browser.new_page(viewport={"width": width, "height": 900})
                begin = time.monotonic()
                page.goto(out.as_uri())
                page.wait_for_selector("html[data-ready]")
                ready = time.monotonic() - begin
                answer = page.evaluate(SLOWEST_ANSWER)
                print(f"{trials:6}  {written:10.1f}  {out.stat().st_size / 1e6:5.2f}  {width:5}  {ready:8.2f}  "
                      f"{answer:9.2f}", flush=True)
                page.close()
        browser.close()


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
