#include "core/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

using namespace crescendo;

TEST_CASE("the generator is Philox4x32-10") {
    // Random123's known answer for counter 0 and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
    CounterRandom random{/*seed=*/0, /*stream=*/0};

    CHECK(random.next() == 0xe169c58d6627e8d5);
    CHECK(random.next() == 0x9b00dbd8bc57ac4c);
}

TEST_CASE("all bits of the seed, the stream and the position in the stream reach the generator") {
    // From an independent Philox in Python: key = seed, counter = (block, 0, stream), low words first.
    CounterRandom random{/*seed=*/0x299f31d0a4093822, /*stream=*/0x0370734413198a2e};

    CHECK(random.next() == 0x61bd7780b60a410e);
    CHECK(random.next() == 0x3d51eb3fa53f3958);
    CHECK(random.next() == 0x0ab83527314ddb4b);  // the second block
}

TEST_CASE("a stream repeats itself, whatever other streams do") {
    CounterRandom first{1, 7};
    CounterRandom other{1, 8};
    CounterRandom again{1, 7};

    for (int i = 0; i < 100; ++i) {
        const auto value = first.next();
        CHECK(value != other.next());
        CHECK(value == again.next());
    }
}

TEST_CASE("uniform numbers lie in [0, 1) and fill its tenths evenly") {
    CounterRandom random{3, 0};
    std::array<int, 10> tenths{};

    for (int i = 0; i < 10'000; ++i) {
        const double x = random.uniform();
        REQUIRE(x >= 0.0);
        REQUIRE(x < 1.0);
        ++tenths[static_cast<std::size_t>(x * 10)];
    }

    for (const int count : tenths) {
        CHECK(count == doctest::Approx(1000).epsilon(0.15));  // 5 standard deviations of 30
    }
}

TEST_CASE("a uniform number consists of the top 53 bits") {
    CounterRandom random{/*seed=*/7, /*stream=*/0};

    CHECK(random.uniform() == 0.7501522221031126);
    CHECK(random.uniform() == 0.0856578653012815);
}

TEST_CASE("numbers below a bound are each equally likely") {
    CounterRandom random{3, 1};
    std::vector<int> counts(7);

    for (int i = 0; i < 7'000; ++i) {
        ++counts.at(random.below(7));
    }

    for (const int count : counts) {
        CHECK(count == doctest::Approx(1000).epsilon(0.15));
    }
}

TEST_CASE("numbers below three quarters of the range have no bias") {
    // Without rejection the first third of [0, 3 * 2^62) would come up twice as often as the others.
    constexpr std::uint64_t third = std::uint64_t{1} << 62;
    CounterRandom random{3, 2};
    std::array<int, 3> thirds{};

    for (int i = 0; i < 3'000; ++i) {
        ++thirds.at(random.below(3 * third) / third);
    }

    for (const int count : thirds) {
        CHECK(count == doctest::Approx(1000).epsilon(0.13));
    }
}

TEST_CASE("the only number below one is zero") { CHECK(CounterRandom{1, 1}.below(1) == 0); }
