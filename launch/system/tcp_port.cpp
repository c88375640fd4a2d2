#include "launch/system/tcp_port.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace crescendo::launch {

TcpPort::TcpPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto refuse = [] { throw std::system_error(errno, std::generic_category(), "cannot reserve a TCP port"); };
    if (!socket_) {
        refuse();
    }
    const int on = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    // It is bound but does not listen, so another socket may bind to the port, and gets all connections.
    if (::bind(socket_.get(), any, sizeof address) != 0 || ::getsockname(socket_.get(), any, &size) != 0) {
        refuse();
    }
    number_ = ntohs(address.sin_port);
}

std::string address_of(const std::string& interface) {
    std::string found;
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) == 0) {
        for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
            const int family = each->ifa_addr != nullptr ? each->ifa_addr->sa_family : AF_UNSPEC;
            if (interface != each->ifa_name || (family != AF_INET && (family != AF_INET6 || !found.empty()))) {
                continue;
            }
            const void* address = &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
            if (family == AF_INET6) {
                address = &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
            }
            std::array<char, INET6_ADDRSTRLEN> text{};
            found = ::inet_ntop(family, address, text.data(), text.size());
            if (family == AF_INET) {
                break;
            }
        }
        ::freeifaddrs(list);
    }
    return found.empty() ? "127.0.0.1" : found;
}

}  // namespace crescendo::launch
