#pragma once

#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// A free TCP port of this node, which the system gives to nobody else while this object lives.
///
/// A program that is told the number can listen there, as long as it sets SO_REUSEADDR or SO_REUSEPORT. Servers do:
/// PyTorch's TCPStore, gRPC, Python's socketserver.
class TcpPort {
  public:
    /// Throws std::runtime_error if there is none.
    TcpPort();

    int number() const { return number_; }

  private:
    FileDescriptor socket_;
    int number_ = 0;
};

/// An address of the network interface, IPv4 if it has one. Without such an interface, that of loopback.
std::string address_of(const std::string& interface);

}  // namespace crescendo::launch
