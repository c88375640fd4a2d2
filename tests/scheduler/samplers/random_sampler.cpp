#include "scheduler/samplers/random_sampler.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

Config random_proposal(const SearchSpace& space, std::uint64_t seed, int trial) {
    return RandomSampler(space, seed).propose(TrialId{trial}).value().config;
}

}  // namespace

TEST_CASE("random configurations are the same on every machine") {
    const SearchSpace space{{{"momentum", Uniform{0, 1}},
                             {"layers", IntUniform{1, 10}},
                             {"act", Categorical{{std::string("relu"), std::string("tanh"), std::string("gelu")}}},
                             {"lr", LogUniformValues{1e-4, 0.1}}}};

    const auto config = random_proposal(space, /*seed=*/7, /*trial=*/1);

    // One number each of Philox with key 7 and counter (block, 0, 1, 0), computed in Python.
    CHECK(config[0] == std::pair<std::string, Value>("momentum", 0.17173538717791426));
    CHECK(config[1] == std::pair<std::string, Value>("layers", std::int64_t{2}));
    CHECK(config[2] == std::pair<std::string, Value>("act", std::string("tanh")));
    CHECK(std::get<double>(config[3].second) ==
          doctest::Approx(0.001098913747592684).epsilon(1e-14));  // libraries' exp may differ
}

TEST_CASE("a random configuration does not depend on earlier proposals or results") {
    const SearchSpace space{{{"x", Uniform{0, 1}}, {"n", IntUniform{1, 100}}}};
    const auto alone = random_proposal(space, 1, 5);
    RandomSampler sampler{space, 1};
    sampler.propose(TrialId{0});
    sampler.tell(Trial{});

    CHECK(sampler.propose(TrialId{5})->config == alone);
    CHECK(random_proposal(space, 1, 4) != alone);
    CHECK(random_proposal(space, 2, 5) != alone);
}
