#include "trainer/training/progress.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

using namespace crescendo;
using namespace crescendo::trainer;
using nlohmann::json;

TEST_CASE("progress reads back as it was written, with a metric that is no number") {
    Progress progress;
    progress.epoch = 3;
    progress.position = 128;
    progress.report = Report{.resource = Resource{3}, .metrics = {{"train_loss", 0.5}, {"val_loss", std::nan("")}}};
    progress.report_pending = true;

    const auto text = json(progress).dump();
    const auto read = json::parse(text).get<Progress>();

    CHECK(read.epoch == 3);
    CHECK(read.position == 128);
    CHECK(read.report->resource == Resource{3});
    CHECK(read.report->metrics.at("train_loss") == 0.5);
    CHECK(std::isnan(read.report->metrics.at("val_loss")));
    CHECK(read.report_pending);
    CHECK(json(read).dump() == text);
}

TEST_CASE("a checkpoint keeps of a report what a repeated sweep has as well") {
    Progress progress;
    progress.report = Report{
        .trial = TrialId{7}, .generation = 2, .resource = Resource{1}, .metrics = {{"x", 1.0}}, .data_wait = 0.5};

    CHECK(json(progress)["report"] == json{{"resource", 1}, {"metrics", {{"x", 1.0}}}});
}
