#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("the error for a file of an unknown tool says how files of known tools are recognized") {
    CHECK(contains(import_error("a: 1\n"), "file.yaml: is not a file of a known tool: W&B has parameters:"));
    CHECK(contains(import_error(std::string("\x7f" "ELF\0", 5)), "is neither text nor an SQLite database"));
}

TEST_CASE("the error for a script says what to give instead") {
    const auto error =
        error_of([] { import_file({"study.py", "import optuna\nstudy = optuna.create_study(study_name=\"a: b\")\n"}); });

    CHECK(contains(error, "study.py: is a program; give a file that its tool stores: for Optuna, a study's storage"));
    CHECK(contains(error, "docs/your-own-program.md"));
}

TEST_CASE("the error for invalid YAML gives its place") { CHECK(contains(import_error("a: [1,\n"), "file.yaml:")); }

TEST_CASE("a value of the wrong type is an error in the file, not in Crescendo") {
    CHECK(contains(import_error("hyperparameters: {x: {type: int, minval: 1, maxval: 4}}\n"
                                "searcher: {name: 3, metric: loss, max_length: {batches: 9}}\n"),
                   "file.yaml: has a value that its tool would not write (type must be string, but is number)"));
}
