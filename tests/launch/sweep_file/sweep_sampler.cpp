#include "launch/sweep_file/sweep_sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/launch/sweep_file/sound_sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

bool has_remark(const SweepFile& file, const std::string& key) {
    return std::ranges::any_of(file.remarks, [&](const Remark& remark) { return remark.key == key; });
}

}  // namespace

TEST_CASE("W&B's key or a section names the sampler, and the section takes precedence") {
    CHECK(parse("").spec.sampler == "random");
    CHECK(parse("method: tpe\n").spec.sampler == "tpe");
    const auto both = parse("method: tpe\nsampler: {type: sobol}\n");

    CHECK(both.spec.sampler == "sobol");
    CHECK(has_remark(both, "method"));
    CHECK_FALSE(has_remark(parse("method: tpe\nsampler: {type: tpe}\n"), "method"));
}

TEST_CASE("if the sampler is left open, Crescendo chooses one and names it") {
    const auto file = parse("sampler: {type: auto}\n");

    CHECK(file.spec.sampler != "auto");
    CHECK(has_remark(file, "sampler.type"));
    CHECK(has_remark(parse("method: bayes\n"), "method"));
}

TEST_CASE("the message about an unsupported sampler says what to write instead") {
    CHECK(error_in(sound + "method: custom\n") ==
          "sweep.yaml:10:1: method: 'custom' is not supported by this version; to draw configurations at random, use "
          "random");
    CHECK(error_in(sound + "method: bohb\n").ends_with("; use tpe, with a scheduler of type: hyperband"));
}

TEST_CASE("only a sampler that learns can have a warm start") {
    CHECK(parse("method: tpe\nwarm_start: a.csv\n").warm_start == std::vector<std::string>{"a.csv"});
    const std::pair<const char*, const char*> cases[]{
        {"warm_start: [a]\n", "random cannot use them; use method: tpe, or remove it"},
        {"command: [train]\nsampler: {command: [mine]}\nwarm_start: [a]\n", "a sampler of your own cannot use them"},
        {"method: tpe\nwarm_start: []\n", "is an empty list; name sweeps or CSV files"},
        {"method: tpe\nwarm_start: 3\n", "warm_start"},
    };
    for (const auto& [end, part] : cases) {
        CAPTURE(end);
        const auto error = error_in(sound + end);

        CHECK_MESSAGE(error.find(part) != std::string::npos, error);
    }
}
