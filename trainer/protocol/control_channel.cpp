#include "trainer/protocol/control_channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iostream>

#include "core/check.hpp"
#include "core/one_line.hpp"
#include "core/trial_protocol.hpp"

namespace crescendo::trainer {

using nlohmann::json;

ControlChannel::ControlChannel(int fd) : socket_(fd), reader_([this] { read_lines(); }) {}

ControlChannel::~ControlChannel() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    reader_.join();
}

void ControlChannel::send(const json& message) {
    const std::string line = one_line(message) + '\n';
    const std::lock_guard lock(send_mutex_);
    for (std::string_view rest = line; !rest.empty();) {
        const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        const bool is_temporary = errno == EINTR || errno == ENOBUFS || errno == ENOMEM;
        if (sent < 0 && !is_temporary) {
            return;  // the reader thread also sees the end
        }
        if (sent > 0) {
            rest.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
}

void ControlChannel::read_lines() {
    std::string pending;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t got = ::read(socket_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        pending.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
            take_line(pending.substr(begin, end - begin));
        }
        pending.erase(0, begin);
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    arrived_.notify_all();
}

void ControlChannel::take_line(const std::string& line) {
    json message = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!message.is_object()) {
        std::cerr << "crescendo-trainer: ignored a line that is not a JSON object: " << line << std::endl;
        return;
    }
    const std::lock_guard lock(mutex_);
    if (message.value("type", "") != protocol::type::store) {
        orders_.push_back(std::move(message));
    } else if (const auto waiting = answers_.find(message.value("id", std::int64_t{0})); waiting != answers_.end()) {
        waiting->second = std::move(message);
    }
    arrived_.notify_all();
}

std::optional<json> ControlChannel::take_order() {
    if (orders_.empty()) {
        return std::nullopt;
    }
    json order = std::move(orders_.front());
    orders_.pop_front();
    return order;
}

std::optional<json> ControlChannel::poll() {
    const std::lock_guard lock(mutex_);
    return take_order();
}

std::optional<json> ControlChannel::wait(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, timeout, [this] { return ended_ || !orders_.empty(); });
    return take_order();
}

bool ControlChannel::closed() const {
    const std::lock_guard lock(mutex_);
    return ended_ && orders_.empty();
}

bool ControlChannel::interrupted() const {
    const std::lock_guard lock(mutex_);
    return has_interruption();
}

bool ControlChannel::has_interruption() const {
    // Only join and leave end a rendezvous. A decision may arrive during the last steps of a rendezvous that succeeds.
    return ended_ || std::any_of(orders_.begin(), orders_.end(), [](const json& order) {
               const std::string type = order.value("type", "");
               return type == protocol::type::join || type == protocol::type::leave;
           });
}

std::vector<json> ControlChannel::request_all(std::vector<json> messages, std::chrono::milliseconds timeout) {
    std::vector<decltype(answers_)::iterator> waiting;
    std::unique_lock lock(mutex_);
    for (auto& message : messages) {
        message["type"] = protocol::type::store;
        message["id"] = ++last_id_;
        waiting.push_back(answers_.emplace(last_id_, std::nullopt).first);
    }
    lock.unlock();
    for (const auto& message : messages) {
        send(message);
    }
    lock.lock();
    const auto is_answered = [](const auto& each) { return each->second.has_value(); };
    const bool in_time = arrived_.wait_for(
        lock, timeout, [&] { return std::ranges::all_of(waiting, is_answered) || has_interruption(); });
    const bool is_complete = std::ranges::all_of(waiting, is_answered);
    std::vector<json> answers;
    for (const auto& each : waiting) {
        if (is_complete) {
            answers.push_back(std::move(*each->second));
        }
        answers_.erase(each);
    }
    if (is_complete) {
        return answers;
    }
    if (!in_time) {
        throw RequestTimeout(text("no answer within {} ms to {}", timeout.count(), messages.front().dump()));
    }
    throw Interrupted("another order arrived while the group was forming");
}

void ControlChannel::request_unanswered(json message) {
    message["type"] = protocol::type::store;
    {
        const std::lock_guard lock(mutex_);
        message["id"] = ++last_id_;
    }
    send(message);
}

}  // namespace crescendo::trainer
