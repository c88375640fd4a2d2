"""A trial outside a sweep, for tests of what it does and what it refuses."""

import argparse
import contextlib
import io
import unittest

import torch

from crescendo.torch import alone
from crescendo.torch.trial import Trial

CPU = torch.device("cpu")


def captured():
    """Captures what is printed in this context."""
    return contextlib.redirect_stdout(io.StringIO())


class Stateless:
    """Can be attached, but has no state to keep."""

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Alone(unittest.TestCase):
    """A trial outside a sweep."""

    def setUp(self):
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.begin()

    def begin(self, number=0):
        self.trial = Trial(alone.Alone(CPU), argparse.Namespace(), device=CPU, number=number, seed=1, directory=None)

    def attach(self, **more):
        self.trial.attach(model=self.model, optimizer=self.optimizer, **more)

    def backward(self, x):
        self.model(x).sum().backward()

    def step(self, x):
        self.optimizer.zero_grad()
        self.backward(x)
        self.optimizer.step()

    def train_on(self, loader):
        """Takes the remaining steps of an epoch."""
        for (x,) in self.trial.batches(loader):
            self.step(x)
