#include "trainer/data/data_cache.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
namespace datasets = crescendo::datasets;

TEST_CASE("the cache keeps the samples of the last two settings and releases the rest") {
    const SweepFixture sweep;
    DataCache data;
    const auto settings_of = [&](std::int64_t length) {
        DataSettings settings;
        settings.train = sweep.train;
        settings.validation = sweep.validation;
        settings.window.length = length;
        settings.targets.clear();
        return settings;
    };
    const auto begin = [&](std::int64_t length) -> std::weak_ptr<datasets::SampleSet> {
        data.training(settings_of(length));
        data.evaluation(sweep.validation, settings_of(length));
        return data.set(sweep.train, settings_of(length));
    };

    const auto first = begin(1);
    const auto* stream = &data.training(settings_of(1));
    const auto second = begin(2);
    CHECK(&data.training(settings_of(1)) == stream);  // used again, so a third one would replace the second
    begin(3);

    CHECK_FALSE(first.expired());
    CHECK(second.expired());
    begin(4);
    CHECK(first.expired());
}

TEST_CASE("opening data and counting classes give signs of life") {
    const SweepFixture sweep;
    int num_beats = 0;
    DataCache data({}, [&] { ++num_beats; });
    DataSettings settings;
    settings.train = sweep.train;

    data.training(settings);
    CHECK(num_beats == 1);
    data.classes(sweep.train, settings);
    CHECK(num_beats == 2);
    data.classes(sweep.train, settings);  // already known
    CHECK(num_beats == 2);
}

TEST_CASE("evaluation reads in file order and does not disturb the training stream") {
    const SweepFixture sweep;
    DataCache data;
    DataSettings settings;
    settings.train = sweep.train;
    auto& training = data.training(settings);
    training.enter({.group_batch = 8});
    training.next();

    auto& evaluation = data.evaluation(sweep.train, settings);
    evaluation.enter({.group_batch = 8});

    CHECK(&evaluation != &training);
    const auto slice = evaluation.next();
    REQUIRE(slice);
    CHECK(slice->samples.front() == 0);
    CHECK(&data.training(settings) == &training);
}
