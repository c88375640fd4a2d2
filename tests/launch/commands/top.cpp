#include <arpa/inet.h>
#include <netinet/in.h>
#include <pty.h>
#include <sys/socket.h>

#include <array>

#include "core/files/file_descriptor.hpp"
#include "launch/journal/journal.hpp"
#include "launch/system/clock.hpp"
#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

namespace {

/// The answer of a server on this machine to a request for `path`.
std::string get(int port, const std::string& path) {
    const crescendo::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const auto request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    REQUIRE(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) > 0);
    std::string answer;
    std::array<char, 65536> buffer{};
    for (ssize_t count = 0; (count = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0;) {
        answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return answer;
}

}  // namespace

TEST_CASE("top without a terminal prints the sweep once") {
    const OldSweep sweep;

    const auto result = sweep.run({"top", "s"});

    CHECK(result.code == 0);
    CHECK(contains(result.out, "2 of 4 trials started"));
}

TEST_CASE("top without a terminal cuts no line and says what a failed trial does now") {
    const OldSweep sweep;
    auto journal = crescendo::launch::Journal::open(sweep.folder / "s/journal.jsonl");
    const std::string words(200, 'x');
    journal.append(
        {{"event", "trial_failed"}, {"trial", 1}, {"kind", "crash"}, {"message", words}, {"time", 1795342768.0}});
    journal.sync();

    CHECK(contains(sweep.run({"top", "s"}).out, "trial 1, now waiting, failed: " + words + "\n"));
}

TEST_CASE("top shows what was wrong in a failure as well as what the program printed last") {
    const OldSweep sweep;
    auto journal = crescendo::launch::Journal::open(sweep.folder / "s/journal.jsonl");
    journal.append({{"event", "trial_failed"},
                    {"trial", 1},
                    {"kind", "crash"},
                    {"message", "it ended without a report; the last ones: step 1\nstep 2"},
                    {"time", 1795342768.0}});
    journal.sync();

    const auto out = sweep.run({"top", "s"}).out;
    CHECK(contains(out, "failed: it ended without a report; the last ones: step 1 … step 2\n"));
    CHECK_FALSE(contains(out, "\nslot\n"));  // there are no slots
}

TEST_CASE("top --web serves the sweep's page at the address that it prints until a signal ends it") {
    const OldSweep sweep;
    Command top(sweep.folder.path(), {"top", "s", "--web"});
    await("the address is printed", [&] { return contains(top.out(), "ssh -N -L "); });
    const auto out = top.out();
    REQUIRE(out.starts_with("http://127.0.0.1:"));
    const auto port = std::stoi(out.substr(17));
    const auto path = out.substr(out.find('/', 17), 34);

    CHECK(contains(get(port, path), "data-chart='gantt'"));
    CHECK(get(port, "/") == "");
    CHECK(get(port, path + "sweep.yaml") == "");

    top.signal(SIGTERM);
    CHECK(top.wait() == 0);
}

TEST_CASE("the page of top --web shows that a stopped sweep waits for a job, before the job writes anything") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "echo PENDING");
    const OldSweep sweep;
    Command top(sweep.folder.path(), {"top", "s", "--web"});
    await("the address is printed", [&] { return contains(top.out(), "ssh -N -L "); });
    const auto out = top.out();
    const auto port = std::stoi(out.substr(17));
    const auto path = out.substr(out.find('/', 17), 34);
    REQUIRE(contains(get(port, path), "class='state stopped'"));

    sweep.note_job("17");

    await("the page says so", [&] { return contains(get(port, path), "class='state queued'"); });
    top.signal(SIGTERM);
    CHECK(top.wait() == 0);
}

TEST_CASE("top restores the terminal when a signal ends it") {
    const OldSweep sweep;
    const auto folder = sweep.folder.path().string();
    int fd = -1;
    const pid_t top = ::forkpty(&fd, nullptr, nullptr, nullptr);
    REQUIRE(top >= 0);
    if (top == 0) {
        if (::chdir(folder.c_str()) == 0) {
            ::execl(CRESCENDO_BINARY, CRESCENDO_BINARY, "top", "s", nullptr);
        }
        ::_exit(127);
    }
    const crescendo::FileDescriptor terminal(fd);
    std::string seen;
    std::array<char, 4096> buffer{};
    bool is_told = false;
    for (ssize_t count = 0; (count = ::read(terminal.get(), buffer.data(), buffer.size())) > 0;) {
        seen.append(buffer.data(), static_cast<std::size_t>(count));
        if (!is_told && contains(seen, "2 of 4 trials started")) {
            is_told = ::kill(top, SIGTERM) == 0;
        }
    }
    int status = -1;
    ::waitpid(top, &status, 0);

    CHECK(is_told);
    CHECK(status == 0);
    CHECK(contains(seen, "\x1b[?1049h"));
    CHECK(seen.find("\x1b[?1049l") > seen.find("\x1b[?1049h"));
    CHECK(seen.ends_with("\x1b[?25h"));  // the cursor is visible again
}

TEST_CASE("top pauses longer if a sweep takes long to read, to spare the login node") {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();

    CHECK(crescendo::launch::pause_after(now + 1h) == 1s);  // it took no time
    CHECK(crescendo::launch::pause_after(now - 15s) >= 135s);
}

TEST_CASE("top refuses invalid ports and addresses before it shows anything") {
    const OldSweep sweep;

    CHECK(sweep.run({"top", "s", "--web", "70000"}).code == 2);
    CHECK(contains(sweep.run({"top", "s", "--web", "here"}).err, "'here' is not a port (0 to 65535)"));
    const auto host = sweep.run({"top", "s", "--web", "--host", "login.example"});
    CHECK(host.code == 2);
    CHECK(contains(host.err, "--host login.example: is not an IPv4 address; use 127.0.0.1"));
    CHECK(sweep.run({"top", "s", "--host", "127.0.0.1"}).code == 2);  // it has no meaning without --web
    CHECK(sweep.run({"top", "nowhere", "--web"}).code == 2);
}
