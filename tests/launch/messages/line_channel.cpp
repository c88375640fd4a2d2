#include "launch/messages/line_channel.hpp"
#include "launch/json/value_json.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/files/file_descriptor.hpp"
#include "tests/failing_send.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

struct Ends {
    Ends() {
        int fds[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
        ours = FileDescriptor(fds[0]);
        theirs = FileDescriptor(fds[1]);
    }

    void write(const std::string& text) const {
        REQUIRE(::write(theirs.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }

    FileDescriptor ours, theirs;
};

}  // namespace

TEST_CASE("a line that arrives in pieces is one line") {
    const Ends ends;
    LineChannel channel(ends.ours.get());

    ends.write("{\"a\":");
    CHECK(channel.receive().empty());
    ends.write("1}\n{\"b\":2}\n{\"c\"");

    CHECK(channel.receive() == std::vector<std::string>{"{\"a\":1}", "{\"b\":2}"});
    CHECK_FALSE(channel.closed());
}

TEST_CASE("the last line before the end needs no line feed, but a torn line does not count") {
    for (const bool is_torn : {false, true}) {
        Ends ends;
        LineChannel channel(ends.ours.get());

        ends.write(is_torn ? "{\"last\":" : "{\"last\":1}");
        CHECK(channel.receive().empty());
        CHECK_FALSE(channel.unfinished().empty());
        ends.theirs.reset();

        CHECK(channel.receive().size() == (is_torn ? 0 : 1));
        CHECK(channel.closed());
    }
}

TEST_CASE("a line written before the end is received although the channel is closed") {
    Ends ends;
    LineChannel channel(ends.ours.get());

    ends.write("{\"last\":1}\n");
    ends.theirs.reset();

    CHECK(channel.receive().size() == 1);
    CHECK(channel.closed());
}

TEST_CASE("an endless line takes limited memory and is not a message, and the next line is a message again") {
    const Ends ends;
    LineChannel channel(ends.ours.get());
    LineChannel writer(ends.theirs.get());
    const std::string filler(5 * longest_message, 'x');
    std::vector<std::string> lines;

    writer.send({{"filler", filler}});
    writer.send({{"a", 1}});
    while (writer.wants_to_write() || lines.size() < 2) {
        writer.flush();
        std::ranges::move(channel.receive(), std::back_inserter(lines));
    }

    REQUIRE(lines.size() == 2);
    CHECK(lines[0].size() > longest_message);
    CHECK(lines[0].size() < 2 * longest_message);
    CHECK_THROWS_WITH_AS(parse_message(lines[0]), doctest::Contains("a line of more than 1048576 bytes"),
                         std::runtime_error);
    CHECK(lines[1] == R"({"a":1})");
}

TEST_CASE("a reader that does not read blocks nobody, and gets everything once it reads") {
    const Ends ends;
    LineChannel channel(ends.ours.get());
    LineChannel reader(ends.theirs.get());
    const std::string filler(100'000, 'x');
    constexpr int num_messages = 50;  // 5 MB, more than any socket's buffer

    for (int i = 0; i < num_messages; ++i) {
        channel.send({{"i", i}, {"filler", filler}});
    }
    REQUIRE(channel.wants_to_write());
    std::size_t received = 0;
    while (channel.wants_to_write() || received < num_messages) {
        channel.flush();
        for (const auto& line : reader.receive()) {
            CHECK(parse_line(line).at("i") == received);
            ++received;
        }
    }

    CHECK(received == num_messages);
}

TEST_CASE("a message is kept while the kernel has no memory for it") {
    const Ends ends;
    LineChannel channel(ends.ours.get());
    LineChannel reader(ends.theirs.get());

    tests::num_failing_sends = 1;
    channel.send({{"decision", "continue"}});
    CHECK(reader.receive().empty());
    channel.flush();

    CHECK(reader.receive().size() == 1);
}

TEST_CASE("Python's NaN and Infinity are null, but not inside strings") {
    const auto message =
        parse_line(R"({"metrics":{"a":NaN,"b":-Infinity,"c":Infinity,"d":0.5},"s":"NaN \" Infinity"})");

    CHECK(message.at("metrics").at("a").is_null());
    CHECK(message.at("s") == "NaN \" Infinity");
    const auto metrics = metrics_from(message.at("metrics"));
    CHECK(std::isnan(metrics.at("b")));
    CHECK(metrics.at("d") == 0.5);
}

TEST_CASE("the error for a line that is not an object quotes the line") {
    CHECK_THROWS_WITH(parse_line("loss=0.3"), doctest::Contains("'loss=0.3'"));
    CHECK_THROWS_WITH(parse_line("[1]"), doctest::Contains("not a JSON object"));
}

TEST_CASE("bytes that are not UTF-8 are replaced in a message, and the message is sent") {
    const Ends ends;
    LineChannel channel(ends.ours.get());
    LineChannel reader(ends.theirs.get());

    channel.send({{"directory", "caf\xE9"}});

    CHECK(reader.receive() == std::vector<std::string>{"{\"directory\":\"caf\xEF\xBF\xBD\"}"});
}
