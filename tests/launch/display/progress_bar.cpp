#include "launch/display/progress_bar.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>

using crescendo::launch::ProgressBar;

namespace {

/// The text that `write` writes to standard error, which is redirected to `write_end` and read from `read_end`.
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

/// The text that a bar writes to a terminal with this number of columns.
std::string shown_on(unsigned short columns) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
    return written_to(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), terminal, [] {
        ProgressBar bar("bytes");
        bar(500, 1000);
        bar(501, 1000);  // the same percentage
        bar(1000, 1000);
    });
}

}  // namespace

TEST_CASE("a bar on a terminal changes with the percentage, and is erased at the end") {
    CHECK(shown_on(80) ==
          "\r[####################                    ]  50 % of 1000 bytes"
          "\r[########################################] 100 % of 1000 bytes\r\x1b[K");
}

TEST_CASE("a bar is no wider than the terminal, so that it does not leave a line for each percent") {
    CHECK(shown_on(30) ==
          "\r[###    ]  50 % of 1000 bytes"  // 29 columns: the cursor has the last
          "\r[#######] 100 % of 1000 bytes\r\x1b[K");
}

TEST_CASE("no bar is written to a pipe") {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);

    CHECK(written_to(pipe[1], pipe[0], [] { ProgressBar("bytes")(1, 2); }).empty());
}
