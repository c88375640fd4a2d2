#include "launch/view/live_view.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "launch/view/results.hpp"
#include "tests/contains.hpp"
#include "tests/count.hpp"
#include "tests/launch/view/told.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::Told;

namespace {

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) {
        text += line + "\n";
    }
    return text;
}

/// The output on a terminal up to the end of the given number of pictures. It may arrive in parts.
std::string pictures_on(int terminal, std::size_t count) {
    std::string text;
    while (crescendo::tests::count(text, "\x1b[J") < count) {
        std::array<char, 4000> part{};
        const auto size = ::read(terminal, part.data(), part.size());
        REQUIRE(size > 0);
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
}

}  // namespace

TEST_CASE("the screen shows progress, rungs, slots and the best trial") {
    Told told(4);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.25});

    const auto screen = text_of(screen_of(told.history, {"demo", {}}, 115.0, {80}));

    CHECK(screen.find("demo: asha on 2 slots, 0:15 elapsed, about ") != std::string::npos);
    CHECK(screen.find("2 of 4 trials started: 2 running") != std::string::npos);
    CHECK(screen.find("best   loss 0.25 at 1, trial 0: lr=") != std::string::npos);
    CHECK(screen.find("0           1       1   ████") != std::string::npos);
    CHECK(screen.find("  1    trial 1    worker 1 of 1, after 0 of 9") != std::string::npos);
}

TEST_CASE("while nothing runs because the sampler is slow, the progress says so and promises no time") {
    auto spec = Told::spec_of(4);
    spec.sampler = "gp";  // its proposals are events
    Told told(std::move(spec));
    const auto line = [&](double time) { return line_of(told.history, {"demo", {}}, time); };
    const auto start = line(100.0);
    for (const int trial : {0, 1}) {
        told.tell(100.0, TrialProposed{TrialId{trial}, {{"lr", 0.1}}, Origin::model});
    }
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.25});
    const auto running = line(110.0);
    told.tell(120.0, TrialReported{TrialId{0}, Resource{9}, 0.25});
    told.tell(120.0, TrialReported{TrialId{1}, Resource{9}, 0.125});

    CHECK(contains(start, "0 of 4 trials started: 0 running; waiting for the sampler; best none yet"));
    CHECK(contains(running, " left; 2 of 4 trials started: 2 running; best"));
    CHECK(
        contains(line(130.0), "0:30 elapsed; 2 of 4 trials started: 0 running, 2 finished; waiting for the sampler;"));
}

TEST_CASE("no line of the screen is wider than the terminal") {
    Told told(4);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.25});

    for (const auto& line : screen_of(told.history, {std::string(200, 'n'), {}}, 115.0, {30})) {
        const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
        CHECK(columns <= 30);
    }
}

TEST_CASE("the screen is no taller than the terminal, and counts the slots that it leaves out") {
    Told told(40);
    SlotsJoined joined;
    for (int slot = 2; slot < 16; ++slot) {
        joined.slots.push_back({SlotId{slot}, NodeId{0}});
    }
    told.tell(101.0, joined);
    const auto picture = [&](std::size_t rows) { return screen_of(told.history, {"demo", {}}, 115.0, {80, rows}); };

    const auto all = picture(1000);
    const auto some = picture(all.size() - 3);

    CHECK(all.back().starts_with("  15   trial 15 "));
    CHECK(picture(all.size()) == all);
    REQUIRE(some.size() == all.size() - 3);
    CHECK(some.back() == "  … and 4 more");  // this line takes the place of one slot
    CHECK(some[some.size() - 2].starts_with("  11   trial 11 "));
    for (std::size_t rows = 1; rows < all.size(); ++rows) {
        CHECK(picture(rows).size() <= rows);
        CHECK(picture(rows).front() == all.front());
    }
}

TEST_CASE("text that a program printed does not control the terminal") {
    CHECK(clipped("\x1b[2Jgone", 80) == "\\x1b[2Jgone");
}

