"""Prints the results of optimizers on eight numbers after 100 updates: what check_reference() gets.

Computes in double precision. The first optimizers are torch's own; the others follow the formulas of their papers.
"""

import math

import torch

UPDATES = 100


def gradient(value, i, update):
    return value + 0.5 + math.sin(0.3 * update + i)


def rate_of(update, rate):
    return rate * (1 - update / 200)


def of_torch(make, rate):
    weight = torch.arange(1.0, 7.0, dtype=torch.float64).view(2, 3).requires_grad_()
    bias = torch.full((2,), -3.0, dtype=torch.float64).requires_grad_()
    optimizer = make([weight, bias])
    for update in range(UPDATES):
        with torch.no_grad():
            for first, tensor in ((0, weight), (6, bias)):
                values = [gradient(x, first + i, update) for i, x in enumerate(tensor.flatten().tolist())]
                tensor.grad = torch.tensor(values, dtype=torch.float64).view(tensor.shape)
        optimizer.param_groups[0]["lr"] = rate_of(update, rate)
        optimizer.step()
    return weight.flatten().tolist() + bias.tolist()


def norm(values):
    return math.sqrt(sum(x * x for x in values))


def lamb(w, g, state, t, rate, layer, decay=0.1):
    m, v = state.setdefault("m", [0.0] * len(w)), state.setdefault("v", [0.0] * len(w))
    for i in range(len(w)):
        m[i] = 0.9 * m[i] + 0.1 * g[i]
        v[i] = 0.999 * v[i] + 0.001 * g[i] ** 2
    way = [m[i] / (1 - 0.9**t) / (math.sqrt(v[i] / (1 - 0.999**t)) + 1e-6) + decay * w[i] for i in range(len(w))]
    ratio = norm(w) / norm(way) if layer else 1.0
    return [w[i] - rate * ratio * way[i] for i in range(len(w))]


def lars(w, g, state, t, rate, layer, decay=0.1, trust=0.02, momentum=0.8):
    v = state.setdefault("v", [0.0] * len(w))
    local = trust * norm(w) / (norm(g) + decay * norm(w)) if layer else 1.0
    for i in range(len(w)):
        v[i] = momentum * v[i] + rate * local * (g[i] + decay * w[i])
    return [w[i] - v[i] for i in range(len(w))]


def schedule_free(y, g, state, t, rate, layer, decay=0.1, beta=0.8):
    x, z = state.setdefault("x", list(y)), state.setdefault("z", list(y))
    v = state.setdefault("v", [0.0] * len(y))
    state["largest"] = max(state.get("largest", 0.0), rate)
    state["sum"] = state.get("sum", 0.0) + state["largest"] ** 2
    share = state["largest"] ** 2 / state["sum"]
    for i in range(len(y)):
        v[i] = 0.999 * v[i] + 0.001 * g[i] ** 2
        z[i] -= rate * (g[i] / (math.sqrt(v[i] / (1 - 0.999**t)) + 1e-8) + decay * y[i])
        x[i] = (1 - share) * x[i] + share * z[i]
    return [(1 - beta) * z[i] + beta * x[i] for i in range(len(y))]


def of_formula(rule, rate):
    tensors = [[float(x) for x in range(1, 7)], [-3.0, -3.0]]
    states = [{}, {}]
    for update in range(UPDATES):
        for k, first in ((0, 0), (1, 6)):
            g = [gradient(x, first + i, update) for i, x in enumerate(tensors[k])]
            tensors[k] = rule(tensors[k], g, states[k], update + 1, rate_of(update, rate), layer=k == 0)
    averages = [x for state in states for x in state.get("x", [])]
    return tensors[0] + tensors[1], averages


def show(name, values):
    print(f"{name}: {', '.join(f'{x:.9g}' for x in values)}")


optim = torch.optim
show("nadamw", of_torch(lambda p: optim.NAdam(p, weight_decay=0.1, decoupled_weight_decay=True), 0.05))
show("rmsprop", of_torch(lambda p: optim.RMSprop(p, alpha=0.9, momentum=0.8, centered=True, weight_decay=0.1), 0.002))
eps = torch.finfo(torch.float32).eps  # ours is also that of float32
show("adafactor", of_torch(lambda p: optim.Adafactor(p, eps=(eps, 1e-3), weight_decay=0.1), 0.05))
show("lamb", of_formula(lamb, 0.02)[0])
show("lars", of_formula(lars, 0.1)[0])
show("schedule_free", of_formula(schedule_free, 0.05)[0])
show("schedule_free, averages", of_formula(schedule_free, 0.05)[1])
