#include "launch/process/child_process.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "launch/files/read_file.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/process/shell.hpp"
#include "launch/slots/topology.hpp"
#include "tests/await.hpp"
#include "tests/launch/few_open_files.hpp"
#include "tests/lost_folder.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

ExitStatus wait_for(ChildProcess& process) {
    pollfd descriptor{process.exit_descriptor().get(), POLLIN, 0};
    REQUIRE_MESSAGE(::poll(&descriptor, 1, 30'000) == 1, "the process does not end");
    return process.try_wait().value();
}

ExitStatus run(const std::vector<std::string>& command) {
    ProcessOptions options;
    options.command = command;
    ChildProcess process(options);
    return wait_for(process);
}

}  // namespace

TEST_CASE("a process ends with its status") {
    CHECK(run({"true"}).success());
    CHECK(run({"sh", "-c", "exit 3"}).code == 3);
    CHECK(to_string(run({"sh", "-c", "exit 3"})) == "exit status 3");
    CHECK(to_string(run({"sh", "-c", "kill -9 $$"})) == "killed by signal 9 (Killed)");
}

TEST_CASE("the error for a program that cannot be executed names it at once") {
    CHECK_THROWS_WITH(run({"/no/such/program"}), "cannot execute '/no/such/program': No such file or directory");
}

TEST_CASE("a program that cannot be executed for now causes a system error") {
    const LostFolder lost;
    ProcessOptions options;
    options.command = {lost.path() / "program"};
    options.has_socket = false;  // it could get the folder's descriptor

    CHECK_THROWS_WITH_AS(ChildProcess{options}, doctest::Contains("/program': No such process"), std::system_error);
}

TEST_CASE("if the folder of a program is missing, the error names the folder") {
    ProcessOptions options;
    options.command = {"true"};
    options.directory = "/no/such/folder";

    CHECK_THROWS_WITH(ChildProcess{options},
                      "cannot execute 'true' in the folder /no/such/folder: No such file or directory");
}

TEST_CASE("a command that is too long for any system has an error of its own") {
    CHECK_THROWS_AS(run({"true", std::string(200'000, 'x')}), CommandTooLong);
}

TEST_CASE("a process that the system refuses for now causes a system error") {
    const TemporaryFolder folder;
    ProcessOptions options;
    options.command = {"true"};
    options.log = folder / "log";
    const int used = FileDescriptor(::dup(STDERR_FILENO)).get();
    rlim_t num_refused = 0;

    for (bool is_refused = true; is_refused && num_refused < 100;) {
        try {
            const FewOpenFiles few(static_cast<rlim_t>(used) + num_refused);
            const ChildProcess process(options);
            is_refused = false;
        } catch (const std::system_error& error) {
            CHECK(error.code() == std::errc::too_many_files_open);
            ++num_refused;
        }
    }

    CHECK(num_refused >= 5);  // two ends of a socket, two of a pipe, and the log
    CHECK(num_refused < 100);
}

TEST_CASE("a process gets its environment, its folder, its log and no other descriptor of ours") {
    const TemporaryFolder folder;
    ProcessOptions options;
    options.command = {"sh", "-c", "echo $COLOUR; pwd; ls /proc/self/fd | wc -l; echo trouble >&2"};
    options.environment = {{"COLOUR", "red"}};
    options.directory = folder.path().string();
    options.log = (folder / "log").string();
    const FileDescriptor leak(::dup(0));  // without the close-on-exec flag

    ChildProcess process(options);
    CHECK(wait_for(process).success());

    // 0, 1, 2, the socket, and the one with which ls reads the folder
    CHECK(read_file(folder / "log") == "red\n" + folder.path().string() + "\n5\ntrouble\n");
}

TEST_CASE("a process that we start does not see the job script's file for our exit code") {
    ::setenv(exit_status_variable, "exit", 1);
    const auto by_process = run({"sh", "-c", "[ -z \"$CRESCENDO_EXIT_STATUS\" ]"});
    const auto by_tool = run_tool({"sh", "-c", "[ -z \"$CRESCENDO_EXIT_STATUS\" ]"});
    ::unsetenv(exit_status_variable);

    CHECK(by_process.success());
    CHECK(by_tool.success());
}

TEST_CASE("a process that we start does not see itself as a rank of our MPI job, whatever the launcher") {
    const std::vector<const char*> names{"OMPI_COMM_WORLD_RANK", "ORTE_LOCAL", "PMIX_RANK", "PMI_RANK"};
    for (const char* name : names) {
        ::setenv(name, "1", 1);
    }
    const auto none = run({"sh", "-c", "! env | grep -E '^(OMPI_|ORTE_|PMIX|PMI_)'"});
    for (const char* name : names) {
        ::unsetenv(name);
    }

    CHECK(none.success());
}

TEST_CASE("the two ends of the socket can send and receive") {
    ProcessOptions options;
    options.command = {"sh", "-c", "read line <&$CRESCENDO_FD; echo \"got $line\" >&$CRESCENDO_FD"};
    ChildProcess process(options);

    REQUIRE(::write(process.socket().get(), "hi\n", 3) == 3);
    CHECK(wait_for(process).success());

    char answer[16] = "";
    CHECK(::read(process.socket().get(), answer, sizeof answer - 1) == 7);
    CHECK(std::string(answer) == "got hi\n");
}

TEST_CASE("destroying a process kills its whole group") {
    const TemporaryFolder folder;
    ProcessOptions options;
    options.command = {"sh", "-c", "sleep 1000 & echo $! > pid; wait"};
    options.directory = folder.path().string();
    long grandchild = 0;
    {
        ChildProcess process(options);
        await("the child writes its own child's number", [&] { return (grandchild = number_in(folder / "pid")) != 0; });
    }

    await("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("a process runs on the CPUs it is given, or on ours if the system refuses") {
    const auto cores = cores_of_this_machine();
    const TemporaryFolder folder;
    ProcessOptions options;
    options.command = {"bash", "-c", "grep Cpus_allowed_list /proc/self/status"};
    const auto allowed = [&](const std::string& log, std::vector<int> cpus) {
        options.log = folder / log;
        options.cpus = std::move(cpus);
        ChildProcess process(options);
        CHECK(wait_for(process).success());
        return read_file(folder / log);
    };
    const int last = cores.back().cpus.back();

    CHECK(allowed("bound", {last}) == "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
    CHECK(allowed("refused", {100'000}) == allowed("ours", {}));
}
