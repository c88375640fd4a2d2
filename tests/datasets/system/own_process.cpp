#include "datasets/system/own_process.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// Bypasses the handlers of sanitizers and of this test.
[[noreturn]] int die_by(int signal) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    ::_exit(77);
}

}  // namespace

TEST_CASE("a function in its own process returns an exit status and changes nothing in ours") {
    int touched = 0;

    const auto ending = in_own_process("a.h5", [&] { return touched = 42; });

    CHECK(ending.code == 42);
    CHECK(ending.signal == 0);
    CHECK(touched == 0);
}

TEST_CASE("a crash is reported with the file that was read last") {
    const auto ending = in_own_process("a.h5", [] {
        now_reading("b.h5");
        return die_by(SIGSEGV);
    });

    CHECK(ending.crashed());
    CHECK(doctest::String(ending.message().c_str()) ==
          "the HDF5 library crashed while reading b.h5 (Segmentation fault): the file is damaged; replace it with an "
          "intact copy");
}

TEST_CASE("a killed process has not crashed") {
    const auto ending = in_own_process("a.h5", [] { return die_by(SIGKILL); });

    CHECK_FALSE(ending.crashed());
    CHECK(doctest::String(ending.message().c_str()) == Contains("reading a.h5 failed: its process was killed"));
}

TEST_CASE("a half-written file is removed after a crash but not after a normal end") {
    const TemporaryFolder folder;
    for (const bool crashes : {false, true}) {
        const auto file = folder / "new.h5.part";
        const auto ending = in_own_process("a.h5", [&] {
            std::ofstream(file) << "half";
            remove_after_crash(file.string());
            return crashes ? die_by(SIGABRT) : 0;
        });

        CHECK(ending.crashed() == crashes);
        CHECK(std::filesystem::exists(file) != crashes);
    }
}

TEST_CASE("a forwarded signal takes effect even if it merges with one from elsewhere") {
    const auto ending = in_own_process("a.h5", [] {
        sigset_t terminate;
        ::sigemptyset(&terminate);
        ::sigaddset(&terminate, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
        std::raise(SIGTERM);           // as a terminal sends it to both processes
        ::kill(::getppid(), SIGTERM);  // which passes it on
        ::usleep(100'000);             // it merges with the pending one if it arrives in time
        ::alarm(60);                   // in case it is lost
        ::sigprocmask(SIG_UNBLOCK, &terminate, nullptr);
        for (;;) {
            ::pause();
        }
        return 0;
    });

    CHECK(ending.signal == SIGTERM);
}

TEST_CASE("outside such a process, notes have no effect and signals are meant for us") {
    now_reading("a.h5");
    remove_after_crash("a.h5");

    CHECK(is_meant_for_us(SIGINT));
}
