#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace crescendo::launch {

/// Serves one page (HTML) to browsers that know its address, and notifies them when it changes.
///
/// The address contains a token that nobody can guess. A request without it, for anything but the page and its events,
/// or with a method that would change something, gets no answer: the connection is closed. Requests name no files. All
/// work happens in serve(), in the caller's thread, and no client can make it wait.
class PageServer {
  public:
    /// Listens on an IPv4 address and a port; 0: any free port. Throws InvalidInput if that fails.
    PageServer(const std::string& host, std::uint16_t port);
    ~PageServer();  // ends all connections
    PageServer(PageServer&&) = delete;
    PageServer& operator=(PageServer&&) = delete;

    /// http://127.0.0.1:4321/<token>/
    const std::string& address() const { return address_; }
    std::uint16_t port() const { return port_; }

    /// Replaces the page. Browsers that show the old one get an event.
    void show(const std::string& page);

    /// Answers requests for `duration`, or until the descriptor `input` can be read; -1: no descriptor. Returns whether
    /// it can be read.
    bool serve(std::chrono::milliseconds duration, int input = -1);

  private:
    struct Daemon;  ///< hides the library

    std::unique_ptr<Daemon> daemon_;
    std::uint16_t port_ = 0;
    std::string address_;
};

}  // namespace crescendo::launch
