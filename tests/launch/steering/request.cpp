#include "launch/steering/request.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("every request reads back as it was written") {
    const std::vector<Request> requests{
        StopRequest{TrialId{17}},
        PauseRequest{TrialId{17}},
        ResumeRequest{TrialId{17}},
        RetryRequest{TrialId{17}},
        RetryRequest{},
        SetRequest{{{"run_cap", "200"}, {"budget.time", {}}}},
        NoteRequest{TrialId{17}, "diverged: \"lr\" too high\nsince epoch 3"},
        NoteRequest{{}, "new data"},
        EnqueueRequest{{{"lr", "0.1"}, {"optimizer", "adam"}}},
        TagRequest{TrialId{17}, {"baseline"}, {"paper", "old"}},
    };

    for (const auto& request : requests) {
        const auto json = to_json(request);
        CAPTURE(json.dump());
        CHECK(request_from_json(json).index() == request.index());
        CHECK(to_json(request_from_json(json)) == json);
    }
}

TEST_CASE("anything that is not a request is refused") {
    for (const char* text : {"{}", "[]", "3", R"({"ask":"explode"})", R"({"ask":"stop"})",
                             R"({"ask":"stop","trial":"x"})", R"({"ask":"set","settings":[["run_cap"]]})", R"({"ask":"note","trial":1})",
                             R"({"ask":"enqueue","values":3})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(request_from_json(Json::parse(text)), InvalidInput);
    }
}
