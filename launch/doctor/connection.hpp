#pragma once

#include <chrono>
#include <string>

#include "core/files/file_descriptor.hpp"
#include "launch/doctor/finding.hpp"
#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

/// Where a rank can be connected to.
struct Endpoint {
    std::string host;
    std::string address;  ///< numeric, IPv4 or IPv6; empty if there is none
    int port = 0;

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Endpoint, host, address, port)

/// A TCP port of this node that accepts connections while this object exists.
class OpenPort {
  public:
    /// Listens on the address of a network interface. Throws std::runtime_error if that fails.
    explicit OpenPort(const std::string& interface);

    const Endpoint& endpoint() const { return endpoint_; }

  private:
    FileDescriptor socket_;
    Endpoint endpoint_;
};

/// Whether the node of `from` can connect to `to`. Gives up after `patience`.
Finding examine_connection(const Endpoint& from, const Endpoint& to, std::chrono::milliseconds patience);

/// Connects to the next rank over `interface`, as workers of a group do: a firewall may let MPI through, and not them.
/// All ranks must call it together.
Findings examine_connections(MpiSession& session, const std::string& interface);

}  // namespace crescendo::launch
