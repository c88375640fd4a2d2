"""A warm trainer's channel, and its signs of life."""

import contextlib
import io
import json
import socket
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

from crescendo.protocol import Channel, Interrupted, Pulse

REQUEST = {"op": "get", "key": "a"}


class ChannelTest(unittest.TestCase):
    def setUp(self):
        ours, self.theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(self.theirs.close)
        self.stream = self.theirs.makefile("r")
        self.addCleanup(self.stream.close)
        self.channel = Channel(ours)

    def say(self, *messages):
        self.theirs.sendall("".join(json.dumps(message) + "\n" for message in messages).encode())

    def heard(self):
        return json.loads(self.stream.readline())

    def test_orders_come_in_their_order_and_can_be_put_back(self):
        self.say({"type": "join", "trial": 1}, {"type": "leave", "trial": 1})
        join = self.channel.wait()
        self.channel.put_back(join)

        self.assertEqual([self.channel.wait()["type"] for _ in range(2)], ["join", "leave"])

    def test_the_end_of_the_channel_is_no_order(self):
        self.theirs.shutdown(socket.SHUT_RDWR)

        self.assertIsNone(self.channel.wait())
        self.assertTrue(self.channel.interrupted())
        self.channel.send(type="left")  # nobody listens, which does no harm

    def test_answers_find_their_requests_past_orders(self):
        self.say({"type": "decision", "trial": 1})
        found = []
        asking = threading.Thread(target=lambda: found.extend(self.channel.request_all(30, [REQUEST])))
        asking.start()
        self.say({"type": "store", "id": self.heard()["id"], "value": "eA=="})
        asking.join()

        self.assertEqual(found[0]["value"], "eA==")
        self.assertFalse(self.channel.interrupted())  # a decision does not end a group

    def test_a_join_ends_the_wait_for_an_answer(self):
        self.say({"type": "join"})

        with self.assertRaises(Interrupted):
            self.channel.request_all(30, [REQUEST])

    def test_a_request_without_an_answer_ends(self):
        with self.assertRaisesRegex(TimeoutError, "no answer within 0.01 s to .*'key': 'a'"):
            self.channel.request_all(0.01, [REQUEST])

    def test_a_line_that_is_no_message_is_passed_over(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.theirs.sendall(b"what?\n[1]\n")
            self.say({"type": "leave"})
            self.assertEqual(self.channel.wait()["type"], "leave")
        self.assertEqual(said.getvalue().count("not a JSON object"), 2)

    def test_a_thread_that_stands_still_gives_no_sign_of_life(self):
        pulse = Pulse(self.channel)

        def look_while_main_waits():
            pulse.look()  # it has moved since the last look
            for _ in range(5):
                pulse.look()
            self.channel.send(type="end of the wait")

        looking = threading.Thread(target=look_while_main_waits)
        looking.start()
        looking.join()
        heard = []
        while not heard or heard[-1] != "end of the wait":
            heard.append(self.heard()["type"])
        # join() may have been under way at the first looks.
        self.assertLess(heard.count("progress"), 6)

        pulse.look()  # main moves again
        self.assertEqual(self.heard()["type"], "progress")

    def test_a_loop_that_is_always_seen_in_the_same_line_is_alive_as_long_as_it_comes_by(self):
        pulse, place = Pulse(self.channel), SimpleNamespace(f_lasti=3)
        with mock.patch("sys._current_frames", return_value={threading.main_thread().ident: place}):
            pulse.look()
            self.channel.send(type="at a new place")
            pulse.look()
            self.channel.send(type="still there")
            self.channel.num_moves += 1
            pulse.look()
        self.channel.send(type="end")

        heard = [self.heard()["type"]]
        while heard[-1] != "end":
            heard.append(self.heard()["type"])
        self.assertEqual(heard, ["progress", "at a new place", "still there", "progress", "end"])

    def test_a_thread_that_waits_for_an_order_is_alive(self):
        pulse = Pulse(self.channel)
        pulse.look()
        self.channel.is_waiting = True
        for _ in range(3):
            pulse.look()

        self.assertEqual([self.heard()["type"] for _ in range(4)], ["progress"] * 4)


if __name__ == "__main__":
    unittest.main()
