"""Problems for measure.py and parallel.py: functions with a known minimum, and trainings with recorded curves
(record.py). Spaces are written as in the section `parameters` of a sweep file."""
import csv
import math
import os

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")


def branin(x, y):
    root = y - 5.1 / (4 * math.pi ** 2) * x * x + 5 / math.pi * x - 6
    return root ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann(**x):
    a = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
    p = ((1312, 1696, 5569, 124, 8283, 5886), (2329, 4135, 8307, 3736, 1004, 9991),
         (2348, 1451, 3522, 2883, 3047, 6650), (4047, 8828, 8732, 5743, 1091, 381))
    c = (1, 1.2, 3, 3.2)
    return -sum(c[i] * math.exp(-sum(a[i][j] * (x[f"x{j}"] - 1e-4 * p[i][j]) ** 2 for j in range(6))) for i in range(4))


def ackley(**x):
    n = len(x)
    return (20 + math.e - 20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x.values()) / n))
            - math.exp(sum(math.cos(2 * math.pi * v) for v in x.values()) / n))


def sphere(**x):
    return sum((v - 3.5) ** 2 for v in x.values())


def mixed(optimizer, lr, layers, momentum=None, decay=None):
    """Resembles a training: each optimizer has its best rate, and its own parameter; three layers are best."""
    loss = 0.3 * (math.log10(lr) - {"sgd": -1.5, "adam": -3, "rmsprop": -2.5}[optimizer]) ** 2 + 0.1 * abs(layers - 3)
    if optimizer == "sgd":
        return loss + 2 * (momentum - 0.9) ** 2
    return loss + 0.05 + (0.1 * (math.log10(decay) + 4) ** 2 if optimizer == "adam" else 0.1)


class Function:
    """A function that returns a configuration's loss. Used as a training, its curve falls towards that loss."""

    max_resource = 9

    def __init__(self, call, space, minimum):
        self.call, self.space, self.minimum = call, space, minimum

    def __call__(self, config):
        return self.call(**config)

    def at(self, config):
        """Like Recorded.at."""
        return [self(config) + 1 / epoch for epoch in range(1, self.max_resource + 1)] + [1.0]


class Recorded:
    """Recorded trainings, extended to any configuration by inverse distance weighting (Shepard 1968). A recorded
    configuration has its own curve; others have a weighted mean, dominated by the nearest. So the minimum is that of
    the best recorded configuration. Only trainings with the same choices are averaged."""

    POWER = 8  # above the number of dimensions, so that near points outweigh the many distant ones

    def __init__(self, name, sweep):
        self.space, self.max_resource = sweep["parameters"], sweep["scheduler"]["max"]
        # The loss of a diverging training has no bound, and no search gains from knowing how bad it is.
        with open(os.path.join(RECORDED, f"{name}.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        curves = [[float(row[f"loss_{epoch + 1}"]) for epoch in range(self.max_resource)] for row in rows]
        worst = 2 * sorted(curve[0] for curve in curves)[len(curves) // 2]
        self.nodes = {}
        for row, curve in zip(rows, curves):
            config = {key: self.read(key, row[key]) for key in self.space if row[key] != ""}
            curve = [loss if loss < worst else worst for loss in curve]
            self.nodes.setdefault(self.choices(config), []).append(
                (self.place(config), curve + [float(row["epoch_seconds"])]))
        self.minimum = min(node[1][-2] for nodes in self.nodes.values() for node in nodes)

    def read(self, key, text):
        return text if "values" in self.space[key] else float(text)

    def choices(self, config):
        return tuple(config[key] for key in self.space if "values" in self.space[key])

    def place(self, config):
        """Returns the configuration's numbers as a point in the unit cube."""
        place = []
        for key, its in self.space.items():
            if "values" not in its and key in config:
                scale = math.log if its.get("distribution") == "log_uniform_values" else float
                low, high = scale(its["min"]), scale(its["max"])
                place.append((scale(config[key]) - low) / (high - low))
        return place

    def at(self, config):
        """Returns the losses after 1, 2, … epochs, and the seconds per epoch."""
        place, total, sums = self.place(config), 0.0, [0.0] * (self.max_resource + 1)
        for there, values in self.nodes[self.choices(config)]:
            squared = sum((a - b) ** 2 for a, b in zip(place, there))
            if squared < 1e-12:
                return values
            weight = squared ** (-self.POWER / 2)
            total += weight
            sums = [each + weight * value for each, value in zip(sums, values)]
        return [each / total for each in sums]

    def __call__(self, config):
        return self.at(config)[self.max_resource - 1]


def training(model, data, more, parameters):
    """Returns the sweep that records a problem: `sobol` points, each trained for nine epochs."""
    space = {"optimizer": {"values": ["sgd", "adamw"]},
             "lr": {"distribution": "log_uniform_values", "min": 1e-4, "max": 0.3},
             "momentum": {"min": 0.0, "max": 0.99, "when": "optimizer == 'sgd'"}, **parameters}
    return {"method": "sobol", "seed": 1, "run_cap": 128, "metric": {"name": "val_loss", "goal": "minimize"},
            "scheduler": {"type": "fifo", "max": 9}, "parameters": space,
            "trainer": {"model": model, **more, "data": {"train": f"{data}:/train", "validation": f"{data}:/validation",
                                                         **({"normalize": "standard"} if data == "flow.h5" else {})}}}


def whole(low, high):
    return {"distribution": "int_uniform", "min": low, "max": high}


DECAY = {"distribution": "log_uniform_values", "min": 1e-6, "max": 1e-1}
SWEEPS = {
    "mlp": training("mlp", "fashion.h5", {"batch_size": 64},
                    {"weight_decay": DECAY, "width": whole(16, 256), "depth": whole(1, 3)}),
    "cnn": training("cnn", "fashion.h5", {"batch_size": 64},
                    {"weight_decay": DECAY, "width": whole(4, 16), "dropout": {"min": 0.0, "max": 0.6}}),
    "autoencoder": training("autoencoder", "flow.h5", {"batch_size": 16, "depth": 3},
                            {"width": whole(4, 12), "latent": whole(4, 16),
                             "activation": {"values": ["relu", "gelu", "tanh"]}})}
RECORDINGS = {name: Recorded(name, sweep) for name, sweep in SWEEPS.items()
              if os.path.exists(os.path.join(RECORDED, f"{name}.csv"))}
MIXED = {"optimizer": {"values": ["sgd", "adam", "rmsprop"]},
         "lr": {"distribution": "log_uniform_values", "min": 1e-5, "max": 1.0},
         "layers": whole(1, 8), "momentum": {"min": 0.0, "max": 0.99, "when": "optimizer == 'sgd'"},
         "decay": {"distribution": "log_uniform_values", "min": 1e-6, "max": 1e-1, "when": "optimizer == 'adam'"}}
PROBLEMS = {
    "Branin": Function(branin, {"x": {"min": -5.0, "max": 10.0}, "y": {"min": 0.0, "max": 15.0}}, 0.397887),
    "Hartmann-6": Function(hartmann, {f"x{i}": {"min": 0.0, "max": 1.0} for i in range(6)}, -3.32237),
    "Ackley-10": Function(ackley, {f"x{i}": {"min": -20.0, "max": 40.0} for i in range(10)}, 0.0),
    "mixed": Function(mixed, MIXED, 0.0), **RECORDINGS}
FURTHER = {"sphere-20": Function(sphere, {f"x{i}": {"min": -5.0, "max": 5.0} for i in range(20)}, 0.0)}  # for measure.py
QUICK_PROBLEMS = ("mixed", "mlp")  # a function and a recording, both with conditions
