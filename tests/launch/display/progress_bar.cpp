#include "launch/display/progress_bar.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>

using crescendo::launch::ProgressBar;

namespace {

/// What `write` writes to standard error while that is the descriptor `write_end`, read from `read_end`.
std::string written_to(int write_end, int read_end, const std::function<void()>& write) {
    std::fflush(stderr);
    const int before = ::dup(STDERR_FILENO);
    ::dup2(write_end, STDERR_FILENO);
    write();
    std::fputs("end", stderr);
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    std::string text;
    std::array<char, 256> buffer;
    while (!text.ends_with("end")) {
        const auto count = ::read(read_end, buffer.data(), buffer.size());
        REQUIRE(count > 0);
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(write_end);
    ::close(read_end);
    return text.substr(0, text.size() - 3);
}

}  // namespace

TEST_CASE("a bar on a terminal changes with the percentage, and is erased at the end") {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);

    const auto text = written_to(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), terminal, [] {
        ProgressBar bar("bytes");
        bar.show(500, 1000);
        bar.show(501, 1000);  // the same percentage
        bar.show(1000, 1000);
    });

    CHECK(text ==
          "\r[####################                    ]  50 % of 1000 bytes"
          "\r[########################################] 100 % of 1000 bytes\r\x1b[K");
}

TEST_CASE("there is no bar in a file") {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);

    CHECK(written_to(pipe[1], pipe[0], [] { ProgressBar("bytes").show(1, 2); }).empty());
}
