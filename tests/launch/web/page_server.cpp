#include "launch/web/page_server.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/host_name.hpp"
#include "tests/contains.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using namespace std::chrono_literals;

namespace {

/// A client that sends some bytes, and receives the answer.
class Client {
  public:
    Client(const PageServer& server, const std::string& bytes)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(server.port());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }

    /// All bytes received so far.
    const std::string& received() {
        std::array<char, 65536> buffer{};
        ssize_t count = 0;
        while ((count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            text_.append(buffer.data(), static_cast<std::size_t>(count));
        }
        is_closed_ = is_closed_ || count == 0 || (count < 0 && errno == ECONNRESET);
        return text_;
    }
    bool is_closed() {
        received();
        return is_closed_;
    }

  private:
    FileDescriptor socket_;
    std::string text_;
    bool is_closed_ = false;
};

void serve_until(PageServer& server, const auto& done) {
    for (int turn = 0; turn < 3000 && !done(); ++turn) {
        server.serve(10ms);
    }
    REQUIRE(done());
}

/// The part of the address after the port: "/<token>/".
std::string path_of(const PageServer& server) {
    const auto& address = server.address();
    return address.substr(address.rfind('/', address.size() - 2));
}

std::string get(const std::string& path, const std::string& method = "GET") {
    return method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

}  // namespace

TEST_CASE("a client that knows the address gets the page, and caches may not keep it") {
    PageServer server("127.0.0.1", 0);
    server.show("<p>one</p>");
    Client client(server, get(path_of(server)));

    serve_until(server, [&] { return contains(client.received(), "<p>one</p>"); });

    CHECK(client.received().starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(contains(client.received(), "Cache-Control: no-store\r\n"));
    CHECK(contains(client.received(), "Referrer-Policy: no-referrer\r\n"));
    CHECK(server.address().starts_with("http://127.0.0.1:"));
    CHECK(path_of(server).size() == 34);  // 128 random bits
}

TEST_CASE("all other requests get no answer at all") {
    PageServer server("127.0.0.1", 0);
    server.show("secret");
    const auto path = path_of(server);
    auto wrong = path;
    wrong[1] = wrong[1] == '0' ? '1' : '0';
    const std::vector<std::string> requests{
        get("/"), get(wrong), get(path.substr(0, 33)), get(path + "../sweep.yaml"), get(path + "journal.jsonl"),
        get("/" + path), get(path + "%2e%2e/"), get(path, "POST"), get(path, "DELETE"), get("/../../etc/passwd")};

    for (const auto& request : requests) {
        CAPTURE(request);
        Client client(server, request);
        serve_until(server, [&] { return client.is_closed(); });
        CHECK(client.received() == "");
    }
}

TEST_CASE("listening browsers get an event for each new page, and the connection ends with the server") {
    auto server = std::make_unique<PageServer>("127.0.0.1", 0);
    server->show("one");
    Client client(*server, get(path_of(*server) + "events"));
    serve_until(*server, [&] { return contains(client.received(), "data: 1\n\n"); });
    server->serve(50ms);
    CHECK_FALSE(contains(client.received(), "data: 2"));

    server->show("two");
    serve_until(*server, [&] { return contains(client.received(), "data: 2\n\n"); });
    server.reset();

    CHECK(client.is_closed());
}

TEST_CASE("a thousand stalled clients do not keep another client waiting") {
    PageServer server("127.0.0.1", 0);
    server.show(std::string(3'000'000, 'x'));
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 1000; ++i) {
        // Some send nothing, some half a request, and some request the page or events but read neither.
        const std::vector<std::string> beginnings{"", "GET /", get(path_of(server)), get(path_of(server) + "events")};
        slow.push_back(std::make_unique<Client>(server, beginnings[static_cast<std::size_t>(i) % 4]));
        server.serve(0ms);
    }
    server.show("new");

    Client client(server, get(path_of(server)));
    serve_until(server, [&] { return contains(client.received(), "\r\n\r\nnew"); });

    CHECK_FALSE(slow[3]->is_closed());
    CHECK(contains(slow[3]->received(), "data: 2\n\n"));
}

TEST_CASE("a server listens on the given IP address, and a port in use is an error") {
    const PageServer server("127.0.0.1", 0);

    CHECK_THROWS_AS(PageServer("127.0.0.1", server.port()), InvalidInput);
    CHECK_THROWS_AS(PageServer("login.example", 0), InvalidInput);
    CHECK(PageServer("0.0.0.0", 0).address().starts_with("http://" + host_name() + ":"));
}
