#include "launch/doctor/connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "core/files/host_name.hpp"
#include "launch/system/tcp_port.hpp"

namespace crescendo::launch {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Throws std::runtime_error if the address is not numeric.
Addresses resolve(const std::string& address, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
        throw std::runtime_error(fmt::format("{}: {}", address, ::gai_strerror(error)));
    }
    return {found, ::freeaddrinfo};
}

/// Returns what went wrong; empty if it connects.
std::string connect(const Endpoint& to, std::chrono::milliseconds patience) {
    const auto address = resolve(to.address, to.port);
    const FileDescriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && ::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0) {
        return {};
    }
    int error = errno;
    if (error == EINPROGRESS) {
        pollfd connected{socket.get(), POLLOUT, 0};
        if (::poll(&connected, 1, static_cast<int>(patience.count())) == 0) {
            return fmt::format("no answer within {} s", std::chrono::duration<double>(patience).count());
        }
        socklen_t size = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    return error == 0 ? "" : std::strerror(error);
}

}  // namespace

OpenPort::OpenPort(const std::string& interface) : endpoint_{host_name(), address_of(interface), 0} {
    const auto address = resolve(endpoint_.address, 0);
    socket_ = FileDescriptor(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    auto* own = reinterpret_cast<sockaddr*>(&bound);
    if (!socket_ || ::bind(socket_.get(), address->ai_addr, address->ai_addrlen) != 0 ||
        ::listen(socket_.get(), SOMAXCONN) != 0 || ::getsockname(socket_.get(), own, &size) != 0) {
        throw std::runtime_error(fmt::format("cannot listen on {}: {}", endpoint_.address, std::strerror(errno)));
    }
    // The port has the same place in addresses of both families.
    endpoint_.port = ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

Finding examine_connection(const Endpoint& from, const Endpoint& to, std::chrono::milliseconds patience) {
    const auto problem = [&](const std::string& what) {
        return Finding{Verdict::problem, "network", fmt::format("{}, so their workers cannot form a group", what),
                       "open all TCP ports from 1024 between the nodes, or choose another network: --interface, or "
                       "`interface` in the site profile"};
    };
    if (from.host != to.host && from.address == to.address) {
        return problem(fmt::format("nodes {} and {} have the same address, {}", from.host, to.host, to.address));
    }
    if (const auto error = connect(to, patience); !error.empty()) {
        return problem(fmt::format("node {} cannot connect to {} at {} ({})", from.host, to.host, to.address, error));
    }
    return {Verdict::ok, "network", "each node can connect to the next one"};
}

Findings examine_connections(MpiSession& session, const std::string& interface) {
    constexpr std::chrono::seconds patience{5};
    std::unique_ptr<OpenPort> own;
    Findings findings;
    try {
        own = interface.empty() ? nullptr : std::make_unique<OpenPort>(interface);
    } catch (const std::runtime_error& error) {
        findings.push_back({Verdict::problem, "network", error.what(), "choose another network with --interface"});
    }
    const auto endpoints = session.all_gather(Json(own ? own->endpoint() : Endpoint{}).dump());
    const auto next =
        Json::parse(endpoints.at(static_cast<std::size_t>((session.rank() + 1) % session.size()))).get<Endpoint>();
    if (own && next.port != 0) {
        findings.push_back(examine_connection(own->endpoint(), next, patience));
    }
    session.all_gather("");  // until then others may connect to us
    return findings;
}

}  // namespace crescendo::launch
