#!/usr/bin/env python3
"""Checks what scripts/install.sh and scripts/libraries.sh do on machines unlike this one. Stand-ins take the place of
commands, so that nothing is installed.

usage: requirements.py ROOT
"""
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()


class Machine:
    """A machine with Debian's commands, on which no package is installed and our user is root."""

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "bin").mkdir()
        self.command("dpkg-query", "exit 1")
        self.command("id", "echo 0")
        self.command("apt-cache", "exit 0")
        self.command("apt-get", 'echo "$*" >> "$MACHINE/asked"')

    def command(self, name, script):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def run(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRESCENDO_")}
        environment.update(variables, MACHINE=str(self.folder), PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        terminal, stdin = pty.openpty()  # where sudo could ask for a password
        try:
            return subprocess.run(words, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
        finally:
            os.close(stdin)
            os.close(terminal)

    def install(self, *arguments, **variables):
        """Runs install.sh, for which libraries.sh has nothing to do."""
        scripts = self.folder / "scripts"
        scripts.mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts/install.sh", scripts)
        (scripts / "libraries.sh").write_text("#!/bin/sh\n")
        (scripts / "libraries.sh").chmod(0o755)
        return self.run(scripts / "install.sh", *arguments, **variables)

    def installed(self):
        asked = (self.folder / "asked").read_text().splitlines()
        return [word for line in asked if " install " in line for word in line.split() if not word.startswith("-")]


class Requirements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)

    def test_a_package_that_the_release_lacks_does_not_keep_the_others_from_being_installed(self):
        self.machine.command("apt-cache", '[ "$2" != libre2-dev ]')

        result = self.machine.install("light")

        self.assertIn("cmake", self.machine.installed())
        self.assertNotIn("libre2-dev", self.machine.installed())
        self.assertIn("apt-get does not know libre2-dev; the build continues", result.stdout)

    def test_packages_are_installed_even_if_a_source_of_packages_cannot_be_read(self):
        self.machine.command("apt-get", 'echo "$*" >> "$MACHINE/asked"; [[ $* != *update ]]')

        self.assertEqual(self.machine.install("light").returncode, 0)

        self.assertIn("cmake", self.machine.installed())

    def test_packages_are_installed_once_another_apt_get_is_done(self):
        self.machine.command("apt-get", '[[ $* = *DPkg::Lock::Timeout=* ]] && echo "$*" >> "$MACHINE/asked"')

        self.machine.install("light")

        self.assertIn("cmake", self.machine.installed())

    def test_a_user_whom_sudo_refuses_is_asked_for_a_password_once(self):
        self.machine.command("id", "echo 1000")
        self.machine.command("sudo", '[ "$1" = -n ] || echo "$*" >> "$MACHINE/asked"; exit 1')

        result = self.machine.install("light")

        self.assertEqual(len((self.machine.folder / "asked").read_text().splitlines()), 1)
        self.assertIn("installing them needs root", result.stdout)

    def test_an_unknown_argument_installs_nothing(self):
        result = self.machine.install("--help")

        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown argument: --help", result.stdout)
        self.assertFalse((self.machine.folder / "asked").exists())

    def test_a_folder_with_other_files_is_not_removed(self):
        mine = self.machine.folder / "mine"
        mine.mkdir()
        (mine / "thesis.tex").touch()

        result = self.machine.install(CRESCENDO_VENV=str(mine), PYTHONHOME="nowhere")  # Python does not start

        self.assertEqual(result.returncode, 2)
        self.assertTrue((mine / "thesis.tex").exists())

    def test_an_interrupted_installation_starts_over(self):
        venv = self.machine.folder / "venv"
        venv.mkdir()
        for name in (".begun", "part"):
            (venv / name).touch()

        self.machine.install(CRESCENDO_VENV=str(venv), PYTHONHOME="nowhere")  # Python does not start

        self.assertFalse((venv / "part").exists())

    def test_the_compiler_may_be_several_words(self):
        self.machine.command("compiler", "exit 0")  # finds all headers, so nothing is built

        result = self.machine.run(ROOT / "scripts/libraries.sh", CXX="env compiler",
                                  CRESCENDO_LIBRARIES=str(self.machine.folder / "libraries"))

        self.assertEqual((result.returncode, result.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
