"""Pages that `crescendo top --web` serves: they follow their sweep, and the server reveals nothing else."""
import contextlib
import http.client
import resource
import socket
import subprocess
import urllib.parse

from page_test import CHARTS, CRESCENDO, PageTest


def count_messages(page):
    """Makes a served page count in `messages` how often its server announces a change."""
    page.evaluate("""() => {
      const source = new EventSource('events');
      source.onmessage = () => { window.messages = (window.messages ?? 0) + 1; };
    }""")
    page.wait_for_function("() => window.messages === 1")


class ServedPageTest(PageTest):
    @contextlib.contextmanager
    def served(self, sweep):
        """The address at which `crescendo top --web` serves a sweep. A signal ends it cleanly."""
        top = subprocess.Popen([CRESCENDO, "top", self.folder / sweep, "--web"], text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
        try:
            yield urllib.parse.urlsplit(top.stdout.readline().strip())
            top.terminate()
            self.assertEqual(top.wait(timeout=60), 0)
        finally:
            top.kill()
            top.wait()
            top.stdout.close()

    def make_half(self, name, trials=27):
        """Makes a sweep that is half done. Returns the other half of its journal."""
        self.make(name, "--trials", trials)
        journal = self.folder / name / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[:len(lines) // 2]))
        return b"".join(lines[len(lines) // 2:])

    def test_a_served_page_follows_its_sweep_and_keeps_what_is_chosen(self):
        rest = self.make_half("live")
        with self.served("live") as address:
            page, complaints = self.visit(address.geturl(), viewport={"width": 1000, "height": 700})
            page.locator("tr[data-trial='3']").first.click()
            page.locator("[data-chart=best]").get_by_label("Over").select_option(label="slot-hours")
            page.get_by_role("button", name="momentum").click()
            page.evaluate("document.querySelector('[data-chart=trials] .scroll').scrollLeft = 120")
            colour = page.locator("[data-chart=gantt]").get_by_label("Colour")
            colour.focus()
            page.keyboard.press("Shift")
            count_messages(page)
            with (self.folder / "live/journal.jsonl").open("ab") as journal:
                journal.write(rest)
            page.wait_for_function("() => window.messages > 1")
            self.assertEqual(page.locator(".state.finished").count(), 0)  # its menu of colours may be open
            colour.select_option(label="last rung")
            page.wait_for_selector(".state.finished")
            drawn = self.draw_all(page)

            self.assertEqual(set(drawn), CHARTS)
            self.assertTrue(all(drawn.values()), drawn)
            self.assertIn("Trial 3 ", page.inner_text(".filters .chosen"))
            self.assertEqual(page.locator("[data-chart=best] select").input_value(), "slot_hours")
            self.assertEqual(page.locator("[data-chart=gantt] select").input_value(), "rung")
            self.assertEqual(page.inner_text("th[aria-sort=ascending]"), "momentum ▲")
            self.assertEqual(page.evaluate("document.querySelector('[data-chart=trials] .scroll').scrollLeft"), 120)
            self.assertEqual(page.evaluate("document.activeElement.ariaLabel"), "Colour")
            self.assertEqual(page.locator("tr[data-trial]").count(), 27)
            self.assertEqual(page.inner_text("#live span"), "live")
            self.assertEqual(complaints, [])
        page.wait_for_function("() => document.querySelector('#live span').textContent.startsWith('not connected')")
        self.assertEqual(page.locator("tr[data-trial]").count(), 27)

    def test_a_page_flickered_as_it_followed_its_sweep_and_ended_drags_and_what_the_pointer_was_told(self):
        rest = self.make_half("steady")
        with self.served("steady") as address:
            page, complaints = self.visit(address.geturl(), """
              new MutationObserver(() => {
                const isSeen = ({height, top, bottom}) => height && bottom > 0 && top < innerHeight;
                const seen = [...document.querySelectorAll('main canvas')].filter(
                  (canvas) => isSeen(canvas.getBoundingClientRect()));
                window.blank = seen.filter((canvas) => !canvas.dataset.drawn).length;
              }).observe(document, {subtree: true, attributeFilter: ['data-updates']});""")
            count_messages(page)
            box = self.drawn(page, "gantt").bounding_box()
            trials = "() => document.querySelector('[data-chart=gantt] canvas').plot.areas.map(({trial}) => trial)"
            before = set(page.evaluate(trials))
            lines = rest.splitlines(keepends=True)

            def go_on(part):
                with (self.folder / "steady/journal.jsonl").open("ab") as journal:
                    journal.write(b"".join(part))

            page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 60)
            page.mouse.down()
            page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 60, steps=3)
            go_on(lines[:4])
            page.wait_for_function("() => window.messages > 1")
            self.assertIsNone(page.get_attribute("html", "data-updates"))
            page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 60, steps=3)
            page.mouse.up()
            page.wait_for_selector("html[data-updates]")
            self.assertTrue(before - set(page.evaluate(trials)))  # trials that ended before the zoomed range
            page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
            self.assertIn("Trial ", page.inner_text("#tip.on"))
            updates = page.get_attribute("html", "data-updates")
            go_on(lines[4:8])
            page.wait_for_selector(f"html:not([data-updates='{updates}'])")

            self.assertIn("Trial ", page.inner_text("#tip.on"))
            self.assertEqual(page.evaluate("blank"), 0)
            self.assertEqual(complaints, [])

    def test_a_page_shows_the_end_of_a_sweep_that_ended_while_it_fetched_an_earlier_state(self):
        rest = self.make_half("late")
        lines = rest.splitlines(keepends=True)
        with self.served("late") as address:
            page, _ = self.visit(address.geturl())
            count_messages(page)
            fetches = []
            # The first one waits until it is fulfilled.
            page.route(address.geturl(), lambda route: route.continue_() if fetches else fetches.append(route))
            with (self.folder / "late/journal.jsonl").open("ab", buffering=0) as journal:
                with page.expect_request(address.geturl()):
                    journal.write(b"".join(lines[:4]))
                while not fetches:
                    page.wait_for_timeout(10)  # the handler of routes runs after that of requests
                earlier = fetches[0].fetch()
                journal.write(b"".join(lines[4:]))
            page.wait_for_function("() => window.messages > 2")
            fetches[0].fulfill(response=earlier)

            page.wait_for_selector(".state.finished")

    def test_a_thousand_slow_clients_do_not_keep_a_browser_waiting(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        rest = self.make_half("crowd")
        with self.served("crowd") as address, contextlib.ExitStack() as clients:
            beginnings = [b"", b"GET ", f"GET {address.path} HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
                          f"GET {address.path}events HTTP/1.1\r\nHost: x\r\n\r\n".encode()]
            for i in range(1000):
                client = clients.enter_context(socket.create_connection((address.hostname, address.port), timeout=60))
                client.sendall(beginnings[i % 4])
            page, _ = self.visit(address.geturl())
            with (self.folder / "crowd/journal.jsonl").open("ab") as journal:
                journal.write(rest)
            page.wait_for_selector(".state.finished")

    def test_a_server_answers_nothing_without_the_token_and_nothing_but_its_page(self):
        with self.served("s3") as address:
            token = address.path
            for method, path in (("GET", "/"), ("GET", token[:-2] + "x/"), ("GET", token + "journal.jsonl"),
                                 ("GET", token + "../sweep.yaml"), ("GET", "/etc/passwd"), ("POST", token)):
                with self.subTest(method=method, path=path):
                    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
                    connection.request(method, path)
                    with self.assertRaises(ConnectionError):
                        connection.getresponse()
                    connection.close()
            self.assertEqual(address.hostname, "127.0.0.1")
