#include "scheduler/space/quantiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

using namespace crescendo;

namespace {

/// Whether two numbers differ by less than 1e-12 of the larger one.
bool are_close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

struct NormalCase {
    double probability, quantile;
};

struct BetaCase {
    double probability, a, b, quantile;
};

}  // namespace

TEST_CASE("normal quantiles match values of 40 digits, up to the outermost coordinates") {
    for (const auto& [probability, quantile] : {
             NormalCase{0.5, 0.0},
             {0.1, -1.2815515655446004353},
             {0.975, 1.9599639845400538556},
             {0.925, 1.4395314709384562291},
             {1e-10, -6.3613409024040561991},
             {0x1.0p-54, -8.2923610758135955382},
             {1 - 0x1.0p-53, 8.2095361516013868556},
         }) {
        CAPTURE(probability);
        CHECK(are_close(normal_quantile(probability), quantile));
    }
}

TEST_CASE("beta quantiles match values of 40 digits, for all shapes") {
    for (const auto& [probability, a, b, quantile] : {
             BetaCase{1e-6, 2, 5, 0.00025828782935406359631},
             {0.3, 2, 5, 0.18180347131894916256},
             {0.999, 2, 5, 0.81861386691913393942},
             {1e-6, 0.5, 0.5, 2.4674011002703100753e-12},
             {0.3, 0.5, 0.5, 0.20610737385376342131},
             {0.999, 0.5, 0.5, 0.99999753260092908305},
             {1e-6, 1, 1, 1e-6},
             {0.999, 1, 1, 0.999},
             {1e-6, 0.05, 3, 2.3000470006648623057e-121},
             {0.3, 0.05, 3, 8.0197680036074755085e-12},
             {0.999, 0.05, 3, 0.65353411956188324452},
             {1e-6, 8, 0.1, 0.28818805352338675178},
             {0.3, 8, 0.1, 0.99769603457127305648},
             {1e-6, 1000, 2000, 0.29329118462873590261},
             {0.3, 1000, 2000, 0.32879302774052159937},
             {0.999, 1000, 2000, 0.36022764522024259568},
             {1e-6, 1e5, 3e4, 0.7636465632305566831},
             {0.3, 1e5, 3e4, 0.7686189849870733347},
             {0.999, 1e5, 3e4, 0.77282998598376384156},
             {1e-6, 1e5, 0.5, 0.99988036622270747517},
             {0.3, 1e5, 0.5, 0.99999462903014198442},
         }) {
        CAPTURE(probability);
        CAPTURE(a);
        CAPTURE(b);
        CHECK(are_close(beta_quantile(probability, a, b), quantile));
    }
}

TEST_CASE("beta quantiles stay inside [0, 1], even if all probability is at its ends") {
    CHECK(beta_quantile(0, 2, 3) == 0);
    for (const double probability : {0.0, 1e-300, 0.5, 1 - 0x1.0p-53}) {
        for (const double a : {1e-3, 1.0, 1e5}) {
            for (const double b : {1e-3, 1.0, 1e5}) {
                const double quantile = beta_quantile(probability, a, b);
                CHECK(quantile >= 0);
                CHECK(quantile <= 1);
            }
        }
    }
}

TEST_CASE("a greater probability never gives a smaller quantile") {
    CounterRandom random(/*seed=*/3, /*stream=*/0);
    for (int i = 0; i < 2000; ++i) {
        const double low = std::max(random.uniform(), 0x1.0p-54);
        const double high = low + random.uniform() * std::min(1 - low, 1e-3);
        const double a = std::exp(10 * random.uniform() - 5);
        const double b = std::exp(10 * random.uniform() - 5);

        REQUIRE(normal_quantile(low) <= normal_quantile(high));
        REQUIRE(beta_quantile(low, a, b) <= beta_quantile(high, a, b));
    }
}

TEST_CASE("a probability is the inverse of its quantile") {
    for (const double probability : {1e-9, 0.01, 0.3, 0.5, 0.8, 0.999}) {
        CHECK(normal_probability(normal_quantile(probability)) == doctest::Approx(probability).epsilon(1e-12));
        CHECK(beta_probability(beta_quantile(probability, 0.5, 3), 0.5, 3) ==
              doctest::Approx(probability).epsilon(1e-9));
    }
    CHECK(beta_probability(-1, 2, 2) == 0);
    CHECK(beta_probability(1, 2, 2) == 1);
}