TEST_CASE("a shortened line ends in an ellipsis, so that lr=0.0312 does not read as lr=0.03") {
    CHECK(clipped("best   lr=0.0312", 15) == "best   lr=0.03…");
    CHECK(clipped("best   lr=0.0312", 16) == "best   lr=0.0312");
    CHECK(clipped("äöü", 3) == "äöü");
    CHECK(clipped("äöü", 2) == "ä…");
    CHECK(clipped("学習率", 5) == "学習…");  // two columns each
}

TEST_CASE("a view draws no more rows than the terminal has, so that each picture replaces the last") {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const winsize size{10, 80, 0, 0};
    REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
    std::FILE* file = ::fdopen(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), "w");
    Told told(4);

    std::string text;
    {
        TerminalView view(file, {"demo", {}});
        view.say("trial 0 failed: \x1b[2J");
        view.update(told.history, 115.0);
        text = pictures_on(terminal, 1);
    }
    std::fclose(file);
    ::close(terminal);

    CHECK(std::ranges::count(text, '\n') == 9);  // the cursor stands in the tenth row
    CHECK(text.find("demo: asha on 2 slots") != std::string::npos);
    CHECK(text.find("trial 0 failed: \\x1b[2J") != std::string::npos);
}

TEST_CASE("on a terminal, a failure stays visible while other trials fail in the same way") {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    std::FILE* file = ::fdopen(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), "w");
    Told told(4);

    std::string text;
    {
        TerminalView view(file, {"demo", {}});
        view.say("trial 0 crashed: exit status 1; last words: reading\nOSError: no data");
        for (int trial = 1; trial < 9; ++trial) {
            view.say("trial " + std::to_string(trial) + " crashed: in the same way as trial 0 above");
        }
        view.update(told.history, 115.0);
        text = pictures_on(terminal, 1);
    }
    std::fclose(file);
    ::close(terminal);

    CHECK(contains(text, "trial 0 crashed: exit status 1; last words: … OSError: no data"));
    CHECK(contains(text, "trial 8 crashed: in the same way as trial 0 above"));
}

TEST_CASE("a stopped terminal does not block the view, and later gets whole pictures again") {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const int end = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    std::FILE* file = ::fdopen(end, "w");
    Told told(4);

    std::string text;
    {
        TerminalView view(file, {"demo", {}});
        REQUIRE(::tcflow(end, TCOOFF) == 0);  // Ctrl-S
        view.update(told.history, 115.0);
        view.update(told.history, 116.0);
        view.update(told.history, 117.0);
        REQUIRE(::tcflow(end, TCOON) == 0);
        view.update(told.history, 118.0);
        text = pictures_on(terminal, 2);
    }
    std::fclose(file);
    ::close(terminal);

    CHECK(contains(text, "demo: asha on 2 slots, 0:15 elapsed"));  // it was already on its way
    CHECK_FALSE(contains(text, "0:16 elapsed"));
    CHECK_FALSE(contains(text, "0:17 elapsed"));
    CHECK(contains(text, "demo: asha on 2 slots, 0:18 elapsed"));
}

TEST_CASE("a log with a stalled reader does not block the view, and gets its lines later") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    std::FILE* log = ::fdopen(ends[1], "w");
    const Told told(4);
    constexpr int num_lines = 2000;

    std::string text;
    {
        LogView view(log, {"demo", {}});
        for (int i = 0; i < num_lines; ++i) {
            view.say(std::string(100, 'x'));  // a pipe takes 64 KiB
        }
        while (std::ranges::count(text, '\n') < num_lines) {
            std::array<char, 4096> part{};
            const auto size = ::read(ends[0], part.data(), part.size());
            REQUIRE(size > 0);
            text.append(part.data(), static_cast<std::size_t>(size));
            view.update(told.history, 0.0);
        }
    }
    std::fclose(log);
    ::close(ends[0]);

    CHECK(text.size() == num_lines * 101);
}

TEST_CASE("a log has one line about the end of a sweep") {
    Told told(1);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{9}, 0.5});
    std::FILE* log = std::tmpfile();

    LogView view(log, {"demo", {}});
    view.update(told.history, 110.0);
    view.update(told.history, 110.5);

    std::rewind(log);
    std::string text(500, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), log));
    std::fclose(log);
    CHECK(std::ranges::count(text, '\n') == 1);
    CHECK(text.find("; best loss 0.5 at 9, trial 0: lr=") != std::string::npos);
    CHECK(text.find(" left") == std::string::npos);  // it is over
}

