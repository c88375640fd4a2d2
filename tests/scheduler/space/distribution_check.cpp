#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "scheduler/space/distribution.hpp"

using namespace crescendo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The problem with a distribution, or an empty text if there is none.
std::string problem_of(const Distribution& distribution) {
    try {
        check(distribution, "parameters.x");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "parameters.x");
        return error.what();
    }
    return "";
}

bool is_refused(const Distribution& distribution) { return !problem_of(distribution).empty(); }

}  // namespace

TEST_CASE("empty ranges are refused") {
    CHECK(is_refused(Uniform{1, 1}));
    CHECK(is_refused(Uniform{2, 1}));
    CHECK(is_refused(LogUniformValues{2, 1}));
    CHECK(is_refused(IntUniform{2, 1}));
    CHECK(is_refused(QUniform{2, 1, 1}));
    CHECK(is_refused(Categorical{}));
}

TEST_CASE("a message shows all digits in which two numbers differ") {
    CHECK(problem_of(Uniform{0.30000001, 0.3}) ==
          "min is 0.30000001 and max is 0.3 (nothing lies between); use a min below max, or value: 0.30000001");
    CHECK(problem_of(Uniform{0.3, 0.0001}) ==
          "min is 0.3 and max is 0.0001 (nothing lies between); use a min below max, or value: 0.3");
    CHECK(problem_of(QUniform{1000000.1, 1000000.2, 10}) ==
          "q is 10 (no multiple of it lies between 1000000.1 and 1000000.2); use a smaller q");
    CHECK(problem_of(QUniform{0, 1e300, 1e-300})
              .starts_with("q is 1e-300 (too small to distinguish its multiples from 0 to 1e+300); "));
    CHECK(problem_of(Categorical{{1.0, 2.0, 3.0}, {0.333334, 0.333334, 0.333334}}) ==
          "the probabilities add up to 1.000002 (they must add up to 1, because one value is always chosen); divide "
          "each of them by 1.000002");
}

TEST_CASE("ranges that cannot be sampled are refused") {
    CHECK(is_refused(Uniform{0, infinity}));
    CHECK(is_refused(Uniform{std::numeric_limits<double>::quiet_NaN(), 1}));
    CHECK(is_refused(Uniform{-1.7e308, 1.7e308}));
    CHECK(is_refused(LogUniformValues{0, 1}));
    CHECK(is_refused(LogUniformValues{-1, 1}));
    CHECK(is_refused(QLogUniformValues{0, 1, 0.1}));
    CHECK(is_refused(LogUniformValues{1e5, std::nextafter(1e5, infinity)}));  // their logarithms are equal
}

TEST_CASE("a q that leaves no value is refused") {
    CHECK(is_refused(QUniform{0, 1, 0}));
    CHECK(is_refused(QUniform{0, 1, -1}));
    CHECK(is_refused(QUniform{0, 1, infinity}));
    CHECK(is_refused(QUniform{1, 5, 10}));
    CHECK(is_refused(QLogUniformValues{1, 5, 10}));
    CHECK(is_refused(QNormal{0, 1, 0}));
    CHECK(is_refused(QLogNormal{0, 1, -1}));
    CHECK(is_refused(QBeta{1, 1, 0}));
}

TEST_CASE("normal distributions without a spread, or beyond the range of numbers, are refused") {
    CHECK(!is_refused(Normal{0, 1}));
    CHECK(!is_refused(LogNormal{-7, 3}));
    CHECK(problem_of(Normal{0, 0}) ==
          "sigma is 0 (it is the spread of the values); use a sigma above 0, or distribution: constant");
    CHECK(is_refused(QNormal{0, -1, 1}));
    CHECK(is_refused(Normal{infinity, 1}));
    CHECK(is_refused(Normal{0, infinity}));
    CHECK(is_refused(LogNormal{700, 10}));         // e^782 is not a double
    CHECK(is_refused(QNormal{1e300, 1, 1e-300}));  // nor is 1e300 / 1e-300
}

TEST_CASE("a beta distribution needs two positive numbers that are not too large") {
    CHECK(!is_refused(Beta{0.5, 0.5}));
    CHECK(!is_refused(Beta{1e-3, 1e5}));
    CHECK(is_refused(Beta{0, 1}));
    CHECK(is_refused(Beta{1, -1}));
    CHECK(is_refused(Beta{1, 1e6}));
    CHECK(is_refused(QBeta{std::numeric_limits<double>::quiet_NaN(), 1, 0.1}));
}

TEST_CASE("each value needs one probability, and they must add up to 1") {
    const std::vector<Value> values{1.0, 2.0};

    CHECK(!is_refused(Categorical{values, {0.3, 0.7}}));
    CHECK(!is_refused(Categorical{values, {0.3, 0.7 + 9e-7}}));
    CHECK(!is_refused(Categorical{values, {0, 1}}));
    CHECK(problem_of(Categorical{values, {0.3, 0.6}}) ==
          "the probabilities add up to 0.9 (they must add up to 1, because one value is always chosen); divide each of "
          "them by 0.9");
    CHECK(problem_of(Categorical{values, {1.0}}) ==
          "there are 1 probabilities for 2 values (each value needs one); list one for each value");
    CHECK(problem_of(Categorical{values, {-0.5, 1.5}}) ==
          "-0.5 is among the probabilities (none can be below 0); use 0 to 1");
    CHECK(is_refused(Categorical{values, {std::numeric_limits<double>::quiet_NaN(), 1}}));
}
