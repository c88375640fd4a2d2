#include "launch/coordinator/departure.hpp"

#include <doctest/doctest.h>

#include "launch/agent/agent_setup.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/system/wall_clock.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

namespace {

/// A session whose time is up as it begins: trial 0 on slot 0 and trial 1 on slot 1 have to leave.
struct LastCall : Stage {
    /// `notices` arrive before trial 1 leaves.
    explicit LastCall(std::vector<Notice> notices) : Stage("run_cap: 4\n") {
        agents.on_order = [this, notices](NodeId, const Order& order) {
            if (const auto* leave = std::get_if<LeaveTrial>(&order); leave && leave->trial == TrialId{1}) {
                agents.notices.insert(agents.notices.end(), notices.begin(), notices.end());
                agents.notices.push_back(LeftTrial{TrialId{1}, SlotId{1}});
            }
        };
    }

    Outcome run() { return Stage::run(SessionEnd::Deadline{wall_clock()}); }
};

}  // namespace

TEST_CASE("while workers leave, a notice of any kind does not become an event of the sweep or start anything") {
    const LeftTrial left{TrialId{0}, SlotId{0}};
    LastCall undisturbed({left});
    undisturbed.run();

    for (const auto& notice : tests::notices_of_every_kind(TrialId{0})) {
        CAPTURE(notice.index());
        LastCall stage({notice, left});

        if (std::holds_alternative<CheckpointFailed>(notice)) {
            CHECK_THROWS_AS(stage.run(), DirectoryError);  // not everything is saved
        } else {
            CHECK(stage.run() == Outcome::interrupted);
            const std::size_t num_notes = std::holds_alternative<EnergyUsed>(notice) ? 1 : 0;
            CHECK(stage.journalled().size() == undisturbed.journalled().size() + num_notes);
        }

        CHECK(stage.agents.notices.empty());
        CHECK(stage.agents.sent<JoinGroup>().size() == 2);
        CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
        CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
        CHECK(stage.history.sweep().trial(TrialId{0}).resource == Resource{0});
    }
}

TEST_CASE("the session does not wait for a worker that dies or whose slot or node is lost") {
    const std::vector<Notice> ends{WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"},
                                   SlotDown{SlotId{0}, 0, "no GPU"}, AgentLost{NodeId{0}, "no sign of life"}};
    for (const auto& end : ends) {
        CAPTURE(end.index());
        LastCall stage({end});

        CHECK(stage.run() == Outcome::interrupted);  // the agents say no more, and the coordinator does not wait
    }
}

TEST_CASE("a standstill of this process does not count against workers that have to leave") {
    using namespace std::chrono_literals;
    Stage stage("run_cap: 4\n");
    stage.agents.on_order = nullptr;  // nobody leaves
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    Decisions decisions(stage.journal, stage.history, orders, make_source(stage.file, {}));
    decisions.record(SlotsJoined{stage.agents.slots()});
    decisions.commit();
    orders.dismiss_all();
    Departure departure(decisions, orders, stage.view);
    const auto begin = std::chrono::steady_clock::now();
    const auto waits_from_to = [&](std::chrono::seconds from, std::chrono::seconds to) {
        for (auto time = from; time < to; ++time) {
            if (!departure.begin_turn(begin + time)) {
                return false;
            }
        }
        return true;
    };

    CHECK(waits_from_to(0s, 4s));
    CHECK(waits_from_to(1h, 1h + save_timeout_of_environment()));  // a suspended job
    CHECK_FALSE(waits_from_to(1h + save_timeout_of_environment(), 1h + save_timeout_of_environment() + 20s));
}

TEST_CASE("a group that is still forming gets answers from the store before it leaves") {
    const Json request{{"id", 5}, {"trial", 0}, {"generation", 0}, {"op", "check"}, {"keys", {"x"}}};
    LastCall stage({StoreRequest{SlotId{0}, request}, LeftTrial{TrialId{0}, SlotId{0}}});

    stage.run();

    CHECK(stage.agents.sent<AnswerStore>().size() == 1);
}

TEST_CASE("a message names the trial that may not have been saved") {
    LastCall stage({LeftTrial{TrialId{0}, SlotId{0}, "it did not leave within 60 s"}});

    stage.run();

    CHECK(stage.view.said.back() == "trial 0: it did not leave within 60 s; what it saved before is kept");
}
