#include "launch/messages/likely_metric.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("validation metrics come first, then metrics with a name that says what is good") {
    CHECK(likely_metric({"loss"}) == "loss");
    CHECK(likely_metric({"epoch_time", "loss"}) == "loss");
    CHECK(likely_metric({"accuracy", "eval/speed", "loss"}) == "eval/speed");
    CHECK(likely_metric({"train_loss", "val_accuracy", "val_loss", "val_time"}) == "val_accuracy");
    CHECK(likely_metric({"b", "a"}) == "a");
}

TEST_CASE("times and speeds are known by their names") {
    for (const char* name : {"eval_runtime", "eval_samples_per_second", "time/fps", "_timestamp", "dur"}) {
        CAPTURE(name);
        CHECK(is_a_time(name));
    }
    for (const char* name : {"loss", "val_timeliness", "seconded", ""}) {
        CAPTURE(name);
        CHECK_FALSE(is_a_time(name));
    }
}

TEST_CASE("a metric is maximized if a word of its name says so, and minimized otherwise") {
    for (const char* name : {"accuracy", "val/acc", "F1-score", "test.AUC", "mean_reward"}) {
        CAPTURE(name);
        CHECK(likely_goal(name) == Goal::maximize);
    }
    for (const char* name : {"val_loss", "acceleration", "map2", "", "rmse"}) {
        CAPTURE(name);
        CHECK(likely_goal(name) == Goal::minimize);
    }
}

TEST_CASE("a goal that contradicts the metric's name is unlikely, and ambiguous names say nothing") {
    CHECK(is_unlikely(Goal::minimize, "val_acc"));
    CHECK(is_unlikely(Goal::maximize, "val/loss"));
    CHECK_FALSE(is_unlikely(Goal::maximize, "val_acc"));
    CHECK_FALSE(is_unlikely(Goal::minimize, "val/loss"));
    for (const char* name : {"brier_score", "neg_mse", "loss_of_accuracy", "speed", ""}) {
        CAPTURE(name);
        CHECK_FALSE(is_unlikely(Goal::minimize, name));
        CHECK_FALSE(is_unlikely(Goal::maximize, name));
    }
}
