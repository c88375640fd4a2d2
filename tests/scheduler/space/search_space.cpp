#include "scheduler/space/search_space.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/check.hpp"
#include "core/random.hpp"

using namespace crescendo;

namespace {

Config sample(const SearchSpace& space, int stream) {
    return space.sample(CounterRandom(/*seed=*/5, static_cast<std::uint64_t>(stream)));
}

/// The first `count` samples of a space with that distribution alone.
template <class T>
std::vector<T> samples(const Distribution& distribution, int count) {
    const SearchSpace space{{{"x", distribution}}};
    std::vector<T> values;
    for (int trial = 0; trial < count; ++trial) {
        values.push_back(std::get<T>(sample(space, trial).at(0).second));
    }
    return values;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

}  // namespace

TEST_CASE("a parameter added at the end does not change the values of earlier ones") {
    const SearchSpace shorter{{{"x", Uniform{0, 1}}}};
    const SearchSpace longer{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}};

    CHECK(sample(shorter, 3)[0] == sample(longer, 3)[0]);
}

TEST_CASE("a configuration has the parameters in the order of the file") {
    const SearchSpace space{{{"z", Constant{true}}, {"a", Constant{std::int64_t{3}}}}};

    CHECK(sample(space, 0) == Config{{"z", true}, {"a", std::int64_t{3}}});
    CHECK(sample(SearchSpace{}, 0).empty());
}

TEST_CASE("uniform fills [min, max) evenly") {
    const auto values = samples<double>(Uniform{-2, 6}, 4000);

    CHECK(*std::min_element(values.begin(), values.end()) >= -2);
    CHECK(*std::max_element(values.begin(), values.end()) < 6);
    CHECK(quantile(values, 0.25) == doctest::Approx(0).epsilon(0.3));
    CHECK(quantile(values, 0.5) == doctest::Approx(2).epsilon(0.15));
    CHECK(quantile(values, 0.75) == doctest::Approx(4).epsilon(0.08));
}

TEST_CASE("uniform excludes max even if min and max are neighbouring numbers") {
    const double max = std::nextafter(1.0, 2.0);

    for (const double value : samples<double>(Uniform{1.0, max}, 100)) {
        REQUIRE(value == 1.0);
    }
}

TEST_CASE("the logarithms of log-uniform values are uniform") {
    const auto values = samples<double>(LogUniformValues{1e-4, 1}, 4000);

    CHECK(*std::min_element(values.begin(), values.end()) >= 1e-4);
    CHECK(*std::max_element(values.begin(), values.end()) <= 1);
    CHECK(std::log10(quantile(values, 0.25)) == doctest::Approx(-3).epsilon(0.05));
    CHECK(std::log10(quantile(values, 0.5)) == doctest::Approx(-2).epsilon(0.08));
    CHECK(std::log10(quantile(values, 0.75)) == doctest::Approx(-1).epsilon(0.15));
}

TEST_CASE("integers include both ends, and all values are equally likely") {
    std::vector<int> counts(5);
    for (const auto value : samples<std::int64_t>(IntUniform{-2, 2}, 5000)) {
        ++counts.at(static_cast<std::size_t>(value + 2));
    }

    for (const int count : counts) {
        CHECK(count == doctest::Approx(1000).epsilon(0.15));
    }
}

TEST_CASE("an integer range may have one value or all 64-bit values") {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();

    CHECK(samples<std::int64_t>(IntUniform{4, 4}, 1).front() == 4);
    const auto values = samples<std::int64_t>(IntUniform{lowest, highest}, 100);
    CHECK(*std::min_element(values.begin(), values.end()) < lowest / 2);
    CHECK(*std::max_element(values.begin(), values.end()) > highest / 2);
}

TEST_CASE("quantized values are the multiples of q in the range") {
    const auto values = samples<double>(QUniform{1, 50, 10}, 1000);

    CHECK(std::set<double>(values.begin(), values.end()) == std::set<double>{10, 20, 30, 40, 50});
}

TEST_CASE("a quantized range includes both ends, although 0.3 is not exactly 3 times 0.1") {
    const auto values = samples<double>(QUniform{0.1, 0.3, 0.1}, 1000);

    CHECK(std::set<double>(values.begin(), values.end()) == std::set<double>{0.1, 0.2, 0.3});
}

TEST_CASE("quantized log-uniform values are multiples of q, and small ones are more frequent") {
    const auto values = samples<double>(QLogUniformValues{8, 64, 8}, 3000);

    CHECK(std::set<double>(values.begin(), values.end()) == std::set<double>{8, 16, 24, 32, 40, 48, 56, 64});
    // 16 stands for [12, 20), 56 for [52, 60): log(20/12) / log(60/52) = 3.6 times as many.
    CHECK(std::count(values.begin(), values.end(), 16.0) > 2 * std::count(values.begin(), values.end(), 56.0));
}

