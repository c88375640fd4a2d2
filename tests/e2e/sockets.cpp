/// Who could reach a running sweep: docs/security.md.

#include "tests/e2e/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

TEST_CASE("a listening socket is found, so that finding none means something") {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CHECK(listening_addresses({::getpid()}).empty());

    REQUIRE(::listen(listener, 1) == 0);

    CHECK(listening_addresses({::getpid()}) == std::multiset<std::string>{"0100007F"});
    ::close(listener);
}

TEST_CASE("no process of a sweep over programs on one node listens on any port") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 2\nslots: 2\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
    write_file(folder / "train.sh",
               "touch running.$CRESCENDO_TRIAL\nwhile [ ! -e go ]; do sleep 0.05; done\n"
               "echo '{\"resource\":1,\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD; read -r answer <&$CRESCENDO_FD\n");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("both trials run", [&] { return fs::exists(folder / "running.0") && fs::exists(folder / "running.1"); });

    CHECK(processes_in(folder.path()).size() >= 5);  // crescendo, two guards, two programs
    CHECK(listening_addresses(processes_in(folder.path())).empty());

    write_file(folder / "go", "");
    CHECK(run.wait() == 0);
}
