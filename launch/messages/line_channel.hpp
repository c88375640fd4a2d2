#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// JSON lines over a non-blocking descriptor, which it does not own.
///
/// What does not fit into the socket's buffer is kept and sent by later calls of flush(): a trainer that does
/// not read must not stop the agent.
class LineChannel {
  public:
    explicit LineChannel(int fd) : fd_(fd) {}

    void send(const Json& message);
    void flush();
    bool wants_to_write() const { return !outgoing_.empty(); }

    /// The complete lines that have arrived, or the first of them where there are very many.
    std::vector<std::string> receive();

    /// Bytes of a line whose end has not arrived.
    std::size_t held() const { return incoming_.size(); }

    /// The other side has closed its end, and all it wrote was received.
    bool closed() const { return closed_; }

  private:
    int fd_;
    std::string incoming_;
    std::string outgoing_;
    bool closed_ = false;
};

/// One line of a trainer, or of another program. Python's bare NaN and Infinity become null.
/// Throws std::runtime_error that quotes the line, and gives an example of what belongs there, when it is no JSON
/// object or nests deeper than 32 levels (what walks over JSON recurses, and the stack ends somewhere).
Json parse_line(std::string_view line, std::string_view example = R"({"resource":1,"metrics":{"val_loss":0.3}})");

}  // namespace crescendo::launch
