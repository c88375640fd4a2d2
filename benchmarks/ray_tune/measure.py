"""Tunes the demo's problem with Ray Tune 2.60 and with Crescendo: same configurations, ASHA, two slots, one run.

    PYTHON -m pip install --target build/ray "ray[tune]==2.60.*"
    PYTHONPATH=build/ray PYTHON benchmarks/ray_tune/measure.py

18 trials, eta 3, at most 9 epochs of 20,000 images (the demo's data, which `make demo` prepares).
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sweep  # noqa: E402
from harness import CRESCENDO, ROOT  # noqa: E402

SLOTS, TRIALS, EPOCHS, IMAGES, BATCH = 2, 18, 9, 20000, 64
IDX = "/usr/share/datasets/fashion-mnist"

SWEEP = """
name: ours
metric: {{name: val_accuracy, goal: maximize}}
run_cap: {trials}
seed: 1
slots: {slots}
parameters:
  lr: {{distribution: log_uniform_values, min: 0.003, max: 0.3}}
  momentum: {{min: 0.5, max: 0.95}}
  weight_decay: {{distribution: log_uniform_values, min: 1.0e-6, max: 1.0e-3}}
  width: {{values: [8, 16, 24]}}
  dropout: {{min: 0.0, max: 0.4}}
scheduler: {{type: asha, min: 1, max: {epochs}, reduction_factor: 3, rule: percentile}}
trainer: {{model: cnn, optimizer: sgd, batch_size: {batch}, data: {{train: "{data}:/train", validation: "{data}:/validation"}}}}
"""


def trainable(config):
    """Trains one trial of Ray's: the same model, data and steps, in Python."""
    import h5py
    import torch
    from ray import tune
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(1)
    with h5py.File(config["data"]) as file:
        sets = {name: (torch.from_numpy(file[f"/{name}/inputs"][:]), torch.from_numpy(file[f"/{name}/targets"][:]).long())
                for name in ("train", "validation")}
    width = config["width"]
    model = nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(2 * width * 49, 8 * width), nn.ReLU(), nn.Dropout(config["dropout"]),
        nn.Linear(8 * width, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=config["momentum"],
                                weight_decay=config["weight_decay"])
    loss_function = nn.CrossEntropyLoss()
    inputs, targets = sets["train"]
    for epoch in range(EPOCHS):
        begin = time.perf_counter()
        model.train()
        order = torch.randperm(len(inputs))
        for at in range(0, len(order), BATCH):
            mine = order[at:at + BATCH]
            optimizer.zero_grad()
            loss_function(model(inputs[mine].unsqueeze(1).float().div_(255)), targets[mine]).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            x, y = sets["validation"]
            correct = sum((model(x[at:at + 512].unsqueeze(1).float().div_(255)).argmax(1) == y[at:at + 512]).sum().item()
                          for at in range(0, len(x), 512))
        with open(config["log"], "a") as log:
            log.write(f"{time.perf_counter() - begin}\n")
        tune.report({"val_accuracy": correct / len(y)})


def ray_tune(configs, data, log):
    import ray
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    begin = time.perf_counter()
    ray.init(num_cpus=SLOTS, include_dashboard=False, log_to_driver=False)
    tuner = tune.Tuner(
        tune.with_resources(trainable, {"cpu": 1}),
        param_space=tune.grid_search([dict(config, data=data, log=log) for config in configs]),
        tune_config=tune.TuneConfig(
            metric="val_accuracy", mode="max",
            scheduler=ASHAScheduler(time_attr="training_iteration", grace_period=1, max_t=EPOCHS, reduction_factor=3)),
        run_config=tune.RunConfig(verbose=0, storage_path=os.path.dirname(log)))
    results = tuner.fit()
    wall = time.perf_counter() - begin
    ray.shutdown()
    return wall, sum(float(line) for line in open(log)), results.get_best_result().metrics["val_accuracy"]


def main():
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(dir="build") as folder:
        folder = os.path.abspath(folder)
        data = os.path.join(folder, "data.h5")
        for group, samples in (("train", f"0:{IMAGES}"), ("validation", "50000:60000")):
            os.system(f"{CRESCENDO} data convert {IDX}/train-images-idx3-ubyte.gz {IDX}/train-labels-idx1-ubyte.gz "
                      f"{data}:/{group} --samples {samples} >/dev/null")
        path = os.path.join(folder, "sweep.yaml")
        open(path, "w").write(SWEEP.format(trials=TRIALS, slots=SLOTS, epochs=EPOCHS, batch=BATCH, data=data))
        ours = os.path.join(folder, "ours")
        wall = sweep.run(path, ours)
        trials = sweep.read("trials", ours)
        names = ("lr", "momentum", "weight_decay", "width", "dropout")
        rows = [("Crescendo", wall, sweep.training_slot_seconds(ours), max(t["val_accuracy"] for t in trials))]
        theirs = ray_tune([{name: trial[name] for name in names} for trial in trials], data, os.path.join(folder, "ray.log"))
        rows.append(("Ray Tune", *theirs))
    print(f"{'':<10} {'wall s':>8} {'training':>9} {'best':>7}   training: share of {SLOTS} slots x wall")
    for name, wall, training, best in rows:
        print(f"{name:<10} {wall:>8.1f} {100 * training / wall / SLOTS:>8.0f}% {best:>7.4f}")
    print(f"Crescendo takes {rows[0][1] / rows[1][1]:.2f} of Ray Tune's wall time")


if __name__ == "__main__":
    main()
