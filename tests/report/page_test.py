"""Pages of `crescendo report` and `crescendo top --web` in a real browser, for tests of what they show."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

import virtual_sweep

CRESCENDO = sys.argv.pop(1) if len(sys.argv) > 1 else ""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 180_000  # milliseconds, for a busy machine
EVIL = "</script><script>window.injected = 1</script>'\"><img src=x onerror='window.injected = 1'>\n学习 ñ"
CHARTS = {"gantt", "best", "curves", "parallel", "slices", "importance", "marginals", "pair", "rungs", "trials"}


def run(*arguments):
    return subprocess.run([CRESCENDO, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


class PageTest(unittest.TestCase):
    sizes = {3: 2}  # trials: slots, of the sweeps s3, …

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for trials, slots in cls.sizes.items():
            cls.make(f"s{trials}", "--trials", trials, "--slots", slots, "--faults", 3, "--message", EVIL)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        # Tests may run as root, where Chromium has no sandbox.
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def make(cls, name, *arguments):
        options = virtual_sweep.options([CRESCENDO, name, *map(str, arguments)])
        virtual_sweep.make(CRESCENDO, cls.folder / name, options)

    def open(self, *sweeps, width=1600):
        """A page of these sweeps, and the complaints in its console."""
        out = self.folder / f"{'-'.join(sweeps)}.html"
        if not out.exists():
            run("report", *[self.folder / sweep for sweep in sweeps], "--out", out)
        return self.visit(out.as_uri(), viewport={"width": width, "height": 900})

    def visit(self, address, before="", **options):
        """A page, with a script that runs before its own scripts, and the complaints in its console."""
        page = self.browser.new_page(**options)
        page.set_default_timeout(PATIENCE)
        page.add_init_script(before)
        self.addCleanup(page.close)
        complaints = []
        page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return page, complaints

    def drawn(self, page, kind):
        """The first canvas of a chart, once it is in view and drawn."""
        canvas = page.locator(f"[data-chart={kind}] canvas").first
        canvas.scroll_into_view_if_needed()
        page.wait_for_selector(f"[data-chart={kind}] canvas[data-drawn]")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return canvas

    def draw_all(self, page):
        """Scrolls to every chart. Returns how much each has drawn."""
        return page.evaluate("""async () => {
          const drawn = {};
          for (const place of document.querySelectorAll('[data-chart]')) {
            for (const canvas of place.querySelectorAll('canvas')) {
              canvas.scrollIntoView();
              for (let i = 0; i < 300 && !canvas.dataset.drawn; ++i) await new Promise(requestAnimationFrame);
              const kind = place.dataset.chart;
              drawn[kind] = Math.min(drawn[kind] ?? Infinity, Number(canvas.dataset.drawn ?? 0));
            }
            if (place.querySelector('tbody')) drawn[place.dataset.chart] = place.querySelectorAll('tbody tr').length;
          }
          return drawn;
        }""")
