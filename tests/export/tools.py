#!/usr/bin/env python3
"""Exports a sweep, and reads it with the programs that the exports are for: Optuna with both kinds of plots, its
dashboard, TensorBoard and MLflow.

A program that is not installed is named and skipped. If none is installed, the test is skipped.

usage: tools.py CRESCENDO
"""
import contextlib
import importlib.util
import json
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import warnings
from pathlib import Path

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
CRESCENDO = str(Path(sys.argv.pop(1)).absolute()) if len(sys.argv) > 1 else ""
TOOLS = ("optuna", "plotly", "matplotlib", "optuna_dashboard", "tensorboard", "mlflow")
PARAMETERS = ("lr", "momentum", "dropout", "width", "act")
METRIC = "val_accuracy"


def needs(tool):
    return unittest.skipUnless(importlib.util.find_spec(tool), f"{tool} is not installed: scripts/install.sh tools")


class ToolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.sweep = cls.folder / "sweep"
        maker = Path(__file__).parent.parent / "report/virtual_sweep.py"
        subprocess.run([sys.executable, maker, CRESCENDO, cls.sweep, "--trials", "60", "--slots", "8", "--max", "9",
                        "--faults", "60", "--fault-rate", "0.2"], check=True, stdout=subprocess.DEVNULL)
        cls.trials = cls.asked("trials")
        cls.best = cls.asked("best")

    @classmethod
    def asked(cls, verb):
        return json.loads(subprocess.run([CRESCENDO, verb, cls.sweep, "--format", "json"], check=True,
                                         capture_output=True).stdout)

    def export(self, to):
        out = self.folder / to
        subprocess.run([CRESCENDO, "export", self.sweep, "--to", to, "--out", out], check=True, capture_output=True)
        return out

    def reports(self):
        """The reports of each trial in the JSON export."""
        reports = {}
        for each in json.loads((self.export("json") / "reports.json").read_text()):
            reports.setdefault(each["trial"], []).append(each)
        return reports

    def given(self, trial):
        return {name: trial[name] for name in PARAMETERS}

    def study(self):
        """The study that Optuna reads from the export, and its storage."""
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        storage = optuna.storages.JournalStorage(
            optuna.storages.journal.JournalFileBackend(str(self.export("optuna") / "study.log")))
        return optuna.load_study(study_name=None, storage=storage), storage

    @needs("optuna")
    def test_optuna_loads_the_study_and_its_importances_and_copies_it_to_a_database(self):
        import optuna
        study, storage = self.study()

        self.assertEqual(study.direction.name, "MAXIMIZE")
        self.assertEqual([trial.params for trial in study.trials], [self.given(trial) for trial in self.trials])
        names = {"finished": "COMPLETE", "stopped": "PRUNED", "failed": "FAIL"}
        for trial, expected in zip(study.trials, self.trials):
            diverged = expected["status"] == "finished" and expected[METRIC] is None
            self.assertEqual(trial.state.name, "FAIL" if diverged else names[expected["status"]])
        curves = {number: {each["resource"]: each[METRIC] for each in reports}
                  for number, reports in self.reports().items()}
        for trial in study.trials:
            seen = {at: None if math.isnan(value) else value for at, value in trial.intermediate_values.items()}
            self.assertEqual(seen, curves.get(trial.number, {}))
        done = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
        self.assertEqual(study.best_value, max(trial.value for trial in done))
        importances = optuna.importance.get_param_importances(study)
        self.assertEqual(set(importances), set(PARAMETERS))
        self.assertAlmostEqual(sum(importances.values()), 1)

        optuna.copy_study(from_study_name=study.study_name, from_storage=storage,
                          to_storage=f"sqlite:///{self.folder}/study.db")
        copy = optuna.load_study(study_name=None, storage=f"sqlite:///{self.folder}/study.db")
        self.assertEqual([trial.params for trial in copy.trials], [trial.params for trial in study.trials])
        for storage_file in (self.folder / "study.db", self.folder / "optuna/study.log"):
            imported = subprocess.run([CRESCENDO, "import", storage_file], check=True, capture_output=True, text=True)
            self.assertIn("metric: {name: val_accuracy, goal: maximize}", imported.stdout)
            self.assertIn("lr: {distribution: log_uniform_values, min: 0.0001, max: 0.5}", imported.stdout)
            self.assertIn("act: {values: [relu, tanh, gelu]}", imported.stdout)

    @needs("optuna")
    @needs("plotly")
    def test_optuna_draws_its_plots(self):
        import optuna.visualization as plots
        study, _ = self.study()
        states = [trial.state.name for trial in study.trials]

        history = plots.plot_optimization_history(study).data[0]
        curves = plots.plot_intermediate_values(study).data
        bars = plots.plot_param_importances(study).data[0]
        axes = plots.plot_parallel_coordinate(study).layout.xaxis.ticktext
        times = plots.plot_timeline(study).data

        self.assertEqual(list(history.y), [trial.value for trial in study.trials if trial.state.name == "COMPLETE"])
        self.assertEqual(len(curves), sum(bool(trial.intermediate_values) and trial.state.name != "FAIL"
                                          for trial in study.trials))
        self.assertEqual(sorted(bars.y), sorted(PARAMETERS))
        self.assertEqual(list(axes), ["Objective Value", *sorted(PARAMETERS)])
        self.assertEqual({each.name: len(each.x) for each in times}, {name: states.count(name) for name in set(states)})
        for plot in (plots.plot_slice, plots.plot_contour, plots.plot_rank, plots.plot_edf):
            self.assertTrue(plot(study).data)

    @needs("optuna")
    @needs("matplotlib")
    def test_optuna_draws_its_plots_with_matplotlib(self):
        import matplotlib
        matplotlib.use("Agg")
        warnings.filterwarnings("ignore", category=Warning, module=__name__)  # Optuna calls these plots experimental
        import matplotlib.pyplot as pyplot
        import numpy
        import optuna.visualization.matplotlib as plots
        self.addCleanup(pyplot.close, "all")
        study, _ = self.study()
        done = [trial.value for trial in study.trials if trial.state.name == "COMPLETE"]

        history = plots.plot_optimization_history(study)
        curves = plots.plot_intermediate_values(study).lines
        bars = plots.plot_param_importances(study)
        times = plots.plot_timeline(study)
        grids = [numpy.ravel(plot(study, params=["lr", "momentum"]))
                 for plot in (plots.plot_slice, plots.plot_contour, plots.plot_rank)]
        axes = plots.plot_parallel_coordinate(study)
        edf = plots.plot_edf(study)

        self.assertEqual([value for _, value in history.collections[0].get_offsets()], done)
        self.assertEqual(len(curves), sum(bool(trial.intermediate_values) and trial.state.name != "FAIL"
                                          for trial in study.trials))
        self.assertEqual(sorted(label.get_text() for label in bars.get_yticklabels()), sorted(PARAMETERS))
        self.assertEqual(len(times.patches), len(study.trials))
        self.assertEqual([len(grid) for grid in grids], [2, 1, 1])
        self.assertTrue(all(axis.has_data() for grid in grids for axis in grid))
        self.assertEqual([label.get_text() for label in axes.get_xticklabels()],
                         ["Objective Value", *sorted(PARAMETERS)])
        self.assertEqual(len(edf.lines), 1)

    @contextlib.contextmanager
    def dashboard(self, storage):
        """The address of optuna-dashboard on this storage."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        log = self.folder / "dashboard.log"
        with log.open("w") as output:
            server = subprocess.Popen([Path(sys.executable).with_name("optuna-dashboard"), "--host", "127.0.0.1",
                                       "--port", str(port), storage], stdout=output, stderr=output)
        try:
            for _ in range(3000):
                with contextlib.suppress(ConnectionRefusedError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                self.assertIsNone(server.poll(), log.read_text())
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()

    @needs("optuna_dashboard")
    def test_the_dashboard_of_optuna_opens_the_study(self):
        def read(url):
            with urllib.request.urlopen(url, timeout=60) as answer:
                return answer.read()

        with self.dashboard(self.export("optuna") / "study.log") as address:
            self.assertIn(b"<html", read(f"{address}/dashboard/").lower())
            studies = json.loads(read(f"{address}/api/studies"))["study_summaries"]
            study = json.loads(read(f"{address}/api/studies/{studies[0]['study_id']}?after=0"))

        self.assertEqual([(each["study_name"], each["directions"]) for each in studies], [("sweep", ["maximize"])])
        self.assertEqual([{each["name"]: each["param_external_value"] for each in trial["params"]}
                          for trial in study["trials"]],
                         [{name: str(value) for name, value in self.given(trial).items()} for trial in self.trials])

    @needs("tensorboard")
    def test_tensorboard_reads_every_scalar_and_the_table_of_hyperparameters(self):
        from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
        from tensorboard import context
        from tensorboard.plugins import base_plugin
        from tensorboard.plugins.hparams import api_pb2, backend_context, get_experiment, list_session_groups
        multiplexer = plugin_event_multiplexer.EventMultiplexer()
        multiplexer.AddRunsFromDirectory(str(self.export("tensorboard")))
        multiplexer.Reload()

        for number, reports in self.reports().items():
            accumulator = multiplexer.GetAccumulator(f"{number:06}")
            seen = [(tensor.step, tensor.tensor_proto) for tensor in accumulator.Tensors(METRIC)]
            self.assertEqual([step for step, _ in seen], [each["resource"] for each in reports])
            for (_, tensor), report in zip(seen, reports):
                value = tensor.float_val[0]
                if report[METRIC] is None:
                    self.assertTrue(math.isnan(value))
                else:
                    self.assertAlmostEqual(value, report[METRIC], places=6)

        backend = backend_context.Context(
            base_plugin.TBContext(data_provider=data_provider.MultiplexerDataProvider(multiplexer, "")))
        asked = context.RequestContext()
        experiment = get_experiment.Handler(asked, backend, "", api_pb2.GetExperimentRequest()).run()
        infos = {info.name: info for info in experiment.hparam_infos}
        self.assertEqual(set(infos), set(PARAMETERS))
        self.assertEqual(infos["lr"].domain_interval.max_value, 0.5)
        self.assertEqual(list(infos["act"].domain_discrete), ["relu", "tanh", "gelu"])
        request = api_pb2.ListSessionGroupsRequest(
            start_index=0, slice_size=100, allowed_statuses=[
                api_pb2.STATUS_UNKNOWN, api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE, api_pb2.STATUS_RUNNING],
            col_params=[api_pb2.ColParams(metric=metric.name) for metric in experiment.metric_infos])
        groups = list_session_groups.Handler(asked, backend, "", request).run().session_groups
        failed = [int(group.name) for group in groups if group.sessions[0].status == api_pb2.STATUS_FAILURE]
        self.assertEqual(sorted(failed), [trial["trial"] for trial in self.trials if trial["status"] == "failed"])
        table = {int(group.name): group for group in groups}
        self.assertEqual(sorted(table), [trial["trial"] for trial in self.trials])
        for trial in self.trials:
            shown = table[trial["trial"]].hparams
            self.assertEqual({name: shown[name].string_value or shown[name].number_value for name in PARAMETERS},
                             self.given(trial))

    @needs("mlflow")
    def test_mlflow_lists_the_runs_with_parameters_and_curves(self):
        import mlflow
        client = mlflow.MlflowClient(f"file:{self.export('mlflow')}")
        experiment = client.get_experiment_by_name("sweep")

        runs = {int(run.data.tags["crescendo.trial"]): run for run in
                client.search_runs([experiment.experiment_id], max_results=1000)}

        self.assertEqual(sorted(runs), [trial["trial"] for trial in self.trials])
        for trial in self.trials:
            run = runs[trial["trial"]]
            self.assertEqual(run.info.status, "FAILED" if trial["status"] == "failed" else "FINISHED")
            read = {name: value if name == "act" else float(value) for name, value in run.data.params.items()}
            self.assertEqual(read, self.given(trial))
        for number, reports in self.reports().items():
            history = client.get_metric_history(runs[number].info.run_id, METRIC)
            self.assertEqual([(each.step, None if math.isnan(each.value) else each.value) for each in history],
                             [(each["resource"], each[METRIC]) for each in reports])
        found = client.search_runs([experiment.experiment_id], order_by=[f"metrics.{METRIC} DESC"], max_results=1)
        self.assertAlmostEqual(found[0].data.metrics[METRIC], max(trial[METRIC] or 0 for trial in self.trials))


if __name__ == "__main__":
    if not any(importlib.util.find_spec(tool) for tool in TOOLS):
        print(f"skipped: none of {', '.join(TOOLS)} is installed; scripts/install.sh tools")
        sys.exit(77)
    unittest.main(verbosity=2)