TEST_CASE("categories are equally likely and keep their type") {
    const SearchSpace space{{{"x", Categorical{{true, std::int64_t{1}, 0.5, std::string("s")}}}}};
    std::vector<int> counts(4);

    for (int trial = 0; trial < 4000; ++trial) {
        ++counts.at(sample(space, trial)[0].second.index());
    }

    for (const int count : counts) {
        CHECK(count == doctest::Approx(1000).epsilon(0.15));
    }
}

TEST_CASE("a constant always draws its value") { CHECK(samples<double>(Constant{0.5}, 2) == std::vector{0.5, 0.5}); }

TEST_CASE("an invalid distribution is refused with the key of its parameter") {
    try {
        SearchSpace{{{"x", Uniform{0, 1}}, {"y", Uniform{2, 1}}}};
        FAIL("accepted");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "parameters.y");
    }
}

TEST_CASE("a parameter given twice is refused") {
    const std::vector<Parameter> twice{{"lr", Uniform{0, 1}}, {"lr", Uniform{0, 2}}};

    CHECK_THROWS_WITH_AS(SearchSpace{twice}, "parameter lr is given twice (a trial has one value of it); remove one",
                         InvalidInput);
}

TEST_CASE("a point of the unit cube has a coordinate for each parameter that can vary, in order") {
    const SearchSpace space{
        {{"lr", Uniform{0, 8}}, {"name", Constant{std::string("a")}}, {"layers", IntUniform{1, 4}}}};

    CHECK(space.num_dimensions() == 2);
    CHECK(space.at({0.25, 0.5}) == Config{{"lr", 2.0}, {"name", std::string("a")}, {"layers", std::int64_t{3}}});
}

TEST_CASE("a coordinate cuts a range into equal parts") {
    const double last = std::nextafter(1.0, 0.0);

    CHECK(value_at(Uniform{-2, 6}, 0) == Value{-2.0});
    CHECK(value_at(Uniform{-2, 6}, 0.75) == Value{4.0});
    CHECK(std::get<double>(value_at(Uniform{-2, 6}, last)) < 6);
    CHECK(std::get<double>(value_at(LogUniformValues{1e-4, 1}, 0.5)) == doctest::Approx(1e-2));
    CHECK(value_at(IntUniform{-1, 2}, 0.2499) == Value{std::int64_t{-1}});
    CHECK(value_at(IntUniform{-1, 2}, 0.25) == Value{std::int64_t{0}});
    CHECK(value_at(IntUniform{-1, 2}, last) == Value{std::int64_t{2}});
    CHECK(value_at(QUniform{1, 50, 10}, 0.5) == Value{30.0});  // 25.5, rounded
    CHECK(value_at(Categorical{{true, 0.5}}, 0.49) == Value{true});
    CHECK(value_at(Categorical{{true, 0.5}}, 0.5) == Value{0.5});
}

TEST_CASE("coordinates reach both ends of the 64-bit integers") {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();

    CHECK(value_at(IntUniform{lowest, highest}, 0) == Value{lowest});
    CHECK(value_at(IntUniform{lowest, highest}, 0.5) == Value{std::int64_t{0}});
    CHECK(value_at(IntUniform{lowest, highest}, std::nextafter(1.0, 0.0)) == Value{highest - 2047});  // 2^64 / 2^53
}

TEST_CASE("a random real number is the value at a random coordinate") {
    const SearchSpace space{{{"x", LogUniformValues{1e-5, 1}}, {"y", QUniform{0, 9, 0.5}}}};
    CounterRandom random(5, 7);
    const double x = random.uniform();
    const double y = random.uniform();

    CHECK(sample(space, 7) == space.at({x, y}));
}

