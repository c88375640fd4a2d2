#include "launch/coordinator/node_health.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr NodeId bad{1};

}  // namespace

TEST_CASE("three failures in a row, of two trials, make a bad node") {
    NodeHealth health({NodeId{0}, bad});

    CHECK_FALSE(health.note_failure(bad, TrialId{1}));
    CHECK_FALSE(health.note_failure(bad, TrialId{2}));
    CHECK(health.note_failure(bad, TrialId{1}));
    CHECK_FALSE(health.note_failure(bad, TrialId{3}));  // is in use no more
}

TEST_CASE("a trial that fails again and again is bad, and not its node") {
    NodeHealth health({NodeId{0}, bad});

    for (int i = 0; i < 9; ++i) {
        CHECK_FALSE(health.note_failure(bad, TrialId{1}));
    }
    CHECK(health.note_failure(bad, TrialId{2}));
}

TEST_CASE("failures on several nodes are none in a row on one") {
    NodeHealth health({NodeId{0}, bad, NodeId{2}});

    for (int trial = 0; trial < 2; ++trial) {
        for (int node = 0; node < 3; ++node) {
            CHECK_FALSE(health.note_failure(NodeId{node}, TrialId{trial}));
        }
    }
}

TEST_CASE("where workers fail on every node, it is none of theirs") {
    NodeHealth health({NodeId{0}, bad});

    for (int trial = 0; trial < 9; ++trial) {
        CHECK_FALSE(health.note_failure(NodeId{trial % 2}, TrialId{trial}));
    }
    health.note_progress({NodeId{0}});
    CHECK(health.note_failure(bad, TrialId{9}));
}

TEST_CASE("progress on a node ends the row of its failures") {
    NodeHealth health({NodeId{0}, bad});
    health.note_failure(bad, TrialId{1});
    health.note_failure(bad, TrialId{2});

    CHECK(health.has_doubts());
    health.note_progress({NodeId{0}, bad});

    CHECK_FALSE(health.has_doubts());
    CHECK_FALSE(health.note_failure(bad, TrialId{3}));
}

TEST_CASE("the last node in use is kept, whatever happens on it") {
    NodeHealth health({NodeId{0}, bad});
    health.note_lost(NodeId{0});

    for (int trial = 0; trial < 9; ++trial) {
        CHECK_FALSE(health.note_failure(bad, TrialId{trial}));
    }
}
