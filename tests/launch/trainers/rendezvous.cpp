#include "launch/trainers/rendezvous.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

StoreRequest request(int slot, int id, const char* op, Json content) {
    content["id"] = id;
    content["op"] = op;
    content["trial"] = 7;
    if (!content.contains("generation")) {
        content["generation"] = 0;
    }
    return {SlotId{slot}, content};
}

}  // namespace

TEST_CASE("a get waits until its key is set, and then gets its answer") {
    Rendezvous store;

    CHECK(store.handle(request(1, 10, "get", {{"key", "a"}})).empty());
    const auto answers = store.handle(request(0, 20, "set", {{"key", "a"}, {"value", "eA=="}}));

    REQUIRE(answers.size() == 2);  // to the slot that set the key, then to the slot that waited
    CHECK(answers[0].slot == SlotId{0});
    CHECK(answers[1].slot == SlotId{1});
    CHECK(answers[1].answer.at("id") == 10);
    CHECK(answers[1].answer.at("value") == "eA==");
}

TEST_CASE("a wait for several keys is answered when the last of them is set") {
    Rendezvous store;

    CHECK(store.handle(request(0, 1, "wait", {{"keys", {"a", "b"}}})).empty());
    CHECK(store.handle(request(1, 2, "set", {{"key", "b"}, {"value", ""}})).size() == 1);
    CHECK(store.handle(request(1, 3, "set", {{"key", "a"}, {"value", ""}})).size() == 2);
}

TEST_CASE("the keys of one trial are forgotten without those of other trials") {
    Rendezvous store;
    store.handle(request(0, 1, "set", {{"key", "a"}, {"value", ""}}));
    const auto is_there = [&] {
        return store.handle(request(0, 2, "check", {{"keys", {"a"}}})).at(0).answer.at("found") == true;
    };

    store.forget_if([](TrialId trial) { return trial != TrialId{7}; });
    CHECK(is_there());

    store.forget_if([](TrialId trial) { return trial == TrialId{7}; });
    CHECK_FALSE(is_there());
}

TEST_CASE("add counts from zero, and get gives the number") {
    Rendezvous store;

    CHECK(store.handle(request(0, 1, "add", {{"key", "n"}, {"delta", 2}})).at(0).answer.at("number") == 2);
    CHECK(store.handle(request(1, 1, "add", {{"key", "n"}, {"delta", -5}})).at(0).answer.at("number") == -3);
    CHECK(store.handle(request(1, 2, "get", {{"key", "n"}})).at(0).answer.at("number") == -3);
}

TEST_CASE("add refuses a sum that is too large, and keeps the number") {
    Rendezvous store;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    store.handle(request(0, 1, "add", {{"key", "n"}, {"delta", most}}));

    CHECK(store.handle(request(0, 2, "add", {{"key", "n"}, {"delta", 1}})).at(0).answer.contains("error"));
    CHECK(store.handle(request(0, 3, "get", {{"key", "n"}})).at(0).answer.at("number") == most);
}

TEST_CASE("get looks for one key, even if the request names others") {
    Rendezvous store;
    store.handle(request(0, 1, "set", {{"key", "a"}, {"value", ""}}));

    CHECK(store.handle(request(0, 2, "get", {{"key", "b"}, {"keys", {"a"}}})).empty());
}

TEST_CASE("compare_set changes a key only if it has the expected value") {
    Rendezvous store;
    auto compare_set = [&](const char* expected, const char* value) {
        return store.handle(request(0, 1, "compare_set", {{"key", "k"}, {"expected", expected}, {"value", value}}))
            .at(0)
            .answer.at("value");
    };

    CHECK(compare_set("", "one") == "one");
    CHECK(compare_set("other", "two") == "one");
    CHECK(compare_set("one", "two") == "two");
}

TEST_CASE("check and delete say whether the key existed") {
    Rendezvous store;
    store.handle(request(0, 1, "set", {{"key", "a"}, {"value", ""}}));

    CHECK(store.handle(request(0, 2, "check", {{"keys", {"a"}}})).at(0).answer.at("found") == true);
    CHECK(store.handle(request(0, 3, "check", {{"keys", {"a", "b"}}})).at(0).answer.at("found") == false);
    CHECK(store.handle(request(0, 4, "delete", {{"key", "a"}})).at(0).answer.at("found") == true);
    CHECK(store.handle(request(0, 5, "delete", {{"key", "a"}})).at(0).answer.at("found") == false);
}

TEST_CASE("generations do not see each other's keys") {
    Rendezvous store;
    store.handle(request(0, 1, "set", {{"key", "a"}, {"value", "b2xk"}}));

    CHECK(store.handle(request(1, 2, "get", {{"key", "a"}, {"generation", 1}})).empty());
}

TEST_CASE("a forgotten trial leaves neither keys nor waiting requests") {
    Rendezvous store;
    store.handle(request(0, 1, "get", {{"key", "late"}}));

    store.forget(TrialId{7});

    CHECK(store.handle(request(0, 2, "set", {{"key", "late"}, {"value", ""}})).size() == 1);
}
