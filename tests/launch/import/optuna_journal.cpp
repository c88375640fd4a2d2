#include <doctest/doctest.h>

#include "launch/import/optuna_study.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

const std::string first = R"({"op_code":0,"worker_id":"w","study_name":"a/b","directions":[2]}
{"op_code":3,"worker_id":"w","study_id":0,"system_attr":{"study:metric_names":["accuracy"]}}
{"op_code":4,"worker_id":"w","study_id":0,"datetime_start":"2026-11-22T23:48:48.522295+00:00"}
{"op_code":5,"worker_id":"w","trial_id":0,"param_name":"x","distribution":")"
    R"({\"name\": \"FloatDistribution\", \"attributes\": {\"low\": 0.0, \"high\": 1.0, \"log\": false}}"}
{"op_code":7,"worker_id":"w","trial_id":0,"step":2,"intermediate_value":NaN}
{"op_code":6,"worker_id":"w","trial_id":0,"state":2,"values":[-Infinity],"datetime_complete":"NaN \" Infinity"}
)";
const std::string second = R"({"op_code":0,"worker_id":"w","study_name":"other","directions":[1,1]}
)";

}  // namespace

TEST_CASE("a study in a journal keeps its name, its direction and the parameters of its trials") {
    const auto text = imported(first + "{\"op_code\":7,\"torn");

    CHECK(contains(text, "# From file.yaml, an Optuna journal.\n"));
    CHECK(contains(text, "name: a-b\nmetric: {name: accuracy, goal: maximize}\n"));
    CHECK(contains(text, "run_cap: 1  # the number of trials in the study\n"));
    CHECK(contains(text, "  x: {distribution: uniform, min: 0.0, max: 1.0}\n"));
}

TEST_CASE("a parameter that only some trials have gets a comment, because a study keeps no conditions") {
    const auto trial = [](int number, const std::vector<std::string>& names) {
        std::string text = R"({"op_code":4,"worker_id":"w","study_id":0})" "\n";
        for (const auto& name : names) {
            text += R"({"op_code":5,"worker_id":"w","trial_id":)" + std::to_string(number) + R"(,"param_name":")" + name +
                    R"(","distribution":"{\"name\": \"FloatDistribution\", \"attributes\": {\"low\": 0.0, )"
                    R"(\"high\": 1.0, \"log\": false}}"})" "\n";
        }
        return text;
    };

    const auto text = imported(first + trial(1, {"x", "y"}) + trial(2, {}));

    CHECK(contains(text, "  x: {distribution: uniform, min: 0.0, max: 1.0}\n"));
    CHECK(contains(text, "1 of 2 trials have it; if other parameters decide that, add when:"));
}

TEST_CASE("a parameter that had another range in other trials gets a comment") {
    const auto text = imported(
        first + R"({"op_code":4,"worker_id":"w","study_id":0})"
                "\n"
                R"({"op_code":5,"worker_id":"w","trial_id":1,"param_name":"x","distribution":)"
                R"("{\"name\": \"FloatDistribution\", \"attributes\": {\"low\": 0.0, \"high\": 9.0, \"log\": false}}"})"
                "\n");

    CHECK(contains(text, "x: {distribution: uniform, min: 0.0, max: 9.0}  # other trials had another range"));
    CHECK_FALSE(contains(imported(first), "another range"));
}

TEST_CASE("if a journal has several studies, one must be named") {
    const auto import_study = [](const std::string& study) {
        return error_of([&] { import_file({"j.log", first + second, study}); });
    };

    CHECK(contains(import_error(first + second), "file.yaml: holds 2 studies; add --study with one of 'a/b', 'other'"));
    CHECK(import_study("a/b") == "no error");
    CHECK(contains(import_study("other"), "the study has no trial with parameters yet"));
    CHECK(contains(import_study("none"), "holds no study 'none'; it holds 'a/b', 'other'"));
}

TEST_CASE("a study that several workers open is one study, and later studies keep their numbers") {
    const auto again = first.substr(0, first.find('\n') + 1);
    const std::string trial_of_other =
        R"({"op_code":4,"worker_id":"w","study_id":1})"
        "\n"
        R"({"op_code":5,"worker_id":"w","trial_id":1,"param_name":"y","distribution":")"
        R"({\"name\": \"FloatDistribution\", \"attributes\": {\"low\": 0.0, \"high\": 1.0, \"log\": false}}"})"
        "\n";

    CHECK(contains(imported(first + again), "name: a-b\n"));
    const auto studies = studies_of_journal(first + again + second + again + trial_of_other, "j");
    REQUIRE(studies.size() == 2);
    CHECK(studies[1].name == "other");
    CHECK(studies[1].distributions.contains("y"));
}

TEST_CASE("a deleted study is gone, and the error for an invalid line gives its number") {
    CHECK(studies_of_journal(first + R"({"op_code":1,"worker_id":"w","study_id":0})" + "\n", "j").empty());
    CHECK(contains(import_error(first + "no record\n"), "file.yaml:7: is not a record of an Optuna journal"));
}