TEST_CASE("the bar follows a time budget that changes while the sweep runs") {
    Told told(1000);  // its session began at 100
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    LogView view(file, {"demo", 10'000.0});
    const auto last_line = [&] {
        std::rewind(file);
        std::array<char, 512> line{};
        while (std::fgets(line.data(), line.size(), file) != nullptr) {}
        return std::string(line.data());
    };

    view.update(told.history, 150.0);
    CHECK(last_line().starts_with("0 %, "));  // 50 s of 10,000 s
    view.change_time_budget(200.0);
    view.update(told.history, 200.0);
    CHECK(last_line().starts_with("50 %, "));
    view.change_time_budget({});
    view.update(told.history, 250.0);
    CHECK(last_line().starts_with("0 %, "));
    std::fclose(file);
}

TEST_CASE("if trials are repetitions, the screen counts trials and configurations, and shows the judged value") {
    auto spec = Told::spec_of(2);
    spec.repeat.times = 2;
    Told told(std::move(spec));
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.25});
    told.tell(111.0, TrialReported{TrialId{1}, Resource{1}, 0.75});

    const auto screen = text_of(screen_of(told.history, {"demo", {}}, 115.0, {80}));

    CHECK(screen.find("3 of 4 trials started: 2 running, 1 paused") != std::string::npos);  // trial 3 is still to start
    CHECK(screen.find("best   loss 0.5 (mean of 2) at 1, trial 0: lr=") != std::string::npos);
    CHECK(screen.find("rung       at configs") != std::string::npos);
    CHECK(screen.find("0           1       1   ████") != std::string::npos);
}

TEST_CASE("a repetition that failed is told of beside the judged value, in which it does not count") {
    auto spec = Told::spec_of(1);
    spec.repeat.times = 2;
    spec.max_retries = 0;
    Told told(std::move(spec));
    told.tell(110.0, TrialFailed{TrialId{1}, FailureKind::crash});
    told.tell(111.0, TrialReported{TrialId{0}, Resource{9}, 0.25});

    const auto screen = text_of(screen_of(told.history, {"demo", {}}, 115.0, {80}));

    CHECK(screen.find("best   loss 0.25 (mean of 2, 1 failed) at 9, trial 0: lr=") != std::string::npos);
}

TEST_CASE("slot time is counted while a trial holds slots, but not between sessions") {
    Told told(1);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.5});
    told.history.apply(session_note(1000.0, "host", 2));  // the first session ended after 10 s
    told.tell(1000.0, SlotsLost{{SlotId{0}, SlotId{1}}});
    told.tell(1000.0, SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    told.tell(1005.0, TrialReported{TrialId{0}, Resource{9}, 0.4});

    CHECK(told.history.elapsed() == doctest::Approx(15.0));
    CHECK(told.history.slot_seconds() == doctest::Approx(15.0));
    const auto& trial = told.history.of(TrialId{0});
    CHECK(*trial.ended - *trial.started == doctest::Approx(15.0));  // without the time between the sessions
}

TEST_CASE("times and values read as people write them") {
    CHECK(clock_text(75) == "1:15");
    CHECK(clock_text(7300) == "2:01:40");
    CHECK(clock_text(-3) == "0:00");
    CHECK(brief({{"lr", 0.031234}, {"width", std::int64_t{32}}, {"act", std::string("relu")}}) ==
          "lr=0.03123 width=32 act=relu");
}

TEST_CASE("hundreds of parameters do not fill the progress line") {
    CHECK(brief({{"lr", 0.1}, {"width", std::int64_t{32}}, {"depth", std::int64_t{3}}}, 2) ==
          "lr=0.1 width=32 and 1 more");
    CHECK(brief({{"lr", 0.1}, {"width", std::int64_t{32}}}, 2) == "lr=0.1 width=32");
}

TEST_CASE("a configuration is one line, even if a text in it has several") {
    CHECK(brief({{"prompt", std::string("a\nb\r\n\tc\x1b")}, {"lr", 0.1}}) == "prompt=a b   c\\x1b lr=0.1");
}
