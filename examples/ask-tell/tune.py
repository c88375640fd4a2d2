#!/usr/bin/env python3
"""Your own launcher, which asks crescendo what to do: python3 tune.py [path of crescendo]"""
import json, math, os, subprocess, sys

SWEEP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweep.yaml")
crescendo = subprocess.Popen([*(sys.argv[1:] or ["crescendo"]), "ask-tell", SWEEP], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
running = {}  # trial: (configuration, epochs so far)

def tell(**event):
    print(json.dumps(event), file=crescendo.stdin, flush=True)
    for action in json.loads(crescendo.stdout.readline())["actions"]:
        if action["action"] == "start_trial":
            running[action["trial"]] = (action["config"], 0)
        elif action["action"] == "stop_trial":
            del running[action["trial"]]
        elif action["action"] == "finish_sweep":
            print(json.dumps(action["best"]))

tell(event="slots_joined", slots=4)
while running:  # one epoch of each running trial; a real launcher would train them in parallel
    for trial in list(running):
        if trial not in running:  # another trial's report ended the sweep
            continue
        config, epoch = running[trial]
        running[trial] = (config, epoch + 1)
        loss = math.log10(config["lr"] / 0.1) ** 2 + (config["momentum"] - 0.9) ** 2 + 1 / (epoch + 1)
        tell(event="trial_reported", trial=trial, resource=epoch + 1, metrics={"val_loss": loss})
