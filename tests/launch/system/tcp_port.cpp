#include "launch/system/tcp_port.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <system_error>

#include "launch/process/shell.hpp"
#include "tests/sanitized.hpp"

using namespace crescendo::launch;
using crescendo::tests::is_sanitized;

namespace {

/// Whether a Python server can listen on the port and be reached.
bool can_serve(int port) {
    const auto script =
        "import socket, socketserver, threading\n"
        "socketserver.TCPServer.allow_reuse_address = True\n"
        "server = socketserver.TCPServer(('', " +
        std::to_string(port) +
        "), socketserver.BaseRequestHandler)\n"
        "threading.Thread(target=server.handle_request).start()\n"
        "socket.create_connection(('127.0.0.1', " +
        std::to_string(port) + "), timeout=30).close()\n";
    return run_tool({"python3", "-c", script}).success();
}

}  // namespace

TEST_CASE("ports differ, and one program after another can listen on the same port") {
    const TcpPort port;
    const TcpPort other;

    CHECK(port.number() != other.number());
    CHECK(can_serve(port.number()));
    CHECK(can_serve(port.number()));
}

// The sanitizer needs a descriptor of its own to look at an exception.
TEST_CASE("the error for a port that cannot be reserved has the system's reason" * doctest::skip(is_sanitized)) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);

    CHECK_THROWS_WITH_AS(TcpPort(), "cannot reserve a TCP port: Too many open files", std::system_error);
    ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("an interface has an address, and loopback replaces a missing interface") {
    CHECK(address_of("lo") == "127.0.0.1");
    CHECK(address_of("no-such-interface") == "127.0.0.1");
}
