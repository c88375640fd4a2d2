#pragma once

#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// A free TCP port of this node, reserved while this object exists.
///
/// A program that gets the number can listen on the port if it sets SO_REUSEADDR or SO_REUSEPORT. Servers do: PyTorch's
/// TCPStore, gRPC, Python's socketserver.
class TcpPort {
  public:
    /// Throws std::system_error if no port is free, or too many files are open.
    TcpPort();

    int number() const { return number_; }

  private:
    FileDescriptor socket_;
    int number_ = 0;
};

/// An address of the network interface, IPv4 if it has one. Returns the loopback address if there is no such interface.
std::string address_of(const std::string& interface);

}  // namespace crescendo::launch
