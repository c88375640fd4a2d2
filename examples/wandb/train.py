#!/usr/bin/env python3
"""A Weights & Biases script that does not know Crescendo: a linear classifier of digits."""

import wandb
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split

run = wandb.init(project="digits", config={"lr": 0.01, "alpha": 0.0001, "epochs": 27})
config = run.config
x, y = load_digits(return_X_y=True)
x_train, x_val, y_train, y_val = train_test_split(x / 16, y, random_state=0)
model = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=config.lr, alpha=config.alpha, random_state=0)
for epoch in range(config.epochs):
    model.partial_fit(x_train, y_train, classes=range(10))
    run.log({"epoch": epoch, "val_accuracy": model.score(x_val, y_val)})
