#!/usr/bin/env python3
"""Makes the pictures in docs/images/ for docs/reports.md and README.md.

usage: "$(scripts/install.sh python)" scripts/pictures.py build/default/bin/crescendo

Needs what `scripts/install.sh browser` installs, and `pip install pillow`, to make the pictures small.

tests/report/virtual_sweep.py makes the sweeps: Crescendo decides about training that is only a formula.
"""
import fcntl
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/report"))
import virtual_sweep  # noqa: E402

IMAGES = ROOT / "docs/images"


def report(crescendo, folder, *names):
    page = folder / ("-".join(names) + ".html")
    subprocess.run([crescendo, "report", *names, "--out", page], cwd=folder, check=True)
    return page


def save(name, png):
    """Reduces the colours: a picture needs a third of the bytes, and looks the same."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture = picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    picture.save(IMAGES / f"{name}.png", optimize=True)


def settled(browser, page, width, height, scale=1.25):
    view = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
    view.goto(page.as_uri())
    view.wait_for_selector("html[data-ready]")
    return view


def clip_of(view, first, last, width):
    """Takes a picture of the page from one element to another. Charts draw once they come into view."""
    for name in (first, last):
        view.locator(name).scroll_into_view_if_needed()
    view.wait_for_timeout(500)
    boxes = [view.locator(name).bounding_box() for name in (first, last)]
    top, bottom = boxes[0]["y"], boxes[1]["y"] + boxes[1]["height"] + 8
    clip = {"x": 0, "y": top + view.evaluate("scrollY"), "width": width, "height": bottom - top}
    return view.screenshot(full_page=True, clip=clip)


def save_live(crescendo, browser, sweep):
    """The page that `top --web` serves in mid-sweep, just after a record. The holder of a sweep's lock runs it."""
    path = sweep / "journal.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records = records[:len(records) * 4 // 5]
    age = time.time() - records[-1]["time"]
    journal = virtual_sweep.Journal(path)
    for record in records:
        del record["n"], record["crc"]
        if "time" in record:
            record["time"] += age
        journal.add(record)
    journal.file.close()
    lock = (sweep / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    top = subprocess.Popen([crescendo, "top", sweep.name, "--web"], cwd=sweep.parent, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE)
    try:
        page = browser.new_page(viewport={"width": 1300, "height": 1150}, color_scheme="dark")
        page.goto(top.stdout.readline().decode().strip())
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(500)
        save("live", page.screenshot())
    finally:
        top.terminate()
        top.wait()
        lock.close()


def main(crescendo):
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        for kind in ("asha", "rasda"):
            # One of ten seeds, whose winners are equally good, as they are on average (RASDA's +0.002 ± 0.007).
            options = virtual_sweep.options([crescendo, kind, "--type", kind, "--trials", "81", "--slots", "32",
                                             "--seed", "10"])
            virtual_sweep.make(crescendo, folder / kind, options)
        options = virtual_sweep.options([crescendo, "faulty", "--trials", "27", "--faults", "5", "--fault-rate", "0.1"])
        virtual_sweep.make(crescendo, folder / "faulty", options)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

        both = settled(browser, report(crescendo, folder, "asha", "rasda"), 900, 1400)
        pair = both.locator("#comparison > .stack")
        pair.scroll_into_view_if_needed()
        both.wait_for_timeout(500)
        save("asha-rasda", pair.screenshot())
        save("compared", clip_of(both, "#comparison > h3:first-of-type", "#comparison > .svg", 900))

        one = settled(browser, report(crescendo, folder, "rasda"), 1300, 1800, scale=1)
        one.wait_for_timeout(500)
        save("report", one.screenshot())
        one.keyboard.press("b")
        charts = {"parameters": ("parallel", "slices"), "importance": ("importance", "marginals"),
                  "rungs": ("rungs", "rungs")}
        for name, (first, last) in charts.items():
            save(name, clip_of(one, f"[data-chart={first}]", f"[data-chart={last}]", 1300))

        faulty = settled(browser, report(crescendo, folder, "faulty"), 1300, 1800, scale=1)
        save("tables", clip_of(faulty, "details:has(> .scroll > .rungs)", "details:has(> [data-chart=trials])", 1300))
        save_live(crescendo, browser, folder / "rasda")
        browser.close()


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
