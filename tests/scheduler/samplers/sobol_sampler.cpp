#include "scheduler/samplers/sobol_sampler.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/check.hpp"

using namespace crescendo;

namespace {

Config sobol_proposal(const SearchSpace& space, int trial, std::uint64_t seed = 1) {
    return SobolSampler(space, seed).propose(TrialId{trial}).value().config;
}

double x_of(const Config& config) { return std::get<double>(config.at(0).second); }

}  // namespace

TEST_CASE("a Sobol configuration depends only on the seed and the trial") {
    for (const auto& space : {SearchSpace{{{"x", Uniform{0, 1}}, {"n", IntUniform{1, 9}}}},
                              SearchSpace({{"x", Uniform{0, 1}}, {"n", IntUniform{1, 9}}}, {"x * n < 3"})}) {
        SobolSampler sampler(space, /*seed=*/1);
        for (const int trial : {0, 7, 7, 3, 20}) {
            CHECK(sampler.propose(TrialId{trial})->config == sobol_proposal(space, trial));
        }
        CHECK(sobol_proposal(space, 0, /*seed=*/2) != sobol_proposal(space, 0, /*seed=*/1));
    }
}

TEST_CASE("the first eight configurations lie in different eighths of a range") {
    const SearchSpace space{{{"x", Uniform{0, 8}}, {"c", Categorical{{true, false}}}}};
    std::set<int> parts;
    std::multiset<Value> categories;
    for (int trial = 0; trial < 8; ++trial) {
        const auto config = sobol_proposal(space, trial);
        parts.insert(static_cast<int>(x_of(config)));
        categories.insert(config.at(1).second);
    }

    CHECK(parts.size() == 8);
    CHECK(categories.count(true) == 4);
}

TEST_CASE("points that a constraint refuses are skipped, and no point is proposed twice") {
    const SearchSpace space({{"x", Uniform{0, 1}}}, {"x < 0.25"});
    SobolSampler sampler(space, /*seed=*/3);
    std::set<double> seen;
    for (int trial = 0; trial < 16; ++trial) {
        seen.insert(x_of(sampler.propose(TrialId{trial})->config));
    }

    CHECK(seen.size() == 16);
    CHECK(*seen.rbegin() < 0.25);
}

TEST_CASE("a space that a constraint leaves empty causes an error after 200,000 refused points") {
    SobolSampler sampler(SearchSpace({{"x", Uniform{0, 1}}}, {"x > 2"}), /*seed=*/3);

    CHECK_THROWS_WITH_AS(sampler.propose(TrialId{0}), doctest::Contains("rejects 200000"), InvalidInput);
}
