#include "core/files/read_all.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

using namespace crescendo;

namespace {

volatile std::sig_atomic_t num_signals = 0;

void count_signal(int) { num_signals = num_signals + 1; }

}  // namespace

TEST_CASE("a file is read to its end, however many bytes the system gives at once") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);
    std::thread other([&] {
        for (int i = 0; i < 100'000; ++i) {
            CHECK(::write(writer.get(), "xy", 2) == 2);
        }
        writer.reset();
    });

    const auto bytes = read_all(reader);

    other.join();
    REQUIRE(bytes);
    CHECK(bytes->size() == 200'000);
    CHECK(read_all(reader) == "");
}

TEST_CASE("a signal does not end a read") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);
    struct sigaction before {};
    struct sigaction counting {};
    counting.sa_handler = count_signal;  // without SA_RESTART, so that a read() that waits ends in EINTR
    REQUIRE(::sigaction(SIGUSR1, &counting, &before) == 0);
    std::thread other([&, whoever_reads = ::pthread_self()] {
        for (int i = 0; i < 20; ++i) {
            ::pthread_kill(whoever_reads, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        CHECK(::write(writer.get(), "word", 4) == 4);
        writer.reset();
    });

    const auto bytes = read_all(reader);

    other.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    CHECK(num_signals > 0);
    CHECK(bytes == "word");
}

TEST_CASE("a failed read gives no bytes, and errno says why") {
    const FileDescriptor folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(folder);

    const auto bytes = read_all(folder);
    const int error = errno;

    CHECK_FALSE(bytes);
    CHECK(error == EISDIR);
}
