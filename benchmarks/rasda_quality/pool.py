"""Records learning curves for sweeps.py: trains configurations of a problem to the end, at a constant batch.

    python benchmarks/rasda_quality/pool.py cnn build/demo/fashion.h5                    resumable: adds to pool_cnn.csv
    python benchmarks/rasda_quality/pool.py autoencoder build/flow/flow.h5 --most 60

Each row is an epoch, with the trainer's CPU seconds: how long the epoch takes on a core of its own. The last row of a
training has the metrics of the test data.
"""
import argparse
import csv
import itertools
import os
import sys
import tempfile

from curves import HERE, PROBLEMS, QUICK, train
from harness import Node
from recorded import read

COLUMNS = ["config", "optimizer", "lr", "epoch", "seconds", "train_loss", "val_loss", "val_accuracy", "test_loss",
           "test_accuracy"]


def path_of(problem):
    return os.path.join(HERE, f"pool_{problem}.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=list(PROBLEMS))
    parser.add_argument("data", help="file with the groups train, validation and test")
    parser.add_argument("--pool", help="default: pool_PROBLEM.csv next to this file")
    parser.add_argument("--most", type=int, default=1 if QUICK else sys.maxsize, help="configurations")
    arguments = parser.parse_args()
    path = arguments.pool or path_of(arguments.problem)

    done = {int(row["config"]) for row in read(path)}
    begun = not os.path.exists(path)
    node = Node(1)
    with open(path, "a", newline="") as file, tempfile.TemporaryDirectory() as folder:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        if begun:
            writer.writeheader()
        for config in itertools.count():
            if config >= arguments.most:
                break
            if config in done:
                continue
            optimizer = ("sgd", "adamw")[config % 2]
            settings = PROBLEMS[arguments.problem].settings(optimizer, config // 2, "none",
                                                            os.path.abspath(arguments.data))
            try:
                rows = train(node, folder, settings, seed=config + 1, grows=False)
            except RuntimeError as error:  # a configuration may diverge
                print(f"{config}: {error}", file=sys.stderr)
                node.close()
                node = Node(1)
                continue
            for row in rows:
                writer.writerow({"config": config, "optimizer": optimizer, "lr": f"{settings['lr']:.5g}",
                                 **{key: f"{value:.5g}" if isinstance(value, float) else value
                                    for key, value in row.items()}})
            file.flush()
            print(f"{arguments.problem} {config}", flush=True)
    node.close()


if __name__ == "__main__":
    main()
