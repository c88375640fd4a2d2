#!/usr/bin/env python3
"""Installs the build, moves the tree elsewhere, and trains a trial with what is there.

usage: install.py BUILD CMAKE
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SWEEP = """
name: moved
metric: {name: train_loss}
run_cap: 1
slots: 1
parameters: {lr: {value: 0.1}}
scheduler: {type: fifo, max: 1}
trainer: {model: autoencoder, data: {train: "flow.h5:/train"}}
"""


def main():
    build, cmake = sys.argv[1:]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENDO_")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def run(*command):
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)

        run(cmake, "--install", build, "--prefix", folder / "here")
        shutil.move(folder / "here", folder / "there")
        crescendo = folder / "there/bin/crescendo"
        (folder / "sweep.yaml").write_text(SWEEP)
        run(crescendo, "data", "generate", "flow.h5:/train", "--flow", "--samples", "16", "--size", "16",
            "--target", "none")
        run(crescendo, "run", "sweep.yaml")
        assert (folder / "moved/trials/000000/checkpoint.pt").exists()
        assert "resume" in (folder / "there/share/man/man1/crescendo-resume.1").read_text()
        assert (folder / "there/share/doc/crescendo/README.md").exists()
    print("an installed tree trains where it was moved to")


if __name__ == "__main__":
    main()
