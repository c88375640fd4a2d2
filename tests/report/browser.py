#!/usr/bin/env python3
"""Opens pages of `crescendo report` in a real browser: every chart draws, selections are linked, numbers are right.

usage: browser.py CRESCENDO        exits with 77 (skipped) if Chromium or Playwright is missing
"""
import itertools
import json
import math
import operator
import subprocess
import sys
import unittest
from pathlib import Path

from page_test import CHARTS, CHROMIUM, CRESCENDO, EVIL, PATIENCE, PageTest, run, sync_playwright
from served_page import ServedPageTest  # noqa: F401

WIDTHS = (400, 1600)
PAGE = Path(__file__).parents[2] / "launch/report/page"


# How linear RGB looks to people without one kind of cone (Machado, Oliveira and Fernandes 2009).
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def colours(page, *names):
    """The current colours of the page."""
    texts = page.evaluate("""(names) => names.map((name) =>
      getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())""", names)
    return [tuple(int(text[i:i + 2], 16) for i in (1, 3, 5)) for text in texts]


def palette(page, kind):
    """The colours of numbers of workers and of rungs, for areas ("w") or for marks ("m")."""
    return colours(page, *(f"{kind}{level}" for level in range(6)))


def linear_rgb(colour):
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (c / 255 for c in colour)]


def contrast(*colours):
    """The contrast by WCAG 2: from 1 (equal) to 21 (black on white)."""
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear_rgb, colours))
    return (light + 0.05) / (dark + 0.05)


