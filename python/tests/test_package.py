"""`pip install ./python` installs a complete package."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES = Path(__file__).parents[1]


@unittest.skipUnless(importlib.util.find_spec("setuptools"), "not installed: setuptools")
class PackageTest(unittest.TestCase):
    def test_it_has_every_module_and_its_types_and_works_without_dependencies(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder, "python")
            tree.mkdir()
            shutil.copy(SOURCES / "pyproject.toml", tree)
            shutil.copytree(SOURCES / "crescendo", tree / "crescendo", ignore=shutil.ignore_patterns("__pycache__"))
            setup = [sys.executable, "-c", "import setuptools; setuptools.setup()", "egg_info", "build_py"]
            subprocess.run([*setup, "--build-lib", "installed"], cwd=tree, check=True, capture_output=True)
            installed = tree / "installed"
            packed = {str(path.relative_to(installed)) for path in installed.rglob("*.*")}
            metadata = (tree / "crescendo.egg-info/PKG-INFO").read_text()
            program = "import crescendo; t = crescendo.trial(); [t.report(loss=epoch) for epoch in t.epochs(1)]"
            alone = [sys.executable, "-S", "-c", program]  # -S: without any other package
            environment = {"PYTHONPATH": str(installed)}
            ran = subprocess.run(alone, cwd=folder, env=environment, check=True, capture_output=True, text=True)

        sources = {str(path.relative_to(SOURCES)) for path in (SOURCES / "crescendo").rglob("*.py")}
        self.assertEqual(packed, sources | {"crescendo/py.typed"})
        self.assertNotIn("Requires-Dist", metadata)
        self.assertEqual(ran.stdout, "epoch 1: loss 1.0\n")

    def test_it_states_no_licence_in_a_way_that_some_setuptools_refuse(self):
        # setuptools refuses a table from 2027 on, and a string before version 77.
        self.assertNotRegex((SOURCES / "pyproject.toml").read_text(), r"(?m)^license\b")


if __name__ == "__main__":
    unittest.main()
