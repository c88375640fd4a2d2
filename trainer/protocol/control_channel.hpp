#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "core/message_json.hpp"

namespace crescendo::trainer {

/// A `join` or `leave` arrived, or the channel closed, while a store request waited: the group will not be formed.
class Interrupted : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A store request was not answered in time.
class RequestTimeout : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The socket to crescendo. Messages are JSON objects, one per line.
///
/// A reader thread separates answers to store requests from orders. So any thread may use the store while the main
/// thread polls for orders between its steps.
class ControlChannel {
  public:
    /// Takes ownership of the descriptor of a connected stream socket.
    explicit ControlChannel(int fd);
    ControlChannel(const ControlChannel&) = delete;
    ControlChannel& operator=(const ControlChannel&) = delete;
    ~ControlChannel();

    /// Sends a message. It is dropped if the other end has closed.
    void send(const nlohmann::json& message);

    /// Sends a message of the trial protocol.
    template <HasFields Message>
    void send(const Message& message) {
        send(protocol::write<nlohmann::json>(message));
    }

    /// Takes the oldest order; nullopt if there is none.
    std::optional<nlohmann::json> poll();

    /// Waits for an order and takes it; nullopt once the channel is closed or `timeout` has passed.
    std::optional<nlohmann::json> wait(std::chrono::milliseconds timeout);

    /// Whether the other end has closed and all of its orders were taken.
    bool closed() const;

    /// Whether a `join` or `leave` is queued, or the other end has closed. Then the present group is over.
    bool interrupted() const;

    /// Sends all store requests at once, with new ids, and waits for the answers, which it returns in the order of the
    /// requests. Throws Interrupted as soon as the channel is interrupted(), and RequestTimeout after `timeout`.
    std::vector<nlohmann::json> request_all(std::vector<nlohmann::json> messages, std::chrono::milliseconds timeout);

    /// Sends a store request without waiting, and drops the answer. Later requests are served after this one.
    void request_unanswered(nlohmann::json message);

  private:
    void read_lines();
    void take_line(const std::string& line);
    bool has_interruption() const;
    std::optional<nlohmann::json> take_order();

    const FileDescriptor socket_;
    std::mutex send_mutex_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<nlohmann::json> orders_;
    std::map<std::int64_t, std::optional<nlohmann::json>> answers_;  ///< by request id; nullopt until it arrives
    std::int64_t last_id_ = 0;
    bool ended_ = false;
    std::thread reader_;
};

}  // namespace crescendo::trainer
