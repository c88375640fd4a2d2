#include "launch/messages/line_channel.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "launch/json/bare_words.hpp"

namespace crescendo::launch {
namespace {

constexpr int deepest = 32;
constexpr std::size_t most_at_once = std::size_t{1} << 24;

Json parse(std::string_view line) {
    const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) {
        if (depth > deepest) {
            throw std::runtime_error(
                fmt::format("nested more than {} levels deep, which no message needs; flatten it", deepest));
        }
        return true;
    };
    return Json::parse(line, is_shallow, /*allow_exceptions=*/false);
}

}  // namespace

void LineChannel::send_line(std::string_view line) {
    outgoing_ += line;
    outgoing_ += '\n';
    flush();
}

void LineChannel::flush() {
    while (!outgoing_.empty()) {
        const auto sent = ::send(fd_, outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            outgoing_.erase(0, static_cast<std::size_t>(sent));
        } else if (errno != EINTR) {
            const bool is_temporary = errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM;
            if (!is_temporary) {
                outgoing_.clear();  // the reader is gone; its end is noticed elsewhere
            }
            return;
        }
    }
}

std::vector<std::string> LineChannel::receive() {
    std::array<char, 65536> buffer;
    std::vector<std::string> lines;
    // A peer that writes as fast as we read must not keep us here.
    for (std::size_t num_read = 0; num_read < most_at_once;) {
        const auto received = ::recv(fd_, buffer.data(), buffer.size(), 0);
        if (received > 0) {
            num_read += static_cast<std::size_t>(received);
            take({buffer.data(), static_cast<std::size_t>(received)}, lines);
        } else if (received < 0 && errno == EINTR) {
            continue;
        } else {
            closed_ = received == 0 || errno != EAGAIN;
            if (closed_ && Json::accept(incoming_)) {
                lines.push_back(std::exchange(incoming_, {}));
            }
            break;
        }
    }
    return lines;
}

/// Passes an oversized line on as soon as it is too long, because its end may never come.
void LineChannel::take(std::string_view text, std::vector<std::string>& lines) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (!is_cut_) {
            incoming_ += text.substr(0, end);
        }
        const bool is_too_long = incoming_.size() > longest_message;
        if (is_too_long || (end != std::string_view::npos && !incoming_.empty())) {
            lines.push_back(std::exchange(incoming_, {}));
        }
        if (end == std::string_view::npos) {
            is_cut_ = is_cut_ || is_too_long;
            return;
        }
        is_cut_ = false;
        text.remove_prefix(end + 1);
    }
}

Json parse_line(std::string_view line, std::string_view example) {
    auto message = parse(line);
    if (message.is_discarded()) {
        message = parse(without_bare_words(line));
    }
    if (!message.is_object()) {
        throw std::runtime_error(fmt::format("not a JSON object: '{}'; write one object per line, such as {}",
                                             line.substr(0, 200), example));
    }
    return message;
}

Json parse_message(std::string_view line) {
    if (line.size() > longest_message) {
        throw std::runtime_error(fmt::format("a line of more than {} bytes, too long for a message", longest_message));
    }
    return parse_line(line);
}

}  // namespace crescendo::launch