def lab(vision, colour):
    """The CIELAB coordinates of a colour as people with this vision see it."""
    linear = linear_rgb(colour)
    r, g, b = (min(1, max(0, sum(w * c for w, c in zip(row, linear)))) for row in vision)
    xyz = ((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def evaluate(page, expression, argument=None):
    """Evaluates with the page's own functions, which are not public, and a view of its first sweep."""
    scripts = "".join((PAGE / name).read_text() for name in ("base.js", "plot.js", "state.js", "parallel.js"))
    return page.evaluate(f"""(argument) => {{
      {scripts}
      const sweep = JSON.parse(document.getElementById('data').textContent).sweeps[0];
      return ({expression})(new SweepView(sweep), argument);
    }}""", argument)


def texts_of(canvas):
    """The texts that a chart writes, with their positions and baselines."""
    return canvas.evaluate("""({plot}) => {
      const texts = [];
      plot.context.fillText = (text, x, y) => texts.push([text, x, y, plot.context.textBaseline]);
      plot.redraw();
      delete plot.context.fillText;
      return texts;
    }""")


class ReportTest(PageTest):
    sizes = {3: 2, 300: 32, 7000: 256}

    def test_every_chart_draws_and_the_console_stays_silent(self):
        for trials in self.sizes:
            for width in WIDTHS:
                with self.subTest(trials=trials, width=width):
                    page, complaints = self.open(f"s{trials}", width=width)
                    drawn = self.draw_all(page)

                    self.assertEqual(set(drawn), CHARTS)
                    self.assertTrue(all(drawn.values()), drawn)
                    self.assertEqual(complaints, [])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertIsNone(page.evaluate("window.injected ?? null"))

    def test_odd_sweeps_have_a_page_that_says_what_is_odd(self):
        self.make("one", "--trials", 1)
        self.make("nan", "--trials", 9, "--diverge")
        self.make("failed", "--trials", 9, "--faults", 1000, "--fault-rate", 1, "--message", EVIL)
        self.make("silent", "--trials", 3)
        journal = self.folder / "silent/journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(line for line in lines[:6] if b"trial_reported" not in line))
        self.make("damaged", "--trials", 27)
        journal = self.folder / "damaged/journal.jsonl"
        journal.write_bytes(journal.read_bytes().replace(b'"resource":2', b'"resource":7', 1))
        no_best = "No trial has reported a finite value of the metric"
        for name, words, code in (("one", "best: trial 0", 0), ("nan", no_best, 0),
                                  ("failed", no_best, 0), ("silent", no_best, 0),
                                  ("damaged", "the checksum does not match", 2)):
            with self.subTest(name):
                out = self.folder / f"{name}.html"
                result = subprocess.run([CRESCENDO, "report", self.folder / name, "--out", out], capture_output=True)
                page, complaints = self.open(name, width=400)
                self.draw_all(page)

                self.assertEqual(result.returncode, code)
                self.assertIn(words, page.inner_text(".answer"))
                self.assertEqual("crescendo best " in page.inner_text(".commands"), words != no_best)
                self.assertEqual("crescendo logs " in page.inner_text(".commands"), words == no_best)
                if words == no_best:  # a sentence instead of an empty frame
                    for kind in ("best", "curves", "parallel", "slices", "importance"):
                        canvas = page.locator(f"[data-chart={kind}] canvas")
                        self.assertEqual(canvas.count(), 1, kind)
                        self.assertEqual(canvas.bounding_box()["height"], 40, kind)
                    lowest = max(y + 12 for _, _, y, _ in texts_of(page.locator("[data-chart=importance] canvas")))
                    self.assertTrue(12 < lowest <= 40, lowest)  # two lines, neither of which is cut off
                if name == "one":  # an improving trial was worse at its first rungs, and those dots are drawn as well
                    num_dots, num_below = page.evaluate("""(() => {
                      const plot = document.querySelector('[data-chart=rungs] canvas').plot;
                      return [plot.marks.length, plot.marks.filter((m) => m.y > plot.frame.bottom + 1).length];
                    })()""")
                    self.assertGreater(num_dots, 1)
                    self.assertEqual(num_below, 0)
                self.assertEqual(complaints, [])
                self.assertIsNone(page.evaluate("window.injected ?? null"))

    def test_parameters_with_conditions_have_charts_like_all_others(self):
        for trials, has_share in ((90, True), (18, False)):  # a third of them have dropout, and ten are needed
            with self.subTest(trials=trials):
                self.make(f"conditional{trials}", "--trials", trials, "--conditions")
                page, complaints = self.open(f"conditional{trials}")
                drawn = self.draw_all(page)
                rung = evaluate(page, "(view) => view.importances[0]")

                self.assertTrue(all(drawn.values()), drawn)
                self.assertEqual(rung["shares"][2] is not None, has_share)
                self.assertTrue(0 < rung["present"][2] < rung["trials"] == trials)
                self.assertEqual(complaints, [])
                rows = json.loads(run("trials", self.folder / f"conditional{trials}", "--format", "json"))
                dots = page.locator("[data-chart=slices] canvas").nth(2).get_attribute("data-drawn")
                # Trials without the parameter have no dots; they were once drawn at 0.
                self.assertEqual(int(dots), sum(row["dropout"] is not None for row in rows))

    def test_pages_stay_small(self):
        for trials, most in ((300, 0.5), (7000, 4)):
            self.open(f"s{trials}")
            self.assertLess((self.folder / f"s{trials}.html").stat().st_size, most * 1e6)

    def test_a_page_for_a_folder_that_is_not_there_is_refused(self):
        for out, words in (("missing/page.html", "there is no folder"), (".", "this is a folder")):
            result = subprocess.run([CRESCENDO, "report", self.folder / "s3", "--out", self.folder / out],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)

    def test_odd_names_and_values_are_text_everywhere(self):
        self.make("odd", "--trials", 27, "--odd", EVIL)
        page, complaints = self.open("odd", width=400)
        drawn = self.draw_all(page)

        self.assertTrue(all(drawn.values()), drawn)
        self.assertEqual(complaints, [])
        self.assertIsNone(page.evaluate("window.injected ?? null"))
        self.assertIn(EVIL.splitlines()[0], page.text_content(".answer"))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 400)

    def test_maps_lists_and_null_are_shown_as_the_values_that_they_are(self):
        self.make("values", "--trials", 27, "--odd", "odd")
        page, _ = self.open("values")
        ticks = evaluate(page, """(view) => Object.fromEntries(parallelAxes(view).map(
          (axis) => [axis.name, axis.ticks(300).map((tick) => tick.text)]))""")
        rows = json.loads(run("trials", self.folder / "values", "--format", "json"))
        without_clip = next(row["trial"] for row in rows if row["clip"] is None)
        cell = page.locator(f"tr[data-trial='{without_clip}'] td").nth(list(rows[0]).index("clip"))

        self.assertEqual(set(ticks["schedule"]), {'{"name":"cosine"}', '{"gamma":0.1,"name":"step"}'})
        self.assertEqual(set(ticks["sizes"]), {"[64,64]", "[128]"})
        self.assertEqual(set(ticks["clip"]), {"null", "1"})  # not "absent"
        self.assertEqual(cell.inner_text(), "null")
        self.assertIn("clip = null", evaluate(page, "(view, trial) => view.text(trial)", without_clip))

    def test_ticks_of_an_axis_differ_however_narrow_it_is(self):
        page, _ = self.open("s3")
        for low, high in ((0, 1), (1234.5, 1234.52), (-1234568.66, -1234567.98), (4e-13, 1.1e-12), (2e9, 2.1e9),
                          (-1, 0.5), (12345678, 12345688)):
            with self.subTest(low=low, high=high):
                offset, ticks = evaluate(page, """(view, [low, high]) => {
                  const scale = linearScale(low, high);
                  return [scale.offset, scale.ticks(6)];
                }""", [low, high])

                self.assertGreaterEqual(len(ticks), 3)
                self.assertLess(max(len(tick["text"]) for tick in ticks), 11)
                for tick in ticks:
                    self.assertAlmostEqual(offset + float(tick["text"]), tick["at"], delta=1e-6 * (high - low))

    def test_a_trial_whose_parameter_is_beyond_its_axis_has_a_dot_at_its_end(self):
        def have_outliers(sweep):
            momentum, lr = (sweep["columns"].index(name) for name in ("momentum", "lr"))
            sweep["rows"][0][momentum], sweep["rows"][1][momentum], sweep["rows"][2][lr] = -7, 5, 0

        self.altered("s3", "outliers", have_outliers)
        page, _ = self.open("outliers")

        shares = evaluate(page, """(view) => view.parameters.slice(0, 2).map(
          (parameter, i) => view.trials.map((trial) => parameterScale(parameter).share(view.parameter(trial, i))))""")
        self.assertEqual([shares[1][0], shares[1][1], shares[0][2]], [0, 1, 0])

    def test_a_filter_of_the_metric_keeps_to_its_values_where_new_ones_move_the_axis(self):
        page, _ = self.open("s300")
        for goal in ("maximize", "minimize"):
            shown, ranges = evaluate(page, """(view, goal) => {
              const {metricColumn: column} = view;
              const make = (rows) => new SweepView({...sweep, goal, rows});
              const [older, newer] = [make(view.rows), make(view.rows.map((row, i) =>
                i ? row : row.map((cell, k) => k === column ? (goal === 'maximize' ? 5 : -5) : cell)))];
              older.filters.ranges.set(older.metricAxis, [0.5, 1.2]);
              const passes = (each) => {
                each.axes = () => parallelAxes(each);
                each.filter();
                return each.shown.map(({id}) => id).filter((id) => id);
              };
              const before = passes(older);
              newer.keep(older);
              return [[before, passes(newer)], [...newer.filters.ranges.values()]];
            }""", goal)

            self.assertTrue(3 < len(shown[0]) < 290, goal)
            self.assertEqual(shown[0], shown[1], goal)
            self.assertEqual(ranges[0][1], 1.2)  # open to better values

    def test_what_no_parameter_explains_is_said_to_be_noise_too_and_not_where_all_values_are_equal(self):
        def explain_nothing(sweep):
            for rung in sweep["importances"]:
                rung["shares"] = [[0, 0] for _ in rung["shares"]]

        self.altered("s300", "equal", explain_nothing)
        for name, is_said in (("s300", True), ("equal", False)):
            page, _ = self.open(name)
            self.drawn(page, "importance")
            told = page.evaluate("document.querySelector('[data-chart=importance] canvas').plot.areas[0].text")
            self.assertEqual(told.endswith("explains alone come from parameters together, and from noise."), is_said, told)

    def test_numbers_have_the_digits_of_other_commands(self):
        page, _ = self.open("s3")
        found = evaluate(page, "() => [123456.4, 12345.678, 0.00123456, 0.0000123456, 1.5e8, 2e-7].map(numberText)")

        self.assertEqual(found, ["123456", "12346", "0.0012346", "1.2346e-5", "1.5e+8", "2e-7"])

    def test_charts_are_sharp_after_a_zoom_that_leaves_them_as_wide(self):
        self.open("s3")
        page, _ = self.visit((self.folder / "s3.html").as_uri(), viewport={"width": 3200, "height": 900})
        canvas = self.drawn(page, "gantt")
        width = canvas.bounding_box()["width"]
        screen = page.context.new_cdp_session(page)
        screen.send("Emulation.setDeviceMetricsOverride",
                    {"width": 1600, "height": 450, "deviceScaleFactor": 2, "mobile": False})

        page.wait_for_function("document.querySelector('[data-chart=gantt] canvas').width > 2000")
        self.assertEqual(canvas.bounding_box()["width"], width)

    def test_no_axis_has_a_number_without_its_middle(self):
        def have_small_differences(sweep):
            value = sweep["columns"].index(sweep["metric_column"])
            for i, row in enumerate(sweep["rows"]):
                row[value] = (1.23456 + i / 1e6) * 1e-297

        self.altered("s300", "small", have_small_differences)
        page, _ = self.open("small", width=1300)
        self.drawn(page, "slices")
        texts = [text for text, *_ in texts_of(page.locator("[data-chart=slices] canvas").first)]

        self.assertIn("1.2347e-297", texts)

    def test_a_text_that_is_shortened_has_whole_letters(self):
        page, _ = self.open("s3")
        texts = evaluate(page, """() => [1, 2, 3, 4, 5, 6].map((width) =>
          fitted({measureText: (text) => ({width: [...text].length})}, '🚀'.repeat(9), width))""")

        self.assertEqual(texts, ["🚀…", "🚀…", "🚀…🚀", "🚀🚀…🚀", "🚀🚀…🚀🚀", "🚀🚀🚀…🚀🚀"])

    def test_choices_that_are_files_of_one_folder_are_told_apart(self):
        page, _ = self.open("s3")
        for choices, texts in ((["/data/models/resnet50.safetensors", "/data/models/vit.safetensors", None],
                                ["…resnet50…", "…vit…", "null"]),
                               (["relu", "gelu"], ["relu", "gelu"]), (["same-folder/", "same-folder/a"], None)):
            with self.subTest(choices=choices):
                ticks = evaluate(page, "(view, choices) => choiceScale(choices).ticks(5, 1000, 10)", choices)

                self.assertEqual([tick["text"] for tick in ticks], texts or choices)
                self.assertEqual([tick["at"] for tick in ticks], choices)

    def test_a_metric_over_orders_of_magnitude_has_a_logarithmic_axis_unless_it_is_a_share(self):
        page, _ = self.open("s300")
        for goal, factor, is_log in (("minimize", 10, True), ("minimize", 1, False), ("minimize", -10, False),
                                     ("maximize", 10, True), ("maximize", 0.1, False)):
            with self.subTest(goal=goal, factor=factor):
                found = evaluate(page, """(view, [goal, factor]) => {
                  const rows = view.rows.map((row) =>
                    row.map((value, i) => i === view.metricColumn ? value * factor ** (row[0] % 4) : value));
                  return new SweepView({...sweep, goal, rows}).isLog;
                }""", [goal, factor])

                self.assertEqual(found, is_log)

    def test_a_trial_far_off_is_said_to_be_beyond_the_axis(self):
        def have_one_far_off(sweep):
            sweep["rows"][7][sweep["columns"].index(sweep["metric_column"])] = sweep["curves"][7][1][-1] = -50

        self.altered("s300", "far", have_one_far_off)
        page, complaints = self.open("far")
        self.draw_all(page)

        for kind in ("curves", "slices", "rungs"):
            self.assertEqual(page.inner_text(f"[data-chart={kind}] .beyond"), "1 trial lies below this axis.", kind)
        self.assertEqual(page.get_by_label("Scale").count(), 0)  # no logarithm of -50
        self.assertEqual(complaints, [])

    def test_trainings_that_diverged_do_not_squeeze_all_others(self):
        def have_diverged(sweep):
            for trial in range(0, 300, 6):
                sweep["rows"][trial][sweep["columns"].index(sweep["metric_column"])] = -1e30
                sweep["curves"][trial][1] = [-1e30 for _ in sweep["curves"][trial][1]]
            sweep["best_so_far"].insert(0, [1, 0.01, -1e30, 0])

        self.altered("s300", "diverged", have_diverged)
        page, complaints = self.open("diverged")
        self.draw_all(page)

        self.assertGreater(evaluate(page, "(view) => view.valueScale.low"), -1)
        for kind, words in (("best", "1 trial lies below this axis."), ("curves", "50 trials lie below this axis."),
                            ("slices", "50 trials lie below this axis."), ("rungs", "50 trials lie below this axis."),
                            ("parallel", "50 trials lie beyond the axis of val_accuracy.")):
            self.assertEqual(page.inner_text(f"[data-chart={kind}] .beyond"), words)
        self.assertEqual(complaints, [])

    def test_charts_of_a_large_sweep_draw_a_fair_part_of_the_trials_and_say_how_many(self):
        rows = {row["trial"]: row for row in json.loads(run("trials", self.folder / "s7000", "--format", "json"))}
        page, _ = self.open("s7000")
        at_end = {trial for trial, row in rows.items() if row["resource"] >= 27}

        def trials_at(kind):
            """The trials of a chart's marks, and which of them are at the first rung."""
            found = page.evaluate("""async (kind) => {
              const canvas = document.querySelector(`[data-chart=${kind}] canvas`);
              canvas.scrollIntoView();
              for (let i = 0; i < 300 && (!canvas.plot.marks || canvas.plot.stale); ++i)
                await new Promise(requestAnimationFrame);
              const {marks, frame} = canvas.plot, isFirst = (mark) => mark.x < frame.left + frame.width / 4;
              return [marks, marks.filter(isFirst)].map((each) => each.map((mark) => mark.trial));
            }""", kind)
            return [set(trials) for trials in found]

        for kind, most in (("curves", 1000), ("parallel", 1500), ("slices", 3000), ("pair", 400)):
            with self.subTest(kind):
                trials, _ = trials_at(kind)
                self.assertAlmostEqual(len(trials), most, delta=0.15 * most)
                self.assertIn(f"{len(trials)} of ", page.inner_text(f"[data-chart={kind}] .drawn"))
                share = len(at_end & trials) / len(trials)
                self.assertAlmostEqual(share, len(at_end) / len(rows), delta=0.06)
        _, judged = trials_at("rungs")
        went_on = [sum(rows[trial]["resource"] >= 3 for trial in trials) / len(trials) for trials in (judged, rows)]
        self.assertAlmostEqual(*went_on, delta=0.03)
        self.assertIn(f"{len(judged)} of {len(rows)} drawn at 1,", page.inner_text("[data-chart=rungs] .drawn"))

        page.get_by_label("Rung", exact=True).select_option(label="reached 27")
        for kind in ("curves", "parallel", "slices", "rungs"):
            with self.subTest(kind, filtered=True):
                self.assertEqual(trials_at(kind)[0], at_end)
                self.assertEqual(page.inner_text(f"[data-chart={kind}] .drawn"), "")

    def test_a_month_of_a_thousand_sessions_has_round_times_and_no_fault_on_a_slot_where_none_was(self):
        def last_a_month(sweep):
            month = 30 * 86400
            sweep["elapsed"] = month
            sweep["sessions"] = [[i * month / 1000, f"node{i}"] for i in range(1000)]
            sweep["faults"] = [[month / 2, len(sweep["rows"]) - 1, None, "crash", "its stay was left out"]]
            sweep["spans"] = [span for span in sweep["spans"] if span[0] != len(sweep["rows"]) - 1]

        self.altered("s300", "month", last_a_month)
        page, complaints = self.visit((self.folder / "month.html").as_uri(), viewport={"width": 1600, "height": 900})
        canvas = self.drawn(page, "gantt")
        drawn = canvas.evaluate("""(canvas) => {
          const {plot} = canvas, lines = [];
          const line = plot.line;
          plot.line = (...at) => {
            if (plot.context.getLineDash().length) lines.push(at[0]);
            line.apply(plot, at);
          };
          plot.redraw();
          delete plot.line;
          return {lines, texts: plot.marks.map(({text}) => (typeof text === 'function' ? text() : text))};
        }""")
        gaps = [b - a for a, b in zip(drawn["lines"], drawn["lines"][1:])]
        self.assertGreaterEqual(min(gaps), 4)  # bars are visible between the lines
        self.assertFalse(any("its stay was left out" in text for text in drawn["texts"]))
        ticks = evaluate(page, "(view) => timeScale(0, view.elapsed).ticks(8).map(({at}) => at)")
        self.assertEqual({tick % 86400 for tick in ticks}, {0})  # 138:53:20 is not a round time
        self.assertEqual(complaints, [])

    def test_bars_on_many_slots_have_the_colours_of_the_legend_and_a_selected_one_is_seen(self):
        page, _ = self.open("s7000")
        canvas = self.drawn(page, "gantt")
        # The colour in the middle of each wide bar. With 256 slots, each has less than two pixels.
        pixels = """(canvas) => {
          const {areas} = canvas.plot, c = canvas.getContext('2d');
          const wide = areas.filter((area) => area.trial !== undefined && area.width > 8).slice(0, 3000);
          return wide.map(({x, y, width, height, trial}) =>
            [trial, height, ...c.getImageData(x + width / 2, y + Math.floor(height / 2), 1, 1).data]);
        }"""
        levels = palette(page, "w")
        bars = canvas.evaluate(pixels)
        exact = sum(tuple(rgb[:3]) in levels for _, _, *rgb in bars)
        self.assertGreater(exact, 0.97 * len(bars))  # the rest are covered by a cross or a line

        page.keyboard.press("b")
        self.drawn(page, "gantt")
        best = int(page.inner_text(".filters .chosen").split()[1])
        [idle] = colours(page, "idle")
        bars = canvas.evaluate(pixels)
        heights = canvas.evaluate("""(canvas, best) =>
          canvas.plot.areas.filter((area) => area.trial === best).map((area) => area.height)""", best)
        pale = [math.dist(lab(VISIONS["normal"], rgb[:3]), lab(VISIONS["normal"], idle)) for trial, _, *rgb in bars]
        self.assertGreaterEqual(min(heights), 6)
        self.assertGreater(sorted(pale)[len(pale) // 20], 15)  # busy slots do not look like idle slots

    def altered(self, sweep, name, alter):
        """A page with this name and a sweep's data after `alter`."""
        self.open(sweep)
        before, rest = (self.folder / f"{sweep}.html").read_text().split("id='data'>")
        data, rest = rest.split("</script>", 1)
        sweep = json.loads(data)["sweeps"][0]
        alter(sweep)
        data = json.dumps({"sweeps": [sweep]}).replace("<", "\\u003c")
        (self.folder / f"{name}.html").write_text(f"{before}id='data'>{data}</script>{rest}")

    def test_configurations_of_very_many_parameters_are_drawn_on_a_fine_screen(self):
        def have_many_parameters(sweep):
            parameters = [{"name": f"p{i}", "column": f"p{i}", "scale": "linear", "low": 0, "high": 1}
                          for i in range(500)]
            sweep["parameters"] += parameters
            sweep["columns"] += [parameter["name"] for parameter in parameters]
            sweep["rows"] = [[*row, *[0.5] * len(parameters)] for row in sweep["rows"]]

        self.altered("s3", "many", have_many_parameters)
        count_layouts = """window.layouts = 0;
          const {get} = Object.getOwnPropertyDescriptor(Element.prototype, 'clientWidth');
          Object.defineProperty(Element.prototype, 'clientWidth', {get() { ++layouts; return get.call(this); }});"""
        page, _ = self.visit((self.folder / "many.html").as_uri(), count_layouts, device_scale_factor=2)
        self.assertLess(page.evaluate("layouts"), 50)  # not one for each of a thousand charts
        width, drawn = self.drawn(page, "parallel").evaluate("""(canvas) => {
          const middle = canvas.getContext('2d').getImageData(canvas.width / 2, 0, 200, canvas.height).data;
          return [canvas.width, middle.some((part) => part > 0)];
        }""")

        self.assertLessEqual(width, 32767)
        self.assertTrue(drawn)
        self.assertEqual(page.inner_text("[data-chart=parallel] .axes"),
                         "The first 480 of 505 parameters have an axis.")

    def test_dots_of_two_parameters_stood_on_other_choices_where_there_are_many(self):
        def have_many_choices(sweep):
            lr, act = (next(p for p in sweep["parameters"] if p["name"] == name) for name in ("lr", "act"))
            act["choices"] = [f"act{i}" for i in range(60)]
            for i, row in enumerate(sweep["rows"]):
                row[sweep["columns"].index(act["column"])] = f"act{i % 60}"
            places = [sweep["parameters"].index(each) for each in (lr, act)]
            means = [[i + j for j in range(60)] for i in range(14)]
            sweep["importances"][0]["pairs"] = [{"first": places[0], "second": places[1], "means": means}]

        self.altered("s300", "choices", have_many_choices)
        page, _ = self.open("choices")
        dots = self.drawn(page, "pair").evaluate("""({plot: {marks, frame}}) =>
          marks.map(({y, trial}) => [trial % 60, Math.floor((frame.bottom - y) / frame.height * 60)])""")

        self.assertGreater(len(dots), 200)
        self.assertEqual([at for _, at in dots], [choice for choice, _ in dots])

    def test_numbers_beside_the_axis_of_the_metric_are_whole(self):
        def have_large_values(sweep):
            for row in sweep["rows"]:
                row[sweep["columns"].index(sweep["metric_column"])] *= -5e6

        self.altered("s300", "large", have_large_values)
        page, _ = self.open("large", width=400)
        texts = {text for text, *_ in texts_of(self.drawn(page, "parallel"))}

        ticks = evaluate(page, "(view) => parallelAxes(view).at(-1).ticks().map(({text}) => text)")
        self.assertGreater(max(map(len, ticks)), 7)  # "-50…00" would be ambiguous
        self.assertLessEqual(set(ticks), texts)

    def test_a_name_that_is_cut_above_its_axis_is_told_by_the_pointer(self):
        name = "optimizer.parameter_groups.1.learning_rate"

        def have_a_long_name(sweep):
            sweep["parameters"][1]["name"] = name

        self.altered("s300", "long", have_a_long_name)
        page, _ = self.open("long", width=400)
        canvas = self.drawn(page, "parallel")
        area = canvas.evaluate("({plot}, name) => plot.areas.find(({text}) => text === name)", name)
        canvas.hover(position={"x": area["x"] + area["width"] / 2, "y": area["y"] + 5})

        self.assertNotIn(name, [text for text, *_ in texts_of(canvas)])
        self.assertEqual(page.inner_text("#tip.on"), name)

    def test_titles_of_rungs_are_whole_on_a_narrow_screen(self):
        for times, width, form in ((100, 1600, "{} of {} continued"), (4, 360, "{}/{}"), (100, 360, "{} of\n{}")):
            def have_more(sweep):
                for rung in sweep["rungs"]:
                    rung.update(went_on=times * rung["went_on"], reached=times * rung["reached"])

            with self.subTest(times=times, width=width):
                self.altered("s300", f"times{times}", have_more)
                page, _ = self.open(f"times{times}", width=width)
                rungs = evaluate(page, "(view) => view.rungs.map((rung) => [rung.went_on, rung.reached])")
                titles = {}  # by position; the lowest line comes first
                for text, x, _, baseline in texts_of(page.locator("[data-chart=rungs] canvas")):
                    if baseline == "bottom":
                        titles[x] = f"{text}\n{titles[x]}" if x in titles else text

                self.assertEqual([titles[x] for x in sorted(titles)][:-1], [form.format(*rung) for rung in rungs[:-1]])

    def test_the_page_has_the_sweep_file_the_versions_and_the_machine(self):
        page, _ = self.open("s3")
        text = page.locator("details", has_text="Sweep file, versions, machine").last.text_content()

        self.assertIn((self.folder / "s3/sweep.yaml").read_text(), text)
        for words in ("crescendo", "0.1.0", "host", "node1", "session at"):
            self.assertIn(words, text)

    def test_learning_curves_are_coloured_by_workers_or_rung_and_dotted_where_these_change(self):
        page, _ = self.open("s300")
        levels = palette(page, "m")
        pictures = []
        for choice, fewest in (("workers", 3), ("last rung", 4)):
            page.locator("[data-chart=curves]").get_by_label("Colour").select_option(label=choice)
            canvas = self.drawn(page, "curves")
            self.assertGreaterEqual(page.locator("[data-chart=curves] .legend span").count(), fewest)
            pixels = canvas.evaluate("""(canvas) =>
              [...new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)]""")
            seen = {(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255) for pixel in pixels}
            self.assertGreaterEqual(sum(level in seen for level in levels), 3)  # others are transparent
            pictures.append(pixels)
        self.assertNotEqual(*pictures)
        dots = self.dots_of_curves(page)
        curves = evaluate(page, "(view) => view.curves")
        changes = sum(1 if len(workers) == 1 else sum(map(operator.ne, workers, workers[1:]))
                      for _, _, _, workers in curves)
        self.assertEqual(dots, changes)

    def dots_of_curves(self, page):
        return page.evaluate("""() => {
          let dots = 0;
          const {plot} = document.querySelector('[data-chart=curves] canvas');
          plot.dot = () => ++dots;
          plot.redraw();
          return dots;
        }""")

    def test_a_report_between_others_that_are_not_finite_is_a_dot(self):
        def have_gaps(sweep):
            for curve in sweep["curves"]:
                curve[1] = [value if i % 2 == 0 else None for i, value in enumerate(curve[1])]

        self.altered("s300", "gaps", have_gaps)
        page, _ = self.open("gaps")
        finite = evaluate(page, "(view) => view.curves.flatMap((curve) => curve[1]).filter((v) => v !== null).length")
        self.assertEqual(self.dots_of_curves(page), finite)

    def test_legends_name_the_colours_of_trials_before_the_first_rung_and_without_a_value(self):
        def have_less(sweep):
            sweep["rungs_reached"][0] = 0
            sweep["rows"][1][sweep["columns"].index(sweep["metric_column"])] = None

        self.altered("s300", "less", have_less)
        for name, is_named in (("less", True), ("s300", False)):
            page, _ = self.open(name)
            page.locator("[data-chart=gantt]").get_by_label("Colour").select_option(label="quality")

            self.assertEqual("no value" in page.inner_text("[data-chart=gantt] .legend"), is_named)
            self.assertEqual("before 1" in page.inner_text("[data-chart=slices] .legend"), is_named)
            self.assertNotIn("before 1", page.inner_text("[data-chart=rungs] .legend"))

    def test_keys_scroll_a_box_that_has_the_focus_and_choose_a_row(self):
        page, _ = self.open("s300", width=400)
        box = page.locator("[data-chart=parallel] .scroll")
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.querySelector('[data-chart=parallel] .scroll').scrollLeft > 0")
        self.assertEqual(page.inner_text(".filters .chosen"), "300 of 300 trials")

        row = page.locator("tr[data-trial]").first
        for key in ("Enter", "Escape", "Space"):
            row.focus()
            page.keyboard.press(key)
            self.assertEqual(row.get_attribute("aria-selected"), "false" if key == "Escape" else "true")

    def test_colour_blind_people_tell_the_colours_apart_and_lines_and_dots_stand_out_from_the_ground(self):
        page, _ = self.open("s3")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for kind, (vision, matrix) in itertools.product("wm", VISIONS.items()):
                seen = [lab(matrix, colour) for colour in palette(page, kind)]
                nearest = min(math.dist(a, b) for a, b in itertools.combinations(seen, 2))
                self.assertGreater(nearest, 15, (scheme, kind, vision))  # 2.3 is just noticeable
            [ground] = colours(page, "ground")
            for colour in palette(page, "m") + colours(page, "accent", "fault", "best"):
                self.assertGreater(contrast(colour, ground), 3, (scheme, colour))  # the minimum of WCAG for graphics

    def test_figures_are_those_of_the_command(self):
        for trials in (3, 300):
            expected = {row["trial"]: list(row.values())
                        for row in json.loads(run("trials", self.folder / f"s{trials}", "--format", "json"))}
            page, _ = self.open(f"s{trials}")
            found = {}
            while True:
                found.update(page.evaluate("""() => Object.fromEntries(
                  [...document.querySelectorAll('tr[data-trial]')].map((row) =>
                    [row.dataset.trial, [...row.children].map((cell) => JSON.parse(cell.dataset.value))]))"""))
                forth = page.get_by_role("button", name="next ›")
                if forth.is_disabled():
                    break
                forth.click()

            self.assertEqual({int(trial): row for trial, row in found.items()}, expected)
            names = page.locator("table.trials th:visible").all_inner_texts()
            self.assertEqual([name.removesuffix(" ▼") for name in names],  # no column without any value
                             run("trials", self.folder / f"s{trials}").split("\n")[0].split())

    def test_the_luckiest_repetition_stood_above_those_of_the_best_configuration(self):
        def have_repetitions(sweep):
            at = sweep["columns"].index(sweep["metric_column"]) + 1
            sweep["columns"][at:at] = ["judged", "configuration", "repetition"]
            sweep["ranked_by"] = "judged"
            for trial, row in enumerate(sweep["rows"]):
                row[at:at] = [-row[at - 1], trial // 3, trial % 3]

        rows = json.loads(run("trials", self.folder / "s300", "--format", "json"))
        self.altered("s300", "repeated", have_repetitions)
        page, _ = self.open("repeated")

        self.assertEqual(page.inner_text("th[aria-sort=descending]"), "judged ▼")
        self.assertIn("1 (300 configurations)", page.inner_text("[data-chart=importance] .controls"))
        best = min(rows, key=lambda row: row["val_accuracy"])["trial"]
        self.assertEqual(page.locator("tr[data-trial]").first.get_attribute("data-trial"), str(best))

    def test_a_click_on_a_trial_marks_it_everywhere(self):
        page, _ = self.open("s300")
        for kind in ("gantt", "best", "curves", "parallel", "slices", "pair", "rungs"):
            with self.subTest(kind):
                page.keyboard.press("Escape")
                canvas = self.drawn(page, kind)
                at = canvas.evaluate("""(canvas) => {
                  const centres = canvas.plot.areas.map((a) => ({ ...a, x: a.x + a.width / 2, y: a.y + a.height / 2 }));
                  const all = [...canvas.plot.marks, ...centres].filter((m) => m.trial !== undefined);
                  return all.filter((m) => m.y > 60 && canvas.plot.found(m.x, m.y)?.trial === m.trial)[0];
                }""")
                canvas.click(position={"x": at["x"], "y": at["y"]})

                self.assertIn(f"Trial {at['trial']} ", page.inner_text(".filters .chosen"))
                self.assertTrue(page.evaluate(
                    f"document.querySelector('tr[data-trial=\"{at['trial']}\"]').classList.contains('selected')"))

    def test_keys_walk_through_the_trials_by_rank(self):
        page, _ = self.open("s300")
        rows = json.loads(run("trials", self.folder / "s300", "--format", "json"))
        best = max(rows, key=lambda row: row["val_accuracy"])["trial"]

        page.keyboard.press("b")
        self.assertIn(f"Trial {best} (rank 1)", page.inner_text(".filters .chosen"))
        page.keyboard.press("ArrowRight")
        self.assertIn("(rank 2)", page.inner_text(".filters .chosen"))
        for _ in range(60):
            page.keyboard.press("ArrowRight")
        self.assertIn("(rank 62)", page.inner_text(".filters .chosen"))
        row, box = page.locator("tr.selected"), page.locator("[data-chart=trials] .scroll")
        row, box = (place.bounding_box() for place in (row, box))
        self.assertTrue(box["y"] < row["y"] < box["y"] + box["height"] - row["height"], (row, box))
        self.assertEqual(page.evaluate("scrollY"), 0)  # the table scrolls, not the page
        page.keyboard.press("Escape")
        self.assertEqual(page.inner_text(".filters .chosen"), "300 of 300 trials")

    def test_keys_walk_through_the_trials_that_pass_the_filter(self):
        page, _ = self.open("s300")
        rows = json.loads(run("trials", self.folder / "s300", "--format", "json"))
        ranked = sorted(rows, key=lambda row: (-row["val_accuracy"], row["trial"]))
        stopped = [row["trial"] for row in ranked if row["status"] == "stopped"]
        page.keyboard.press("b")
        page.get_by_label("Status", exact=True).first.select_option(label="stopped")
        self.assertIn(" (the filter hides it)", page.inner_text(".filters .chosen"))
        page.evaluate("document.activeElement.blur()")

        for key, wanted in (("ArrowRight", stopped[0]), ("ArrowRight", stopped[1]), ("b", stopped[0])):
            page.keyboard.press(key)
            self.assertIn(f"Trial {wanted} (rank ", page.inner_text(".filters .chosen"))
        self.assertNotIn("hides", page.inner_text(".filters .chosen"))

        page.get_by_label("Status", exact=True).first.select_option(label="finished")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowLeft")
        better = ranked[[row["trial"] for row in ranked].index(stopped[0]) - 1]["trial"]
        self.assertIn(f"Trial {better} (rank ", page.inner_text(".filters .chosen"))

    def test_a_drag_along_an_axis_filters(self):
        page, _ = self.open("s300")
        canvas = page.locator("[data-chart=parallel] canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        x = box["x"] + box["width"] - 46  # the axis of the metric, whose best values are at the top
        page.mouse.move(x, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 120, steps=4)
        page.mouse.up()

        shown = int(page.inner_text(".filters .chosen").split()[0])
        self.assertTrue(0 < shown < 300, shown)
        page.get_by_role("button", name="Show all").click()
        self.assertEqual(page.inner_text(".filters .chosen"), "300 of 300 trials")

    def test_a_finger_scrolls_the_page_filters_on_an_axis_and_selects_with_a_tap(self):
        self.open("s300")
        context = self.browser.new_context(viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
        self.addCleanup(context.close)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto((self.folder / "s300.html").as_uri())
        page.wait_for_selector("html[data-ready]")
        page.evaluate("addEventListener('pointercancel', () => { window.cancelled = true; }, true)")
        fingers = context.new_cdp_session(page)

        def swipe(x, y, by):
            fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
            for i in range(1, 11):
                point = {"x": x, "y": y + by * i / 10}
                fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
            fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        def come_to_rest():  # a page scrolls on for a while after a swipe
            still = "() => new Promise((done) => { const y = scrollY; setTimeout(() => done(scrollY === y), 200); })"
            page.wait_for_function(still)

        def centred(kind):
            come_to_rest()
            canvas = page.locator(f"[data-chart={kind}] canvas")
            canvas.evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
            come_to_rest()
            page.wait_for_selector(f"[data-chart={kind}] canvas[data-drawn]")
            return canvas

        canvas = centred("gantt")
        box = canvas.bounding_box()
        swipe(box["x"] + 150, box["y"] + 150, -100)
        page.wait_for_function("() => window.cancelled")
        at = canvas.evaluate("(canvas) => canvas.plot.areas.find((area) => area.trial !== undefined)")
        box = centred("gantt").bounding_box()
        page.touchscreen.tap(box["x"] + at["x"] + 1, box["y"] + at["y"] + at["height"] / 2)
        page.wait_for_selector(f".filters .chosen:has-text('Trial {at['trial']} ')")
        self.assertIn(f"Trial {at['trial']}: ", page.inner_text("#tip.on"))  # with its configuration

        page.get_by_role("button", name="Show all").tap()
        self.assertEqual(page.locator("#tip.on").count(), 0)
        box = centred("parallel").bounding_box()
        self.assertGreaterEqual(box["width"], 6 * 80)  # five parameters and the metric, in a scrolling box
        before = page.evaluate("scrollY")
        swipe(box["x"] + 58, box["y"] + 250, -100)
        page.wait_for_function("() => parseInt(document.querySelector('.filters .chosen').textContent) < 300")
        self.assertEqual(page.evaluate("scrollY"), before)

    def test_trials_are_filtered_by_status_and_rung(self):
        rows = json.loads(run("trials", self.folder / "s300", "--format", "json"))
        page, _ = self.open("s300")
        for label, option, wanted in (("Status", "finished", lambda row: row["status"] == "finished"),
                                      ("Rung", "reached 9", lambda row: row["resource"] >= 9)):
            with self.subTest(label):
                page.get_by_label(label, exact=True).first.select_option(label=option)

                self.assertEqual(page.inner_text(".filters .chosen"), f"{sum(map(wanted, rows))} of 300 trials")
                page.get_by_role("button", name="Show all").click()

    def test_the_best_value_is_drawn_over_time_slot_hours_and_where_there_is_a_price_over_cost(self):
        self.make("priced", "--trials", 9, "--price", 2)
        for name, choices in (("s3", ["time", "slot-hours"]), ("priced", ["time", "slot-hours", "cost"])):
            page, complaints = self.open(name)
            chooser = page.locator("[data-chart=best] select")
            self.assertEqual(chooser.locator("option").all_inner_texts(), choices)
            places = []
            for choice in choices:
                chooser.select_option(label=choice)
                page.wait_for_function("() => !document.querySelector('[data-chart=best] canvas').plot.stale")
                places.append(page.evaluate(
                    "document.querySelector('[data-chart=best] canvas').plot.marks.map((mark) => mark.x)"))
            self.assertNotEqual(places[0], places[1])
            for x, y in zip(places[1], places[-1]):  # a price changes the numbers on the axis but no position
                self.assertAlmostEqual(x, y)
            self.assertEqual(complaints, [])

    def test_colours_follow_the_system_and_paper_has_choices_as_words(self):
        page, complaints = self.open("s3")
        ground = "getComputedStyle(document.body).backgroundColor"

        light = palette(page, "w")
        page.emulate_media(color_scheme="dark")
        self.assertEqual(page.evaluate(ground), "rgb(15, 19, 24)")
        self.assertTrue(all(self.draw_all(page).values()))
        page.emulate_media(media="print")
        self.assertEqual(page.evaluate(ground), "rgb(255, 255, 255)")
        self.assertEqual(palette(page, "w"), light)  # not the pale ones of a dark screen
        self.assertFalse(page.locator(".filters").first.is_visible())
        self.assertEqual(page.inner_text(".pager").strip(), "1 to 3 of 3")  # a large sweep is not printed whole
        colour = page.get_by_label("Colour").first
        self.assertTrue(colour.is_visible())
        self.assertEqual(colour.evaluate("(list) => getComputedStyle(list).appearance"), "none")
        self.assertEqual(complaints, [])

    def test_a_page_of_two_sweeps_puts_their_slots_on_one_axis(self):
        self.make("asha", "--trials", 27, "--type", "asha")
        self.make("rasda", "--trials", 27)
        page, complaints = self.open("asha", "rasda")
        self.draw_all(page)

        self.assertEqual(page.locator("[data-chart=gantt-common] canvas").count(), 2)
        page.locator("#sweep1 > summary").click()
        self.assertTrue(all(count for kind, count in self.draw_all(page).items() if kind != "trials"))
        self.assertEqual(complaints, [])

    def test_sweeps_that_differ_in_their_seeds_are_compared_with_intervals(self):
        names = [f"{kind}{seed}" for kind in ("asha", "rasda") for seed in (1, 2, 3)]
        for name in names:
            self.make(name, "--trials", 27, "--type", name[:-1], "--seed", name[-1], "--name", name[:-1])
        page, complaints = self.open(*names)
        table = page.locator("#comparison table.methods")
        headings = table.locator("th").all_inner_texts()
        rows = [dict(zip(headings, row.locator("td").all_inner_texts())) for row in table.locator("tbody tr").all()]

        self.assertEqual([row["sweeps"] for row in rows], ["3", "3"])
        for row in rows:
            self.assertLess(float(row["val_accuracy_low"]), float(row["val_accuracy"]))
            self.assertLess(float(row["val_accuracy"]), float(row["val_accuracy_high"]))
        self.assertLess(float(rows[1]["speedup_low"]), float(rows[1]["speedup"]))
        self.assertIn("95 % intervals over seeds", page.text_content("#comparison"))
        self.assertEqual(page.locator("#comparison svg path.band").count(), 4)  # over time and over slot-hours
        self.assertEqual(complaints, [])

    def test_without_scripts_there_are_a_picture_and_tables(self):
        self.open("s3")
        context = self.browser.new_context(java_script_enabled=False)
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto((self.folder / "s3.html").as_uri())

        self.assertGreater(page.locator("noscript svg rect").count(), 3)
        self.assertEqual(page.locator("noscript table.trials tbody tr").count(), 3)
        self.assertIn("val_accuracy", page.inner_text(".answer"))
        self.assertIn("run_cap: 3", page.text_content("pre.file"))
        self.open("s300")
        page.goto((self.folder / "s300.html").as_uri())
        for table, rows in (("rungs", 4), ("failures", 3)):
            self.assertEqual(page.locator(f"table.{table} tbody tr").count(), rows)


if __name__ == "__main__":
    if sync_playwright is None or CHROMIUM is None:
        print(f"skipped: {'Playwright' if sync_playwright is None else 'Chromium'} is not installed; "
              "`scripts/install.sh browser` installs both")
        sys.exit(77)
    unittest.main(verbosity=2)
