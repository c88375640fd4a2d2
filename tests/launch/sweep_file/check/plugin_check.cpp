#include "launch/sweep_file/check/checks.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The problem with the plug-ins of a file that has this library and `more`.
std::string problem_of(const std::string& more, const std::string& library = "mine") {
    auto draft = draft_sweep(
        "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0, max: 9}}\n"
        "scheduler: {type: fifo, max: 2}\nplugins: [" CRESCENDO_PLUGINS "/test_plugin_" +
            library + ".so]\n" + more,
        "sweep.yaml");
    check_plugins(draft.file, CRESCENDO_PLUGIN_HOST, draft.mistakes);
    return draft.mistakes.empty() ? "" : tests::error_of([&] { draft.mistakes.throw_if_any(draft.file.source); });
}

}  // namespace

TEST_CASE("a plug-in must have the classes that the file names, and the file must use each library") {
    CHECK(problem_of("sampler: {type: climber}\n").empty());
    CHECK(problem_of("stop_rule: plateau\n").empty());
    CHECK(problem_of("stop_rule: plato\n").find("plato is not a plug-in stop rule") != std::string::npos);
    CHECK(problem_of("").find("the sweep file uses nothing from it; write sampler: {type: climber}, or remove it") !=
          std::string::npos);
}

TEST_CASE("a class with the name of one of Crescendo's samplers is refused if the file names it") {
    CHECK(problem_of("sampler: {type: sobol}\nstop_rule: thrower\n", "trouble")
              .find("sobol is both one of Crescendo's samplers and a search space in " CRESCENDO_PLUGINS
                    "/test_plugin_trouble.so; rename the class") != std::string::npos);
    CHECK(problem_of("sampler: {type: tpe}\nstop_rule: thrower\n", "trouble").empty());
}
