#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A line beyond this is no message, and would take up the memory.
inline constexpr std::size_t longest_message = 1U << 20;

/// JSON lines over a non-blocking descriptor, which it does not own.
///
/// What does not fit into the socket's buffer is kept and sent by later calls of flush(): a trainer that does
/// not read must not stop the agent. Nor must one that writes without end take the memory: a line longer than
/// `longest_message` is cut, and so is none.
class LineChannel {
  public:
    explicit LineChannel(int fd) : fd_(fd) {}

    void send(const Json& message);
    void flush();
    bool wants_to_write() const { return !outgoing_.empty(); }

    /// The complete lines that have arrived, or the first of them where there are very many. What the other side wrote
    /// last before it closed its end counts as a line, too, if it is whole JSON.
    std::vector<std::string> receive();

    /// What has arrived of a line that is not complete. It was written, or so its writer thinks.
    const std::string& unfinished() const { return incoming_; }

    /// The other side has closed its end, and all it wrote was received.
    bool closed() const { return closed_; }

  private:
    void take(std::string_view text, std::vector<std::string>& lines);

    int fd_;
    std::string incoming_;  ///< the beginning of the line that is not complete
    bool is_cut_ = false;   ///< that line was too long, and what is left of it is dropped
    std::string outgoing_;
    bool closed_ = false;
};

/// One line of a trainer, or of another program. Python's bare NaN and Infinity become null.
/// Throws std::runtime_error that quotes the line, and gives an example of what belongs there, when it is no JSON
/// object or nests deeper than 32 levels (what walks over JSON recurses, and the stack ends somewhere).
Json parse_line(std::string_view line, std::string_view example = R"({"resource":1,"metrics":{"val_loss":0.3}})");

/// As parse_line(), a line that a LineChannel received. Throws as well if that was longer than `longest_message`.
Json parse_message(std::string_view line);

}  // namespace crescendo::launch
