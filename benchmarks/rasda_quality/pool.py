"""Records learning curves for sweeps.py: trains configurations of a problem to the end, at a constant batch.

    python benchmarks/rasda_quality/pool.py cnn build/demo/fashion.h5                    resumable: adds to pool_cnn.csv
    python benchmarks/rasda_quality/pool.py autoencoder build/flow/flow.h5 --most 60

Each row is an epoch, with the trainer's CPU seconds: how long the epoch takes on a core of its own. The last row of a
training has the metrics of the test data.
"""
import argparse
import os

from curves import HERE, PROBLEMS, QUICK, train_all
from recorded import read, writer

COLUMNS = ["config", "optimizer", "lr", "epoch", "seconds", "train_loss", "val_loss", "val_accuracy", "test_loss",
           "test_accuracy"]


def path_of(problem):
    return os.path.join(HERE, f"pool_{problem}.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=list(PROBLEMS))
    parser.add_argument("data", help="file with the groups train, validation and test")
    parser.add_argument("--pool", help="default: pool_PROBLEM.csv next to this file")
    parser.add_argument("--most", type=int, default=1 if QUICK else 1 << 20, help="configurations")
    arguments = parser.parse_args()
    path = arguments.pool or path_of(arguments.problem)

    done = {int(row["config"]) for row in read(path)}
    todo = [config for config in range(arguments.most) if config not in done]

    def job(config):
        return PROBLEMS[arguments.problem].settings(("sgd", "adamw")[config % 2], config // 2, "none",
                                                    os.path.abspath(arguments.data)), config + 1, False

    with writer(path, COLUMNS) as write:
        def keep(number, rows):
            config = todo[number]
            settings = job(config)[0]
            write({"config": config, "optimizer": settings["optimizer"], "lr": f"{settings['lr']:.5g}", **row}
                  for row in rows)
            print(f"{arguments.problem} {config}", flush=True)

        train_all(map(job, todo), keep)


if __name__ == "__main__":
    main()