namespace {

/// A space with conditions on conditional parameters, derived parameters and constraints.
SearchSpace conditional_space() {
    return SearchSpace({{"optimizer", Categorical{{std::string("sgd"), std::string("adam")}}},
                        {"momentum", Uniform{0, 1}, "optimizer == 'sgd'"},
                        {"nesterov", Categorical{{true, false}}, "momentum > 0.5"},
                        {"width", IntUniform{1, 64}},
                        {"depth", IntUniform{1, 16}},
                        derived_parameter("area", "width * depth"),
                        derived_parameter("damped", "momentum / 2")},
                       {"area <= 256", "momentum + depth < 14"});
}

const Value* find(const Config& config, const std::string& name) {
    const auto found =
        std::find_if(config.begin(), config.end(), [&](const auto& entry) { return entry.first == name; });
    return found == config.end() ? nullptr : &found->second;
}

double number(const Config& config, const std::string& name) {
    const auto* value = find(config, name);
    REQUIRE(value != nullptr);
    const auto* whole = std::get_if<std::int64_t>(value);
    return whole == nullptr ? std::get<double>(*value) : static_cast<double>(*whole);
}

/// Checks that a configuration keeps the rules of conditional_space(), without using expressions.
void check_rules(const Config& config) {
    const bool has_momentum = *find(config, "optimizer") == Value{std::string("sgd")};
    REQUIRE((find(config, "momentum") != nullptr) == has_momentum);
    REQUIRE((find(config, "nesterov") != nullptr) == (has_momentum && number(config, "momentum") > 0.5));
    REQUIRE((find(config, "damped") != nullptr) == has_momentum);
    REQUIRE(number(config, "area") == number(config, "width") * number(config, "depth"));
    REQUIRE(number(config, "area") <= 256);
    if (has_momentum) {
        REQUIRE(number(config, "damped") == number(config, "momentum") / 2);
        REQUIRE(number(config, "momentum") + number(config, "depth") < 14);
    }
}

std::string refusal_of(const SearchSpace& space, const Config& config) {
    try {
        space.in_order(config);
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "config");
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("no proposed configuration breaks a rule, and a seed always proposes the same") {
    const auto space = conditional_space();
    const auto again = conditional_space();

    for (int stream = 0; stream < 5000; ++stream) {
        const auto config = sample(space, stream);
        check_rules(config);
        REQUIRE(sample(again, stream) == config);
        REQUIRE(space.in_order(config) == config);
    }
}

TEST_CASE("rules change no draw that they allow") {
    const SearchSpace plain{{{"width", IntUniform{1, 64}}, {"depth", IntUniform{1, 16}}}};
    const SearchSpace ruled({{"width", IntUniform{1, 64}}, {"depth", IntUniform{1, 16}}}, {"width * depth <= 256"});
    int same = 0;

    for (int stream = 0; stream < 500; ++stream) {
        const auto drawn = sample(plain, stream);
        const bool is_allowed = number(drawn, "width") * number(drawn, "depth") <= 256;
        const auto config = sample(ruled, stream);
        REQUIRE((config == drawn) == is_allowed);
        same += is_allowed;
    }

    CHECK(same > 100);
    CHECK(same < 400);
}

TEST_CASE("after a refused draw, the next numbers come from the same stream") {
    const SearchSpace plain{{{"x", Uniform{0, 1}}}};
    const SearchSpace ruled({{"x", Uniform{0, 1}}}, {"x < 0.125"});
    CounterRandom random(5, 3);

    double expected = random.uniform();
    while (expected >= 0.125) {
        expected = random.uniform();
    }

    CHECK(sample(ruled, 3) == Config{{"x", expected}});
}

TEST_CASE("a point has a coordinate for each parameter, absent or not, but none for a derived one") {
    const auto space = conditional_space();

    CHECK(space.num_dimensions() == 5);
    const auto with_adam = space.at({0.9, 0.75, 0, 0, 0});
    CHECK(with_adam == Config{{"optimizer", std::string("adam")},
                              {"width", std::int64_t{1}},
                              {"depth", std::int64_t{1}},
                              {"area", std::int64_t{1}}});
    CHECK(space.at({0.9, 0.1, 0.9, 0, 0}) == with_adam);
    CHECK(space.at({0, 0.75, 0, 0, 0})->size() == 7);
    CHECK(space.at({0, 0.75, 0, 0.999, 0.999}) == std::nullopt);  // 64 * 16 > 256
}

TEST_CASE("a point without a result for a rule has no configuration") {
    const SearchSpace space{{{"x", IntUniform{0, 1}}, derived_parameter("y", "1 / x")}};

    CHECK(space.at({0}) == std::nullopt);
    CHECK(space.at({0.5}) == Config{{"x", std::int64_t{1}}, {"y", 1.0}});
    CHECK(sample(space, 0) == space.at({0.5}));  // drawn again until it has one
}

TEST_CASE("a space that allows nothing causes an error after 200,000 draws") {
    const SearchSpace space({{"x", IntUniform{0, 9}}}, {"x < 100", "x > 9"});

    try {
        sample(space, 0);
        FAIL("drawn");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "constraints[1]");
        CHECK(error.what() == std::string("none of 200000 draws is allowed, and constraints[1] rejects 200000 of them; "
                                          "loosen it, or change the ranges of its parameters"));
    }
}

TEST_CASE("a space that allows one draw in three thousand has a configuration for every trial") {
    const SearchSpace space({{"x", Uniform{0, 1}}}, {"x < 0.0003"});

    for (int trial = 0; trial < 100; ++trial) {
        REQUIRE_NOTHROW(sample(space, trial));
    }
}

TEST_CASE("a given configuration may have its active parameters in any order") {
    const auto space = conditional_space();
    const Config given{{"depth", std::int64_t{2}}, {"optimizer", std::string("adam")}, {"width", std::int64_t{8}}};

    CHECK(space.in_order(given) == Config{{"optimizer", std::string("adam")},
                                          {"width", std::int64_t{8}},
                                          {"depth", std::int64_t{2}},
                                          {"area", std::int64_t{16}}});
}

TEST_CASE("a given configuration that breaks a rule is refused") {
    const auto space = conditional_space();
    const Config adam{{"optimizer", std::string("adam")}, {"width", std::int64_t{8}}, {"depth", std::int64_t{2}}};
    const auto with = [](Config config, const std::string& name, Value value) {
        config.emplace_back(name, std::move(value));
        return config;
    };
    auto sgd = adam;
    sgd[0].second = std::string("sgd");
    auto large = adam;
    large[1].second = std::int64_t{200};

    CHECK(refusal_of(space, adam).empty());
    CHECK(refusal_of(space, sgd) ==
          "a configuration lacks the parameter momentum (a trial has a value for each that its other values allow); "
          "add it");
    CHECK(refusal_of(space, with(adam, "momentum", 0.5)) ==
          "a configuration has the parameter momentum, but its other values exclude it, because it needs optimizer == "
          "'sgd'; leave it out");
    CHECK(refusal_of(space, with(adam, "damped", 0.5)) ==
          "a configuration has the parameter damped, but its other values exclude it; leave it out");
    CHECK(refusal_of(space, with(adam, "area", std::int64_t{17})) ==
          "a configuration has area = 17, but the parameter is computed from others and is 16; leave it out");
    CHECK(refusal_of(space, large) ==
          "a configuration breaks the constraint area <= 256 (no trial may); change its values");
    CHECK(refusal_of(space, with(adam, "widht", 1.0)) ==
          "a configuration has 'widht', but there is no such parameter (did you mean 'width'?); leave it out");
    CHECK(refusal_of(space, with(adam, "width", std::int64_t{8})) ==
          "a configuration has 'width' twice; leave one out");
}

TEST_CASE("a space with an invalid rule is refused with the place of the mistake") {
    try {
        SearchSpace({{"x", Uniform{0, 1}}}, {"x < 1", "x < y"});
        FAIL("accepted");
    } catch (const ExpressionError& error) {
        CHECK(error.key() == "constraints[1]");
        CHECK(error.offset() == 4);
    }
}

TEST_CASE("the point of a configuration leads back to it, for every distribution") {
    const SearchSpace space{{{"uniform", Uniform{-1, 3}},
                             {"log", LogUniformValues{1e-6, 1}},
                             {"int", IntUniform{-7, 1'000'000}},
                             {"q", QUniform{-2, 2, 0.3}},
                             {"q_log", QLogUniformValues{1, 99, 4}},
                             {"normal", Normal{3, 2}},
                             {"q_normal", QNormal{3, 2, 0.25}},
                             {"log_normal", LogNormal{-4, 1}},
                             {"q_log_normal", QLogNormal{2, 1, 0.5}},
                             {"beta", Beta{0.5, 3}},
                             {"q_beta", QBeta{2, 2, 0.05}},
                             {"categorical", Categorical{{std::string("a"), true, std::int64_t{3}}}},
                             {"weighted", Categorical{{1.0, 2.0, 3.0}, {0.2, 0, 0.8}}},
                             {"constant", Constant{true}}}};
    for (int stream = 0; stream < 200; ++stream) {
        const auto config = sample(space, stream);
        std::vector<double> point;
        for (const auto& coordinate : space.point_of(config)) {
            point.push_back(coordinate.value());
        }

        const auto again = space.at(point).value();
        for (std::size_t i = 0; i < config.size(); ++i) {
            CAPTURE(config[i].first);
            const auto* number = std::get_if<double>(&config[i].second);
            if (number == nullptr || config[i].first.starts_with("q")) {
                REQUIRE(again[i] == config[i]);
            } else {
                REQUIRE(std::get<double>(again[i].second) == doctest::Approx(*number).epsilon(1e-8));
            }
        }
    }
}

TEST_CASE("the point of a configuration has no coordinate for an absent parameter or a value of another type") {
    const SearchSpace space({{"kind", Categorical{{std::string("a"), std::string("b")}}},
                             {"constant", Constant{true}},
                             {"y", Uniform{0, 1}, "kind == 'a'"},
                             {"z", Uniform{0, 1}}});

    const auto point = space.point_of({{"kind", std::string("b")}, {"constant", true}, {"z", std::string("much")}});

    CHECK(point == std::vector<std::optional<double>>{0.75, std::nullopt, std::nullopt});
}
