"""A sampler in plain Python: random search first, then evolution, which changes one parameter of a good trial."""

import json
import os
import random
import socket

connection = socket.socket(fileno=int(os.environ["CRESCENDO_FD"]))
trials = {}  # trials that have reported: (-resource, loss, configuration)
for line in connection.makefile():  # not "rw": a write would discard questions that were read ahead
    message = json.loads(line)
    if message["request"] == "begin":
        rng = random.Random(message["seed"])
        sign = -1 if message["goal"] == "maximize" else 1
    elif message["request"] == "tell" and message.get("value") is not None:
        trials[message["trial"]] = (-message["resource"], sign * message["value"], message["config"])
    elif message["request"] == "propose":
        config = message["draw"]  # drawn by crescendo at random from the search space
        if len(trials) >= 8 and rng.random() < 0.8:  # prefers trials that trained longest
            parent = rng.choice(sorted(trials.values(), key=lambda trial: trial[:2])[: len(trials) // 4])[2]
            name = rng.choice(list(config))
            config = {**config, **parent, name: config[name]}
        connection.sendall((json.dumps({"config": config}) + "\n").encode())
