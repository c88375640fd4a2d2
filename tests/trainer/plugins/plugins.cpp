#include "trainer/plugins/plugins.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/optimizers/optimizers.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using Json = nlohmann::json;

namespace {

/// All problems of these settings and of the plug-ins that they name.
std::string problems_of(Json section) {
    section["data"]["train"] = "none";
    std::vector<Problem> problems;
    parse_settings(section, {.models = models(), .optimizers = optimizers(), .add_plugin = add_plugin}, problems);
    std::string all;
    for (const auto& problem : problems) {
        all += problem.key + ": " + problem.message + "\n";
    }
    return all;
}

std::string problems_of_odd(const char* way) {
    ::setenv("ODD_PLUGIN", way, 1);
    Catalogue catalogue{.models = models(), .optimizers = optimizers()};
    return crescendo::tests::error_of([&] { add_plugin(plugin_library("odd"), catalogue); });
}

}  // namespace

TEST_CASE("a plug-in's models and losses are chosen by their names, with their options as settings") {
    const Json mine{plugin_library("mine")};

    CHECK(problems_of({{"plugins", mine}, {"model", "gated"}, {"depth", 2}, {"loss", "log_cosh"}, {"scale", 2}}) == "");
    CHECK(problems_of({{"plugins", mine}, {"model", "cnn"}, {"depth", 2}}) == "");  // another model's setting
    CHECK(has(problems_of({{"plugins", mine}, {"model", "gatd"}}), "gru, *.pt, gated"));
    CHECK(has(problems_of({{"plugins", mine}, {"loss", "cosh"}}), "relative_l2, log_cosh"));
    CHECK(has(problems_of({{"plugins", mine}, {"model", "gated"}, {"depth", 65}}),
              "trainer.depth: 65 is out of range; give 0 to 64"));
    const auto unknown = problems_of({{"plugins", mine}, {"model", "gated"}, {"gate_width", 1}});
    CHECK(has(unknown,
              "trainer.gate_width: no such setting, so it would change nothing; there are plugins, model, width, "
              "depth, dropout, "));
}

TEST_CASE("a plug-in that cannot be loaded causes one message without follow-up problems") {
    const auto problems = problems_of({{"plugins", {"none.so"}}, {"model", "gated"}, {"gate_width", 1}});

    CHECK(problems ==
          "trainer.plugins: there is no file none.so; give the path of a shared library, relative to the "
          "folder where crescendo is started\n");
}

TEST_CASE("a name that is already taken is refused") {
    CHECK(has(problems_of({{"plugins", {plugin_library("mine"), plugin_library("mine")}}}),
              "there is already a model or loss gated; give the model another name"));
}

TEST_CASE("a model with a bad option is refused by name") {
    CHECK(has(problems_of_odd("has a bad default"),
              "odd.so: the model \"odd\": the option width does not allow its own"));
}

TEST_CASE("the list of a plug-in shows its models, losses and their options") {
    CHECK(list_plugin(plugin_library("mine")) ==
          "model gated\n"
          "  width: 1 to 4096, by default 64\n"
          "  depth: 0 to 64, by default 1\n"
          "  dropout: at least 0 and less than 1, by default 0\n"
          "loss log_cosh\n"
          "  scale: at least 1e-06, by default 1\n");
}
