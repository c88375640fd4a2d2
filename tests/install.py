#!/usr/bin/env python3
"""Installs the build, moves the tree elsewhere, and uses it there: it builds a plug-in against it and runs the
plug-in's sweep. If the trainer was built, it trains a trial, and a model of a plug-in.

usage: install.py BUILD CMAKE
"""
import json
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


def train(folder, run, crescendo):
    (folder / "sweep.yaml").write_text(SWEEP)
    run(crescendo, "data", "generate", "flow.h5:/train", "--flow", "--samples", "16", "--size", "16",
        "--target", "none")
    run(crescendo, "run", "sweep.yaml")
    assert (folder / "moved/trials/000000/checkpoint.pt").exists()


def use_plugin(folder, run, crescendo, cmake):
    """Follows examples/plugin/README.md, then resumes and replays the sweep."""
    project = folder / "plugin"
    shutil.copytree(folder / "over there/share/doc/crescendo/examples/plugin", project)
    run(cmake, "-B", "build", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={folder / 'over there'}",
        directory=project)
    run(cmake, "--build", "build", directory=project)
    run(crescendo, "run", "sweep.yaml", directory=project)
    run(crescendo, "resume", "plugin", "--run-cap", "24", directory=project)
    events = [json.loads(line) for line in (project / "plugin/journal.jsonl").read_text().splitlines()]
    proposed = [event for event in events if event.get("event") == "trial_proposed"]
    assert len(proposed) == 24 and all(event["origin"] == "program" for event in proposed), proposed
    assert any(event.get("event") == "trial_stopped" for event in events)
    run(crescendo, "simulate", "--replay", "plugin", directory=project)


def use_model_plugin(folder, run, crescendo, cmake):
    """Follows examples/plugin-model/README.md."""
    project = folder / "model"
    shutil.copytree(folder / "over there/share/doc/crescendo/examples/plugin-model", project)
    ccache = shutil.which("ccache")
    run(cmake, "-B", "build", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={folder / 'over there'}",
        *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}"] if ccache else []), directory=project)
    run(cmake, "--build", "build", directory=project)
    run(crescendo.parent / "crescendo-trainer", "--list", "build/libmine.so", directory=project)
    for group, samples, seed in (("train", "256", "1"), ("validation", "64", "2")):
        run(crescendo, "data", "generate", f"flow.h5:/{group}", "--flow", "--samples", samples, "--size", "16",
            "--seed", seed, directory=project)
    run(crescendo, "run", "sweep.yaml", directory=project)
    events = [json.loads(line) for line in (project / "plugin-model/journal.jsonl").read_text().splitlines()]
    assert any(event.get("event") == "trial_reported" and event["resource"] == 4 for event in events)
    assert not any(event.get("event") == "trial_failed" for event in events)


def ask_for(folder, cmake, components):
    """The output of CMake, in one line, for a project that asks for these components of the package."""
    project = folder / "package"
    project.mkdir(exist_ok=True)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(package LANGUAGES CXX)\n"
        f"find_package(Crescendo REQUIRED {components})\nmessage(FATAL_ERROR \"it is there\")\n")
    said = subprocess.run([cmake, "-B", "build", f"-DCMAKE_PREFIX_PATH={folder / 'over there'}"], cwd=project,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    return " ".join(said.split())


def check_components(folder, cmake, has_trainer):
    assert "it is there" in ask_for(folder, cmake, "COMPONENTS plugin")
    assert "it is there" in ask_for(folder, cmake, "OPTIONAL_COMPONENTS model_plugin")
    assert "it has no component 'model-plugin'" in ask_for(folder, cmake, "COMPONENTS model-plugin")
    models = ask_for(folder, cmake, "COMPONENTS model_plugin")
    assert ("it is there" if has_trainer else "was built without LibTorch") in models, models


def main():
    build, cmake = sys.argv[1:]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENDO_")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment.update(CCACHE_BASEDIR=name, CCACHE_NOHASHDIR="1")  # lets many runs share the compiled files

        def run(*command, directory=folder):
            subprocess.run(command, cwd=directory, env=environment, check=True, stdout=subprocess.DEVNULL)

        # Root installs, perhaps without the modules with which the programs start.
        assert "execute_process" not in (Path(build) / "cmake_install.cmake").read_text()
        run(cmake, "--install", build, "--prefix", folder / "here")
        shutil.move(folder / "here", folder / "over there")
        crescendo = folder / "over there/bin/crescendo"
        has_trainer = (crescendo.parent / "crescendo-trainer").exists()
        check_components(folder, cmake, has_trainer)
        if has_trainer:
            train(folder, run, crescendo)
            use_model_plugin(folder, run, crescendo, cmake)
        use_plugin(folder, run, crescendo, cmake)
        assert "resume" in (folder / "over there/share/man/man1/crescendo-resume.1").read_text()
        assert (folder / "over there/share/doc/crescendo/README.md").exists()
    print("an installed tree works where it was moved to")


if __name__ == "__main__":
    main()
