#include "launch/record/history.hpp"

#include <doctest/doctest.h>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("the journal of a sweep that left out whole nodes names their slots") {
    Stage stage("run_cap: 1\n");
    for (const auto* record :
         {R"({"note":"session","time":1,"host":"h","slots":3})",
          R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0},{"slot":1,"node":1},{"slot":2,"node":1}]})",
          R"({"note":"left_out","time":2,"node":1})", R"({"event":"slots_lost","time":2,"slots":[1,2]})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.left_out() == std::set{SlotId{1}, SlotId{2}});
}
