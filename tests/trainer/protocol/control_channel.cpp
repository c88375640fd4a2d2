#include "trainer/protocol/control_channel.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <string>

#include "trainer/protocol/control_store.hpp"

// c10 has a CHECK too, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

using namespace crescendo::trainer;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// crescendo's end of a channel.
class Peer {
  public:
    Peer() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        fd_ = ends[0];
        channel.emplace(ends[1]);
    }
    ~Peer() { hang_up(); }

    void write(const std::string& bytes) const {
        REQUIRE(::send(fd_, bytes.data(), bytes.size(), 0) == std::ssize(bytes));
    }

    json read() const {
        std::string line;
        for (char letter = 0; ::read(fd_, &letter, 1) == 1 && letter != '\n';) line += letter;
        return json::parse(line);
    }

    void hang_up() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

    std::optional<ControlChannel> channel;

  private:
    int fd_ = -1;
};

}  // namespace

TEST_CASE("orders come one by one, however the bytes are cut") {
    Peer peer;

    peer.write(R"({"type":"join"})"
               "\n"
               R"({"type":)");
    peer.write(R"("leave"})"
               "\n");

    CHECK(peer.channel->wait()->at("type") == "join");
    CHECK(peer.channel->wait()->at("type") == "leave");
    CHECK_FALSE(peer.channel->poll());
}

TEST_CASE("a channel is closed only once its last order has been taken") {
    Peer peer;
    peer.write(R"({"type":"leave"})"
               "\n");
    peer.hang_up();

    CHECK(peer.channel->wait());
    CHECK_FALSE(peer.channel->wait());
    CHECK(peer.channel->closed());
}

TEST_CASE("sending to a crescendo that is gone is not an error") {
    Peer peer;
    peer.hang_up();

    peer.channel->send({{"type", "hello"}});

    CHECK_FALSE(peer.channel->wait());
}

TEST_CASE("an answer reaches the request with its id, and no one else") {
    Peer peer;
    auto first = std::async(std::launch::async, [&] { return peer.channel->request({{"op", "get"}}, 60s); });
    const json first_request = peer.read();
    auto second = std::async(std::launch::async, [&] { return peer.channel->request({{"op", "get"}}, 60s); });
    const json second_request = peer.read();

    peer.write(json{{"type", "store"}, {"id", second_request["id"]}, {"value", "2"}}.dump() + "\n");
    peer.write(json{{"type", "store"}, {"id", first_request["id"]}, {"value", "1"}}.dump() + "\n");

    CHECK(first.get()["value"] == "1");
    CHECK(second.get()["value"] == "2");
}

TEST_CASE("an order to leave ends a request that waits, and can still be taken") {
    Peer peer;
    peer.write(R"({"type":"leave"})"
               "\n");

    CHECK_THROWS_AS(peer.channel->request({{"op", "get"}}, 60s), Interrupted);
    CHECK(peer.channel->wait()->at("type") == "leave");
}

TEST_CASE("a decision does not end a request") {
    Peer peer;
    peer.write(R"({"type":"decision"})"
               "\n");
    auto answer = std::async(std::launch::async, [&] { return peer.channel->request({{"op", "get"}}, 60s); });

    peer.write(json{{"type", "store"}, {"id", peer.read()["id"]}, {"value", "x"}}.dump() + "\n");

    CHECK(answer.get()["value"] == "x");
}

TEST_CASE("a request that is not answered ends at its time-out") {
    Peer peer;

    CHECK_THROWS_AS(peer.channel->request({{"op", "get"}}, 1ms), RequestTimeout);
}

TEST_CASE("the store speaks of keys in its trial and generation, values in base64") {
    Peer peer;
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

TEST_CASE("the store's error becomes an exception") {
    Peer peer;
    ControlStore store(*peer.channel, 0, 1, 60s);
    auto sum = std::async(std::launch::async, [&] { return store.add("key", 3); });

    peer.write(json{{"type", "store"}, {"id", peer.read()["id"]}, {"error", "no such trial"}}.dump() + "\n");

    CHECK_THROWS(sum.get());
}
