#include "trainer/step/progress.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

using namespace crescendo::trainer;

TEST_CASE("the reached resource is the last multiple of the interval, in each unit") {
    const Progress progress{.epoch = 2, .position = 30, .step = 57, .seconds = 12.9};
    const auto reached_in = [&](std::int64_t every, ResourceUnit unit, std::int64_t most = 1'000'000) {
        return reached(progress, {every, unit}, 100, most);
    };

    CHECK(reached_in(1, ResourceUnit::epochs) == 2);
    CHECK(reached_in(5, ResourceUnit::epochs) == 0);
    CHECK(reached_in(10, ResourceUnit::steps) == 50);
    CHECK(reached_in(57, ResourceUnit::steps) == 57);
    CHECK(reached_in(100, ResourceUnit::samples) == 200);
    CHECK(reached_in(115, ResourceUnit::samples) == 230);
    CHECK(reached_in(1, ResourceUnit::seconds) == 12);
    CHECK(reached_in(5, ResourceUnit::seconds) == 10);
}

TEST_CASE("a trial reaches its end even if that is not a multiple of the interval") {
    const Progress progress{.epoch = 4, .position = 0, .step = 57};

    CHECK(reached(progress, {3, ResourceUnit::epochs}, 100, /*most=*/5) == 3);
    CHECK(reached(progress, {3, ResourceUnit::epochs}, 100, /*most=*/4) == 4);
    CHECK(reached(progress, {10, ResourceUnit::steps}, 100, /*most=*/55) == 55);
}

TEST_CASE("progress survives a round trip through JSON") {
    Progress progress{.epoch = 2, .position = 30, .step = 57, .size = 4, .seconds = 12.9, .evaluated = 1.5};
    progress.noise_scale.add({.whole = 5, .samples = 64});
    progress.loss_scale.update(/*finite=*/false);
    progress.report = Report{.resource = 50, .metrics = {{"loss", 0.25}}, .seconds = 12.5, .evaluated = 1.5};

    const Progress read = nlohmann::json::parse(nlohmann::json(progress).dump()).get<Progress>();

    CHECK(read.seconds == 12.9);
    CHECK(read.evaluated == 1.5);
    CHECK(read.reported() == 50);
    CHECK(read.report->seconds == 12.5);
    CHECK(read.report->evaluated == 1.5);
    CHECK(read.noise_scale.gradient() == progress.noise_scale.gradient());
    CHECK(read.loss_scale == progress.loss_scale);
    CHECK_FALSE(read.loss_scale == LossScale());
}

TEST_CASE("progress saved before the training clock existed starts at 0 seconds") {
    nlohmann::json old = Progress{.epoch = 3};
    old["report"] = {{"resource", 3}, {"metrics", {{"loss", 0.5}}}};
    old.erase("seconds");
    old.erase("evaluated");

    const auto read = old.get<Progress>();

    CHECK(read.seconds == 0);
    CHECK(read.report->evaluated == 0);
    CHECK(read.reported() == 3);
}

TEST_CASE("progress saved before the noise scale and loss scale existed starts with their initial values") {
    nlohmann::json old = Progress{.epoch = 3};
    old.erase("noise_scale");
    old.erase("loss_scale");

    const auto read = old.get<Progress>();

    CHECK(read.epoch == 3);
    CHECK_FALSE(read.noise_scale.value());
    CHECK(read.loss_scale == LossScale());
}

TEST_CASE("progress reads back as it was written, whatever was there before") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const Progress diverged{.epoch = 1,
                            .size = 2,
                            .report = Report{.resource = 1, .metrics = {{"val_loss", nan}}},
                            .report_pending = true,
                            .loss_sum = nan,
                            .loss_samples = 8};
    const Progress unreported{.epoch = 3, .size = 4};
    for (const auto& written : {diverged, unreported}) {
        const auto text = nlohmann::json(written).dump();
        Progress read{.size = 9, .report = Report{.resource = 5, .metrics = {{"train_loss", 0.5}}}};

        nlohmann::json::parse(text).get_to(read);

        CHECK(nlohmann::json(read).dump() == text);
    }
}
