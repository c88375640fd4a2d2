#include "scheduler/samplers/program_sampler.hpp"

#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("a sweep whose sampler is another program waits for events with proposals") {
    auto spec = spec_of(/*run_cap=*/2, /*max=*/2);
    spec.sampler = "program";
    spec.space = SearchSpace({{"x", IntUniform{0, 100}}});
    Script script(spec);

    CHECK(script.join(2) == "");
    CHECK(script.sweep.awaited_proposal() == TrialId{0});
    CHECK(script.apply(TrialProposed{TrialId{0}, {{"x", std::int64_t{5}}}, Origin::program}) == "start 0 on 0 g0 b1");
    CHECK(script.sweep.take_news() == std::set<TrialId>{TrialId{0}});
    CHECK(script.sweep.take_news().empty());
}
