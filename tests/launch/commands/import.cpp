
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("import prints a sweep file that validate accepts and that names its source") {
    const TemporaryFolder folder;
    write_file(folder / "train.py", "");
    write_file(folder / "experiment.yaml",
               "entrypoint: python3 train.py\nsearcher: {name: random, metric: loss, max_length: {batches: 100}, "
               "max_trials: 5}\nhyperparameters: {lr: {type: log, minval: -3, maxval: -1}}\n");

    const auto imported = run_crescendo(folder.path(), {"import", "experiment.yaml"});
    write_file(folder / "sweep.yaml", imported.out);
    const auto valid = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    REQUIRE_MESSAGE(imported.code == 0, imported.err);
    CHECK(contains(imported.out, "# From experiment.yaml, a Determined experiment configuration.\n"));
    CHECK(contains(imported.out, "run_cap: 5\n"));
    CHECK_MESSAGE(valid.code == 0, valid.err);
    CHECK(contains(valid.out, "5 trials"));
}

TEST_CASE("import refuses a file of an unknown tool or a missing file, and prints nothing") {
    const TemporaryFolder folder;
    write_file(folder / "notes.yaml", "a: 1\n");

    const auto unknown = run_crescendo(folder.path(), {"import", "notes.yaml"});
    const auto missing = run_crescendo(folder.path(), {"import", "none.yaml"});

    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "notes.yaml: is not a file of a known tool"));
    CHECK(unknown.out.empty());
    CHECK(missing.code == 2);
    CHECK(contains(missing.err, "none.yaml"));
}

TEST_CASE("import prints an incomplete file and then an error that names what it lacks") {
    const TemporaryFolder folder;
    write_file(folder / "study.json", R"({"x": {"name": "FloatDistribution",
      "attributes": {"low": 0.0, "high": 1.0, "log": true}}})");

    const auto result = run_crescendo(folder.path(), {"import", "study.json"});

    CHECK(result.code == 2);
    CHECK(contains(result.out, "x: {distribution: log_uniform_values, min: 0.0, max: 1.0}"));
    CHECK(contains(result.err, "the printed file:"));
    CHECK(contains(result.err, "parameters.x"));
}
