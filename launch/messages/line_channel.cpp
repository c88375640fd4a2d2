#include "launch/messages/line_channel.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace crescendo::launch {
namespace {

/// Outside strings, replaces NaN, Infinity and -Infinity by null.
std::string without_bare_words(std::string_view line) {
    std::string result;
    bool in_string = false;
    while (!line.empty()) {
        if (!in_string) {
            bool replaced = false;
            for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
                if (line.starts_with(word)) {
                    result += "null";
                    line.remove_prefix(word.size());
                    replaced = true;
                    break;
                }
            }
            if (replaced) {
                continue;
            }
        }
        if (in_string && line.front() == '\\' && line.size() > 1) {
            result += line.front();
            line.remove_prefix(1);
        } else if (line.front() == '"') {
            in_string = !in_string;
        }
        result += line.front();
        line.remove_prefix(1);
    }
    return result;
}

constexpr int deepest = 32;
constexpr std::size_t most_at_once = std::size_t{1} << 24;

Json parse(std::string_view line) {
    const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) {
        if (depth > deepest) {
            throw std::runtime_error(
                fmt::format("nested deeper than {} levels: no message is; write what it says flat", deepest));
        }
        return true;
    };
    return Json::parse(line, is_shallow, /*allow_exceptions=*/false);
}

}  // namespace

void LineChannel::send(const Json& message) {
    outgoing_ += message.dump();
    outgoing_ += '\n';
    flush();
}

void LineChannel::flush() {
    while (!outgoing_.empty()) {
        const auto sent = ::send(fd_, outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            outgoing_.erase(0, static_cast<std::size_t>(sent));
        } else if (errno != EINTR) {
            if (errno != EAGAIN) {
                outgoing_.clear();  // no process is left to read it; its end is noticed elsewhere
            }
            return;
        }
    }
}

std::vector<std::string> LineChannel::receive() {
    std::array<char, 65536> buffer;
    // Somebody who writes as fast as we read must not keep us here.
    for (const auto most = incoming_.size() + most_at_once; incoming_.size() < most;) {
        const auto received = ::recv(fd_, buffer.data(), buffer.size(), 0);
        if (received > 0) {
            incoming_.append(buffer.data(), static_cast<std::size_t>(received));
        } else if (received < 0 && errno == EINTR) {
            continue;
        } else {
            closed_ = received == 0 || errno != EAGAIN;
            break;
        }
    }
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = incoming_.find('\n', begin)) != std::string::npos; begin = end + 1) {
        if (end > begin) {
            lines.push_back(incoming_.substr(begin, end - begin));
        }
    }
    incoming_.erase(0, begin);
    return lines;
}

Json parse_line(std::string_view line, std::string_view example) {
    auto message = parse(line);
    if (message.is_discarded()) {
        message = parse(without_bare_words(line));
    }
    if (!message.is_object()) {
        throw std::runtime_error(
            fmt::format("not a JSON object: '{}'; write one object a line, like {}", line.substr(0, 200), example));
    }
    return message;
}

}  // namespace crescendo::launch
