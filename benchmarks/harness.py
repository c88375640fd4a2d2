"""Crescendo's side of the trial protocol (docs/trial-protocol.md), for benchmarks of the trainer alone.

CI runs benchmarks with --quick: small numbers, only to check that they still work. Those figures mean nothing.
"""
import json
import os
import selectors
import socket
import subprocess
import sys
import time

import usage  # noqa: F401

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("CRESCENDO_BIN", os.path.join(ROOT, "build/default/bin"))
TRAINER = os.path.join(BIN, "crescendo-trainer")
CRESCENDO = os.path.join(BIN, "crescendo")
QUICK = "--quick" in sys.argv
if QUICK:
    sys.argv.remove("--quick")


class Trainer:
    """A warm crescendo-trainer on a CPU slot, or on the device in CRESCENDO_DEVICE."""

    def __init__(self, **variables):
        self.socket, theirs = socket.socketpair()
        environment = dict({"CRESCENDO_DEVICE": "cpu"}, **os.environ)
        environment.update(CRESCENDO_FD=str(theirs.fileno()), CRESCENDO_THREADS="1", OMP_NUM_THREADS="1", **variables)
        self.process = subprocess.Popen([TRAINER], env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self.buffer = b""

    def send(self, **message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def lines(self):
        """Returns what has arrived. Call it when the socket is readable."""
        received = self.socket.recv(1 << 20)
        if not received:
            raise RuntimeError("a trainer ended")
        *lines, self.buffer = (self.buffer + received).split(b"\n")
        return [json.loads(line) for line in lines if line]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()


class Node:
    """Trainers, and the store through which they meet."""

    def __init__(self, count, **variables):
        self.trainers = [Trainer(**variables) for _ in range(count)]
        self.selector = selectors.DefaultSelector()
        for trainer in self.trainers:
            self.selector.register(trainer.socket, selectors.EVENT_READ, trainer)
        self.store, self.waiting, self.arrived = {}, [], []
        for trainer in self.trainers:
            self.expect("hello", trainer)

    def join(self, members, settings, directory, generation, state, **more):
        """Forms a group of these trainers."""
        for rank, trainer in enumerate(members):
            trainer.send(**{"type": "join", "trial": 0, "generation": generation, "rank": rank, "size": len(members),
                            "batch_multiple": 1, "checkpoint_at": 1, "max_resource": 1000, "seed": 1,
                            "settings": settings, "directory": directory, "state": state, **more})

    def leave(self, members):
        """Ends their trial, without a checkpoint."""
        for trainer in members:
            trainer.send(type="leave", trial=0, save=False)
        for trainer in members:
            self.expect("left", trainer)

    def expect(self, kind, trainer=None):
        """Returns the next message of that type, and serves store requests until it arrives."""
        while True:
            for index, (sender, message) in enumerate(self.arrived):
                if message["type"] == kind and trainer in (None, sender):
                    return self.arrived.pop(index)[1]
                if message["type"] == "failed":
                    raise RuntimeError(message["message"])
            for key, _ in self.selector.select():
                for message in key.data.lines():
                    message["received"] = time.perf_counter()
                    if message["type"] == "store":
                        self.serve(key.data, message)
                    else:
                        self.arrived.append((key.data, message))

    def serve(self, trainer, request):
        space = self.store.setdefault(request["generation"], {})
        answer = {"type": "store", "id": request["id"]}
        if request["op"] == "set":
            space[request["key"]] = {"value": request["value"]}
        elif request["op"] == "add":
            number = space.get(request["key"], {"number": 0})["number"] + request["delta"]
            space[request["key"]] = {"number": number}
            answer["number"] = number
        elif request["op"] == "check":
            answer["found"] = all(key in space for key in request["keys"])
        elif request["op"] == "delete":
            answer["found"] = space.pop(request["key"], None) is not None
        else:
            self.waiting.append((trainer, request))
            answer = None
        if answer:
            trainer.send(**answer)
        for waiter, waited in list(self.waiting):
            keys = waited.get("keys") or [waited["key"]]
            if all(key in self.store.get(waited["generation"], {}) for key in keys):
                self.waiting.remove((waiter, waited))
                found = self.store[waited["generation"]][waited["key"]] if waited["op"] == "get" else {}
                waiter.send(type="store", id=waited["id"], **found)

    def close(self):
        for trainer in self.trainers:
            trainer.kill()
