#include "trainer/plugins/library.hpp"

#include <cstdlib>
#include <fstream>

#include "tests/temporary_folder.hpp"
#include "tests/trainer/plugins/plugin_libraries.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

std::string error_of_library(const std::string& library) {
    return crescendo::tests::error_of([&] { load_library(library); });
}

}  // namespace

TEST_CASE("a plug-in registers its models and losses with their options") {
    const auto& registrations = load_library(plugin_library("mine"));

    REQUIRE(registrations.size() == 2);
    const auto& model = std::get<crescendo::plugin::RegisteredModel>(registrations[0]);
    CHECK(model.name == "gated");
    CHECK(model.options.size() == 3);
    CHECK(std::get<crescendo::plugin::RegisteredLoss>(registrations[1]).name == "log_cosh");
    CHECK(&load_library(plugin_library("mine")) == &registrations);  // it is only loaded once
}

TEST_CASE("a library that is not a plug-in or does not fit this trainer is refused with the reason") {
    const crescendo::tests::TemporaryFolder folder;
    std::ofstream(folder / "text.so") << "no library";
    std::ofstream(folder / "torn.so") << CRESCENDO_MODEL_PLUGIN_LABEL;

    CHECK(has(error_of_library("none.so"), "there is no file none.so; give the path of a shared library"));
    CHECK(has(error_of_library((folder / "text.so").string()), "text.so is not a plug-in with models or losses"));
    CHECK(has(error_of_library((folder / "torn.so").string()), "torn.so cannot be loaded ("));
    CHECK(has(error_of_library(plugin_library("other_torch")),
              "other_torch.so was built for version 1 of crescendo/model_plugin.hpp and torch 2.4.1, but this "
              "crescendo-trainer has version 1 of crescendo/model_plugin.hpp and torch " TORCH_VERSION));
    CHECK(has(error_of_library(plugin_library("missing_symbol")), "undefined symbol: no_library_has_this"));
}

TEST_CASE("a plug-in that throws during initialization is named") {
    ::setenv("ODD_PLUGIN", "throws", 1);

    const std::string library = plugin_library("odd");
    const std::string words = library + " threw in its initialization: no licence";
    CHECK_THROWS_WITH(load_library(library), words.c_str());
}
