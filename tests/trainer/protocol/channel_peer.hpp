#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trainer/protocol/control_channel.hpp"

namespace crescendo::trainer::test {

/// crescendo's end of a channel.
class ChannelPeer {
  public:
    ChannelPeer() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        fd_ = ends[0];
        channel.emplace(ends[1]);
    }
    ~ChannelPeer() { hang_up(); }

    void write(const std::string& bytes) const {
        REQUIRE(::send(fd_, bytes.data(), bytes.size(), 0) == std::ssize(bytes));
    }

    nlohmann::json read() const {
        std::string line;
        for (char letter = 0; ::read(fd_, &letter, 1) == 1 && letter != '\n';) {
            line += letter;
        }
        return nlohmann::json::parse(line);
    }

    void hang_up() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
        fd_ = -1;
    }

    std::optional<ControlChannel> channel;

  private:
    int fd_ = -1;
};

}  // namespace crescendo::trainer::test
