"""Lets a Python program train in a Crescendo sweep.

The program reports after each epoch, and stops when Crescendo says so::

    import crescendo

    trial = crescendo.trial()
    for epoch in trial.epochs():
        loss = train_an_epoch()
        trial.report(val_loss=loss)

A notebook reads a sweep's results with `crescendo.load("results/first")`.

Outside a sweep the same program simply runs, and prints its reports. `crescendo.torch` has what a PyTorch program needs
to grow from one worker to many while it trains.
"""

from crescendo.program import Trial, trial
from crescendo.results import Results, load

__all__ = ["Results", "Trial", "load", "trial"]
__version__ = "0.1.0"
