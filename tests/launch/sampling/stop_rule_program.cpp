#include "launch/sampling/stop_rule_program.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// A sweep of one trial on one slot, with a stop rule from the example plug-in, or from the one that misbehaves.
struct Judged {
    explicit Judged(const std::string& library, const std::string& rule) {
        const auto file = parse_sweep("metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0, max: 9}}\n"
                                      "scheduler: {type: fifo, max: 9}\nplugins: [" CRESCENDO_PLUGINS "/test_plugin_" +
                                          library + ".so]\nstop_rule: " + rule + "\n",
                                      "sweep.yaml");
        sweep.emplace(file.spec);
        source = make_source(file, {{}, {}, [this](const std::string& line) { said.push_back(line); }});
        apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    }

    void apply(const Event& event) {
        sweep->apply(event);
        while (const auto next = source->await_next(*sweep)) {
            events.push_back(*next);
            sweep->apply(*next);
        }
    }

    std::vector<std::string> said;
    std::vector<Event> events;
    std::optional<Sweep> sweep;
    std::unique_ptr<ProposalSource> source;
};

}  // namespace

TEST_CASE("a stop rule ends a trial at its report, through an event") {
    Judged judged("mine", "{type: plateau, options: {patience: 1}}");

    judged.apply(TrialReported{TrialId{0}, Resource{1}, 0.5});
    CHECK(judged.events.empty());
    judged.apply(TrialReported{TrialId{0}, Resource{2}, 0.6});

    REQUIRE(judged.events.size() == 1);
    CHECK(std::get<TrialStopped>(judged.events[0]).trial == TrialId{0});
    CHECK(judged.sweep->trial(TrialId{0}).status == TrialStatus::stopped);
    CHECK(judged.said.empty());
}

TEST_CASE("a stop rule that fails three times in a row ends no more trials, and the sweep continues") {
    Judged judged("trouble", "crasher");

    judged.apply(TrialReported{TrialId{0}, Resource{1}, 0.5});

    REQUIRE(judged.said.size() == 3);
    CHECK(judged.said[0].find("sweep.yaml:6:1: stop_rule: the stop rule `crasher` of ") == 0);
    CHECK(judged.said[2].find("so it ends no more trials from now on") != std::string::npos);
    judged.apply(TrialReported{TrialId{0}, Resource{9}, 0.5});
    CHECK(judged.events.empty());
    CHECK(judged.sweep->state() == SweepState::finished);
}
