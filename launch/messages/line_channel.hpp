#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Maximum length of a message in bytes. A longer line is no message, and could use up the memory.
inline constexpr std::size_t longest_message = 1U << 20;

/// Sends and receives JSON lines over a non-blocking descriptor, which it does not own.
///
/// Output that does not fit into the socket's buffer is kept and sent by later calls of flush(), because a trainer that
/// does not read must not block the agent. A trainer that writes without end must not use up the memory either: a line
/// longer than `longest_message` is cut, which makes it invalid.
class LineChannel {
  public:
    explicit LineChannel(int fd) : fd_(fd) {}

    void send(const Json& message) { send_line(one_line(message)); }
    void send_line(std::string_view line);
    void flush();
    bool wants_to_write() const { return !outgoing_.empty(); }

    /// The complete lines that have arrived, or only the first of them if there are very many. Text that the other side
    /// wrote just before it closed its end also counts as a line, if it is complete JSON.
    std::vector<std::string> receive();

    /// The part of an incomplete line that has arrived. Its writer may believe that the line is complete.
    const std::string& unfinished() const { return incoming_; }

    /// Whether the other side has closed its end and all its output was received.
    bool closed() const { return closed_; }

  private:
    void take(std::string_view text, std::vector<std::string>& lines);

    int fd_;
    std::string incoming_;  ///< the beginning of an incomplete line
    bool is_cut_ = false;   ///< that line was too long, and the rest of it is dropped
    std::string outgoing_;
    bool closed_ = false;
};

/// Parses one line of a trainer or another program. Python's bare NaN and Infinity become null. Throws
/// std::runtime_error that quotes the line and shows `example` if the line is not a JSON object or nests deeper than 32
/// levels (code that walks JSON recurses, and stacks are finite).
Json parse_line(std::string_view line, std::string_view example = R"({"resource":1,"metrics":{"val_loss":0.3}})");

/// As parse_line(), for a line that a LineChannel received. Also throws if the line was longer than `longest_message`.
Json parse_message(std::string_view line);

}  // namespace crescendo::launch
