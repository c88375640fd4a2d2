#include "launch/process/stop_signals.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

using Clock = std::chrono::steady_clock;

/// A process that gets SIGINT twice, and again until it ends if `is_impatient`.
struct Interrupted {
    explicit Interrupted(bool is_impatient) {
        const auto begin = Clock::now();
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::dup2(::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0666), STDOUT_FILENO);
            const StopSignals signals("farewell");
            int num_signals = 0;
            do {
                std::raise(SIGINT);
                signals.requested();
            } while (++num_signals < 2 || is_impatient);
            ::_exit(0);
        }
        ::waitpid(child, &status, 0);
        took = Clock::now() - begin;
        std::getline(std::ifstream(folder / "out"), farewell);
    }

    TemporaryFolder folder;
    int status = 0;
    Clock::duration took{};
    std::string farewell;
};

}  // namespace

TEST_CASE("the end of the terminal is a request to stop, but not under nohup") {
    for (const bool is_nohup : {false, true}) {
        CAPTURE(is_nohup);
        std::signal(SIGHUP, is_nohup ? SIG_IGN : SIG_DFL);
        {
            const StopSignals signals;

            std::raise(SIGHUP);

            CHECK((signals.requested() == nullptr) == is_nohup);
        }
        std::signal(SIGHUP, SIG_DFL);
    }
}

TEST_CASE("a signal is seen even if nobody ever waits because messages never cease") {
    const StopSignals signals;
    const auto requested = [&] {
        const char* name = signals.requested();
        return std::string(name != nullptr ? name : "nothing");
    };
    REQUIRE(requested() == "nothing");

    std::raise(SIGTERM);

    CHECK(requested() == "SIGTERM");
}

TEST_CASE("a second Ctrl-C ends the process at once, with a farewell") {
    const Interrupted process(/*is_impatient=*/true);

    REQUIRE(WIFEXITED(process.status));
    CHECK(WEXITSTATUS(process.status) == 75);
    CHECK(process.farewell == "farewell");
}

TEST_CASE("two SIGINTs that come together, as from `timeout`, count as one Ctrl-C") {
    for (bool was_fast = false; !was_fast;) {
        const Interrupted process(/*is_impatient=*/false);
        was_fast = process.took < std::chrono::milliseconds(500);  // otherwise the machine was too slow between them

        CHECK((!was_fast || (WIFEXITED(process.status) && WEXITSTATUS(process.status) == 0)));
    }
}
