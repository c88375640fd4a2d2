#include "launch/sweep_file/sections/keep.hpp"

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;

namespace {

constexpr auto program = "command: [train]\n";
constexpr auto warm_program = "command: [train]\ngrow: in_place\n";
constexpr auto trainer = "trainer: {model: mlp}\n";

Keep keep_in(const std::string& trained_by, const std::string& section) {
    return parse_sweep("metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                       "scheduler: {type: asha, max: 9}\n" +
                           trained_by + section,
                       "sweep.yaml")
        .keep;
}

}  // namespace

TEST_CASE("by default, the best trial keeps its checkpoint and all files of programs stay") {
    for (const auto* each : {program, warm_program, trainer}) {
        const auto keep = keep_in(each, "");
        CHECK(keep.best == 1);
        CHECK(keep.programs == Keep::Programs::all);
    }
}

TEST_CASE("a sweep file says how many trials keep their files, and which files of programs stay") {
    const auto keep = keep_in(program, "keep: {best: 5, programs: finished}\n");
    CHECK(keep.best == 5);
    CHECK(keep.programs == Keep::Programs::finished);
    CHECK(keep_in(program, "keep: {programs: best}\n").programs == Keep::Programs::best);
    CHECK(keep_in(warm_program, "keep: {best: 3}\n").best == 3);
    CHECK(keep_in(trainer, "keep: {best: 3}\n").best == 3);
}

TEST_CASE("settings of keep that keep no trial, or have no effect, are refused with their position") {
    const std::vector<std::tuple<std::string, std::string, std::string>> cases{
        {program, "keep: {best: 0, programs: best}\n", "6:8: keep.best: is 0; use 1 or more"},
        {program, "keep: {programs: some}\n", "6:8: keep.programs: 'some' is unknown here; use all, finished or best"},
        {program, "keep: {best: 5}\n",
         "6:8: keep.best: has no effect, because all files of a program are kept; to delete those of other trials, add "
         "programs: best, or programs: finished"},
        {trainer, "keep: {programs: best}\n",
         "6:8: keep.programs: applies to the files of a program, but crescendo-trainer leaves only checkpoints, to "
         "which keep.best applies; remove it"},
        {program, "keep: {worst: 5}\n", "6:8: keep.worst: unknown key"},
    };
    for (const auto& [trained_by, section, expected] : cases) {
        CAPTURE(section);
        const auto error = error_of([&] { keep_in(trained_by, section); });
        CHECK_MESSAGE(error.find(expected) != std::string::npos, error);
    }
}
