#include "launch/web/page_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string_view>

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "launch/process/open_files.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

constexpr unsigned most_connections = 4096;
constexpr unsigned seconds_of_patience = 30;  // timeout for a client that neither sends nor receives
constexpr std::size_t bytes_of_connection = 8192;
/// Interval of messages to browsers, because a closed connection is noticed only when something is sent.
constexpr auto between_pings = std::chrono::seconds(15);

std::string new_token() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error(fmt::format("cannot generate a random token: {}", std::strerror(errno)));
    }
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

/// Compares in constant time, so that the time does not reveal where the texts differ.
bool are_equal(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    }
    return difference == 0;
}

/// The number of connections to allow, limited by the number of descriptors that this process may open.
unsigned connection_limit() {
    constexpr std::uint64_t others = 64;  // descriptors that we need ourselves
    const auto allowed = allow_open_files(most_connections + others);
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(allowed > others ? allowed - others : 1, 1, most_connections));
}

void add_headers(MHD_Response* response, const char* type) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");  // the address is the secret
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

struct PageServer::Daemon {
    /// A browser that waits for events.
    struct Listener {
        Daemon* daemon;
        MHD_Connection* connection;
        int seen;  ///< last revision that was sent to it
        Clock::time_point told;
    };

    explicit Daemon(std::string secret) : token(std::move(secret)) {}
    ~Daemon() {
        is_ending = true;
        if (server != nullptr) {
            wake([](const Listener&) { return true; });  // the library only ends connections that are not suspended
            MHD_run(server);
            MHD_stop_daemon(server);
        }
        if (page != nullptr) {
            MHD_destroy_response(page);
        }
    }
    Daemon(Daemon&&) = delete;
    Daemon& operator=(Daemon&&) = delete;

    template <class Which>
    void wake(const Which& which) {
        std::erase_if(waiting, [&](Listener* listener) {
            const bool chosen = which(*listener);
            if (chosen) {
                MHD_resume_connection(listener->connection);
            }
            return chosen;
        });
    }

    MHD_Result answer(MHD_Connection* connection, std::string_view url, std::string_view method) {
        const bool reads = method == MHD_HTTP_METHOD_GET || method == MHD_HTTP_METHOD_HEAD;
        const auto given = url.substr(std::min<std::size_t>(1, url.size()), token.size());
        const auto rest = url.substr(std::min(1 + token.size(), url.size()));
        if (!reads || !are_equal(given, token) || page == nullptr || (rest != "/" && rest != "/events")) {
            return MHD_NO;  // closes the connection
        }
        if (rest == "/") {
            return MHD_queue_response(connection, MHD_HTTP_OK, page);
        }
        auto* listener = new Listener{this, connection, 0, Clock::now()};
        auto* response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 256, next_event, listener, forget);
        add_headers(response, "text/event-stream");
        const auto result = MHD_queue_response(connection, MHD_HTTP_OK, response);
        MHD_destroy_response(response);
        return result;
    }

    /// Writes the next event for a listener. If there is none, suspends the connection until wake().
    static ssize_t next_event(void* of, std::uint64_t, char* buffer, std::size_t size) {
        auto& listener = *static_cast<Listener*>(of);
        auto& daemon = *listener.daemon;
        if (daemon.is_ending) {
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
        std::string text;
        if (listener.seen != daemon.revision) {
            text = fmt::format("data: {}\n\n", daemon.revision);
        } else if (Clock::now() - listener.told >= between_pings) {
            text = ":\n\n";
        } else {
            daemon.waiting.insert(&listener);
            MHD_suspend_connection(listener.connection);
            return 0;
        }
        listener.seen = daemon.revision;
        listener.told = Clock::now();
        text.copy(buffer, size);
        return static_cast<ssize_t>(std::min(size, text.size()));
    }

    static void forget(void* of) {
        auto* listener = static_cast<Listener*>(of);
        listener->daemon->waiting.erase(listener);
        delete listener;
    }

    static MHD_Result handle(void* of, MHD_Connection* connection, const char* url, const char* method, const char*,
                             const char*, std::size_t*, void**) {
        return static_cast<Daemon*>(of)->answer(connection, url, method);
    }

    std::string token;
    MHD_Daemon* server = nullptr;
    MHD_Response* page = nullptr;  ///< shared by all requests: slow clients cost no copies
    int revision = 0;
    bool is_ending = false;
    std::set<Listener*> waiting;
};

PageServer::PageServer(const std::string& host, std::uint16_t port) : daemon_(std::make_unique<Daemon>(new_token())) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    CRESCENDO_VALIDATE(::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1, "",
                       "--host {}: is not an IPv4 address; use 127.0.0.1, or 0.0.0.0 for all addresses of this machine",
                       host);
    daemon_->server = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, port, nullptr, nullptr, &Daemon::handle, daemon_.get(),
        MHD_OPTION_SOCK_ADDR, reinterpret_cast<const sockaddr*>(&address), MHD_OPTION_CONNECTION_LIMIT,
        connection_limit(), MHD_OPTION_CONNECTION_TIMEOUT, seconds_of_patience, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        bytes_of_connection, MHD_OPTION_END);
    CRESCENDO_VALIDATE(daemon_->server != nullptr, "",
                       "--web: cannot listen on {}:{}: {}; choose another port, or omit it to use any free one", host,
                       port, std::strerror(errno));
    port_ = MHD_get_daemon_info(daemon_->server, MHD_DAEMON_INFO_BIND_PORT)->port;
    address_ = fmt::format("http://{}:{}/{}/", host == "0.0.0.0" ? host_name() : host, port_, daemon_->token);
}

PageServer::~PageServer() = default;

void PageServer::show(const std::string& page) {
    auto* response =
        MHD_create_response_from_buffer(page.size(), const_cast<char*>(page.data()), MHD_RESPMEM_MUST_COPY);
    add_headers(response, "text/html; charset=utf-8");
    if (daemon_->page != nullptr) {
        MHD_destroy_response(daemon_->page);  // connections that still send the old page keep it alive
    }
    daemon_->page = response;
    ++daemon_->revision;
    daemon_->wake([](const Daemon::Listener&) { return true; });
}

bool PageServer::serve(std::chrono::milliseconds duration, int input) {
    const int requests = MHD_get_daemon_info(daemon_->server, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    const auto end = Clock::now() + duration;
    for (;;) {
        const auto now = Clock::now();
        daemon_->wake([&](const Daemon::Listener& listener) { return now - listener.told >= between_pings; });
        MHD_run(daemon_->server);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) {
            return false;
        }
        MHD_UNSIGNED_LONG_LONG until_timeout = 0;
        const bool has_timeout = MHD_get_timeout(daemon_->server, &until_timeout) == MHD_YES;
        const auto wait =
            has_timeout ? std::min<unsigned long long>(static_cast<unsigned long long>(left), until_timeout)
                        : static_cast<unsigned long long>(left);
        std::array<pollfd, 2> ready{pollfd{requests, POLLIN, 0}, pollfd{input, POLLIN, 0}};
        ::poll(ready.data(), input >= 0 ? 2 : 1, static_cast<int>(wait));
        if (input >= 0 && ready[1].revents != 0) {
            return true;
        }
    }
}

}  // namespace crescendo::launch
