#include "launch/display/live_output.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "launch/process/pipe.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// A pipe with a stream into it, and the text read from it.
struct Stream {
    Stream() : stream(::fdopen(::dup(pipe.write_end.get()), "w")) { pipe.write_end.reset(); }
    ~Stream() { std::fclose(stream); }
    Stream(Stream&&) = delete;
    Stream& operator=(Stream&&) = delete;

    void read() {
        std::array<char, 65'536> part{};
        const auto size = ::read(pipe.read_end.get(), part.data(), part.size());
        REQUIRE(size > 0);
        text.append(part.data(), static_cast<std::size_t>(size));
    }

    Pipe pipe;
    std::FILE* stream;
    std::string text;
};

/// A line of 100 bytes.
std::string line(int number) { return fmt::format("{:099}\n", number); }

}  // namespace

TEST_CASE("a reader that paused gets every line, and the writer does not wait for it") {
    Stream pipe;
    LiveOutput output(pipe.stream);
    std::string written;
    for (int i = 0; i < 2000; ++i) {
        output.write(line(i));
        written += line(i);
    }

    while (!output.flush()) {
        pipe.read();
    }
    while (pipe.text.size() < written.size()) {
        pipe.read();
    }

    CHECK(pipe.text == written);
}

TEST_CASE("beyond a MiB of unread output, the oldest lines are dropped and no line is cut") {
    constexpr int num_lines = 30'000;  // 3 MB
    Stream pipe;
    LiveOutput output(pipe.stream);
    for (int i = 0; i < num_lines; ++i) {
        output.write(line(i));
    }

    while (!pipe.text.ends_with(line(num_lines - 1))) {
        output.flush();
        pipe.read();
    }

    REQUIRE(pipe.text.size() % 100 == 0);
    CHECK(pipe.text.size() > 500'000);
    CHECK(pipe.text.size() < 1'500'000);
    int last = -1;
    for (std::size_t begin = 0; begin < pipe.text.size(); begin += 100) {
        const auto each = std::stoi(pipe.text.substr(begin, 100));
        REQUIRE(pipe.text.substr(begin, 100) == line(each));
        REQUIRE(each > last);
        last = each;
    }
}

TEST_CASE("other writers to the pipe still wait") {
    const Stream pipe;
    const LiveOutput output(pipe.stream);

    CHECK((::fcntl(::fileno(pipe.stream), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("output is written to a file at once, after what is already there") {
    std::FILE* file = std::tmpfile();
    std::fputs("before\n", file);

    LiveOutput output(file);
    output.write("after\n");

    CHECK(output.flush());
    std::rewind(file);
    std::string text(100, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    CHECK(text == "before\nafter\n");
}
