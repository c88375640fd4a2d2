#include "launch/journal/annotations.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("notes about a trial or the sweep are kept in the order in which they were made") {
    Annotations annotations;

    annotations.take(user_note({1.5, TrialId{3}, "diverged"}));
    annotations.take(user_note({2.5, {}, "new data"}));
    annotations.take({{"note", "session"}, {"time", 3.0}});

    REQUIRE(annotations.user_notes().size() == 2);
    CHECK(annotations.user_notes()[0].trial == TrialId{3});
    CHECK(annotations.user_notes()[0].text == "diverged");
    CHECK(annotations.user_notes()[0].time == 1.5);
    CHECK_FALSE(annotations.user_notes()[1].trial);
}

TEST_CASE("tags are added and removed, and each trial has its own") {
    Annotations annotations;

    annotations.take(tag_note(1, TrialId{3}, {"a", "b"}, {}));
    annotations.take(tag_note(2, TrialId{3}, {"a"}, {"b", "never"}));
    annotations.take(tag_note(3, {}, {"paper"}, {}));

    CHECK(annotations.tags(TrialId{3}) == std::set<std::string>{"a"});
    CHECK(annotations.tags({}) == std::set<std::string>{"paper"});
    CHECK(annotations.tags(TrialId{4}).empty());
}
