#include "trainer/protocol/control_store.hpp"

#include <doctest/doctest.h>

#include <future>

#include "tests/trainer/protocol/channel_peer.hpp"

// c10 also has a CHECK, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

using namespace crescendo::trainer;
using crescendo::trainer::test::ChannelPeer;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_CASE("the store sends keys with their trial and generation, and values in base64") {
    ChannelPeer peer;
    ControlStore store(*peer.channel, /*trial=*/4, /*generation=*/2, 60s);

    store.set("key", "foo");
    auto value = std::async(std::launch::async, [&] { return store.get_to_str("key"); });

    const json set = peer.read();
    CHECK(set["op"] == "set");
    CHECK(set["trial"] == 4);
    CHECK(set["generation"] == 2);
    CHECK(set["key"] == "key");
    CHECK(set["value"] == "Zm9v");
    const json get = peer.read();
    CHECK(get["op"] == "get");
    peer.write(json{{"type", "store"}, {"id", get["id"]}, {"value", "YmFy"}}.dump() + "\n");
    CHECK(value.get() == "bar");
}

TEST_CASE("several keys are requested at once, and their values are returned in order") {
    ChannelPeer peer;
    ControlStore store(*peer.channel, 0, 1, 60s);
    auto values = std::async(std::launch::async, [&] { return store.multiGet({"a", "b"}); });
    const json first = peer.read();
    const json second = peer.read();  // before the first one is answered

    peer.write(json{{"type", "store"}, {"id", second["id"]}, {"value", "YmFy"}}.dump() + "\n");
    peer.write(json{{"type", "store"}, {"id", first["id"]}, {"value", "Zm9v"}}.dump() + "\n");

    const std::vector<std::vector<std::uint8_t>> expected{{'f', 'o', 'o'}, {'b', 'a', 'r'}};
    CHECK(first["key"] == "a");
    CHECK(second["key"] == "b");
    CHECK((values.get() == expected));
}

TEST_CASE("an order that comes before the last of several answers interrupts the wait") {
    ChannelPeer peer;
    ControlStore store(*peer.channel, 0, 1, 60s);
    auto values = std::async(std::launch::async, [&] { return store.multiGet({"a", "b"}); });

    peer.write(json{{"type", "store"}, {"id", peer.read()["id"]}, {"value", "YmFy"}}.dump() + "\n");
    peer.write("{\"type\":\"leave\"}\n");

    CHECK_THROWS_AS(values.get(), Interrupted);
}

TEST_CASE("the store's error becomes an exception") {
    ChannelPeer peer;
    ControlStore store(*peer.channel, 0, 1, 60s);
    auto sum = std::async(std::launch::async, [&] { return store.add("key", 3); });

    peer.write(json{{"type", "store"}, {"id", peer.read()["id"]}, {"error", "no such trial"}}.dump() + "\n");

    CHECK_THROWS(sum.get());
}
