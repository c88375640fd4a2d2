#include "trainer/protocol/control_channel.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <utility>
#include <vector>

#include "tests/failing_send.hpp"
#include "tests/trainer/protocol/channel_peer.hpp"

using namespace crescendo::trainer;
using crescendo::trainer::test::ChannelPeer;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// The answer to one request.
json get_from(ChannelPeer& peer, std::chrono::milliseconds timeout) {
    std::vector<json> requests(1);
    requests.front()["op"] = "get";
    return peer.channel->request_all(std::move(requests), timeout).front();
}

}  // namespace

TEST_CASE("orders arrive one by one, however the bytes are split") {
    ChannelPeer peer;

    peer.write(R"({"type":"join"})"
               "\n"
               R"({"type":)");
    peer.write(R"("leave"})"
               "\n");

    CHECK(peer.channel->wait(60s)->at("type") == "join");
    CHECK(peer.channel->wait(60s)->at("type") == "leave");
    CHECK_FALSE(peer.channel->poll());
}

TEST_CASE("a channel is closed only once its last order has been taken") {
    ChannelPeer peer;
    peer.write(R"({"type":"leave"})"
               "\n");
    peer.hang_up();

    CHECK(peer.channel->wait(60s));
    CHECK_FALSE(peer.channel->wait(60s));
    CHECK(peer.channel->closed());
}

TEST_CASE("sending to a crescendo that has ended is not an error") {
    ChannelPeer peer;
    peer.hang_up();

    peer.channel->send({{"type", "hello"}});

    CHECK_FALSE(peer.channel->wait(60s));
}

TEST_CASE("a message is sent although the kernel has no memory for it at first") {
    ChannelPeer peer;

    crescendo::tests::num_failing_sends = 1;
    peer.channel->send({{"type", "hello"}});
    peer.channel.reset();  // else the read would wait for a lost message

    CHECK(peer.read().at("type") == "hello");
}

TEST_CASE("invalid UTF-8 in a message is replaced") {
    ChannelPeer peer;

    peer.channel->send({{"type", "failed"}, {"message", "cannot read caf\xE9.h5"}});

    CHECK(peer.read()["message"] == "cannot read caf\xEF\xBF\xBD.h5");
}

TEST_CASE("an answer reaches only the request with its id") {
    ChannelPeer peer;
    auto first = std::async(std::launch::async, [&] { return get_from(peer, 60s); });
    const json first_request = peer.read();
    auto second = std::async(std::launch::async, [&] { return get_from(peer, 60s); });
    const json second_request = peer.read();

    peer.write(json{{"type", "store"}, {"id", second_request["id"]}, {"value", "2"}}.dump() + "\n");
    peer.write(json{{"type", "store"}, {"id", first_request["id"]}, {"value", "1"}}.dump() + "\n");

    CHECK(first.get()["value"] == "1");
    CHECK(second.get()["value"] == "2");
}

TEST_CASE("an order to leave interrupts a waiting request and can still be read") {
    ChannelPeer peer;
    peer.write(R"({"type":"leave"})"
               "\n");

    CHECK_THROWS_AS(get_from(peer, 60s), Interrupted);
    CHECK(peer.channel->wait(60s)->at("type") == "leave");
}

TEST_CASE("a decision does not interrupt a request") {
    ChannelPeer peer;
    peer.write(R"({"type":"decision"})"
               "\n");
    auto answer = std::async(std::launch::async, [&] { return get_from(peer, 60s); });

    peer.write(json{{"type", "store"}, {"id", peer.read()["id"]}, {"value", "x"}}.dump() + "\n");

    CHECK(answer.get()["value"] == "x");
}

TEST_CASE("an unanswered request ends at its time-out") {
    ChannelPeer peer;

    CHECK_THROWS_AS(get_from(peer, 1ms), RequestTimeout);
}
