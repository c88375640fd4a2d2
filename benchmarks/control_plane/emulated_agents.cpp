#include "emulated_agents.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <queue>
#include <set>
#include <system_error>
#include <utility>

#include "core/random.hpp"
#include "launch/messages/wire.hpp"

namespace crescendo::benchmarks {
namespace {

using namespace launch;
using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_message = 128 * 1024;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// A packet: the agent's node, then the message.
Bytes packet(NodeId node, const Bytes& message) {
    Bytes bytes(sizeof node.value + message.size());
    std::memcpy(bytes.data(), &node.value, sizeof node.value);
    std::copy(message.begin(), message.end(), bytes.begin() + sizeof node.value);
    return bytes;
}

/// Returns its size, 0 if none is there, or -1 if the other end is gone.
ssize_t receive_packet(int socket, Bytes& buffer) {
    const auto size = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size > 0 ? size : size < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

NodeId node_of(const Bytes& buffer) {
    NodeId node;
    std::memcpy(&node.value, buffer.data(), sizeof node.value);
    return node;
}

Bytes message_of(const Bytes& buffer, ssize_t size) {
    return {buffer.begin() + sizeof(NodeId::value), buffer.begin() + size};
}

/// The agents' side. All agents share one thread, because they share one machine.
class Agents {
  public:
    Agents(const Load& load, int socket, Observed& observed)
        : load_(load), socket_(socket), observed_(observed), buffer_(longest_message) {}

    /// Until the coordinator closes the connection.
    void serve() {
        while (wait_and_take_orders()) {
            report_what_is_due();
            post();
        }
        sum_up();
    }

  private:
    struct TrialState {
        Resource resource;
        Clock::time_point due;  ///< when the unanswered report was due, or the next one will be
        bool is_waiting = false;
        NodeId leader;  ///< node of rank 0
    };

    bool wait_and_take_orders() {
        const auto until = due_.empty() ? Clock::now() + std::chrono::seconds(1) : due_.top().first;
        const auto wait =
            std::chrono::ceil<std::chrono::nanoseconds>(std::max(Clock::duration(0), until - Clock::now()));
        const timespec timeout{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
        pollfd watched{socket_, static_cast<short>(POLLIN | (packets_.empty() ? 0 : POLLOUT)), 0};
        ::ppoll(&watched, 1, &timeout, nullptr);
        // One packet at a time: an answered trial reports again before the next packet is read.
        const auto size = receive_packet(socket_, buffer_);
        if (size > 0) {
            const auto node = node_of(buffer_);
            for (const auto& order : decode_orders(message_of(buffer_, size))) {
                std::visit([&](const auto& each) { obey(node, each); }, order);
            }
        }
        return size >= 0;
    }

    void obey(NodeId node, const JoinGroup& order) {
        const auto trial = order.join.trial;
        std::set<SlotId> stay;
        for (const auto& member : order.members) {
            stay.insert(member.slot);
        }
        for (const auto slot : std::exchange(members_[{node, trial}], stay)) {
            if (!stay.contains(slot)) {
                notices_[node].emplace_back(LeftTrial{trial, slot});
            }
        }
        if (order.members.front().rank != 0) {
            return;
        }
        auto& state = trials_[trial];
        state.leader = node;
        if (order.join.state == protocol::StateSource::memory) {
            notices_[node].emplace_back(protocol::Regrouped{trial, order.join.generation, 0.05});
            answered(trial, state);
        } else {
            // Spreads the reports of trials that begin together.
            begin(trial, state, load_.interval * CounterRandom(2, static_cast<std::uint64_t>(trial.value)).uniform());
        }
    }

    void obey(NodeId node, const protocol::Decision& order) {
        if (auto& state = trials_[order.trial]; state.leader == node) {
            answered(order.trial, state);
        }
    }

    void obey(NodeId node, const LeaveTrial& order) {
        const auto members = members_.find({node, order.trial});
        if (members == members_.end()) {
            return;
        }
        for (const auto slot : members->second) {
            notices_[node].emplace_back(LeftTrial{order.trial, slot});
        }
        members_.erase(members);
        auto& state = trials_[order.trial];
        if (state.leader == node && std::exchange(state.is_waiting, false)) {
            note_wait(state);
        }
    }

    void obey(NodeId, const EvaluateTrial&) {}
    void obey(NodeId, const AnswerStore&) {}

    void begin(TrialId trial, TrialState& state, std::chrono::duration<double> delay) {
        if (waits_.empty() && began_ == Clock::time_point()) {
            began_ = Clock::now();
        }
        state.is_waiting = false;
        schedule(trial, state, Clock::now() + std::chrono::duration_cast<Clock::duration>(delay));
    }

    void answered(TrialId trial, TrialState& state) {
        if (!std::exchange(state.is_waiting, false)) {
            return;
        }
        note_wait(state);
        const bool at_once = load_.interval.count() == 0;
        schedule(trial, state,
                 at_once ? Clock::now() : state.due + std::chrono::duration_cast<Clock::duration>(load_.interval));
    }

    void schedule(TrialId trial, TrialState& state, Clock::time_point due) {
        state.due = due;
        due_.push({due, trial});
    }

    void note_wait(const TrialState& state) {
        const auto now = Clock::now();
        waits_.push_back(std::chrono::duration<float>(now - state.due).count());
        last_answer_ = now;
        if (static_cast<std::int64_t>(waits_.size()) == load_.num_reports) {
            ::kill(::getppid(), SIGTERM);
        }
    }

    void report_what_is_due() {
        const auto now = Clock::now();
        while (!due_.empty() && due_.top().first <= now) {
            const auto [due, trial] = due_.top();
            due_.pop();
            auto& state = trials_[trial];
            if (state.is_waiting || state.due != due || !members_.contains({state.leader, trial})) {
                continue;  // it left in the meantime
            }
            ++state.resource.value;
            state.is_waiting = true;
            const double floor = CounterRandom(1, static_cast<std::uint64_t>(trial.value)).uniform();
            const double loss = floor + 1.0 / static_cast<double>(state.resource.value);
            notices_[state.leader].emplace_back(protocol::Report{.trial = trial,
                                                                 .resource = state.resource,
                                                                 .metrics = {{"train_loss", 0.9 * loss},
                                                                             {"val_accuracy", 1.0 - loss / 2},
                                                                             {"val_loss", loss},
                                                                             {"lr", 0.1 * floor}}});
        }
    }

    /// Never waits, so that the two sides cannot wait for each other.
    void post() {
        for (const auto& [node, notices] : notices_) {
            packets_.push_back(packet(node, encode(notices)));
        }
        notices_.clear();
        while (!packets_.empty() &&
               ::send(socket_, packets_.front().data(), packets_.front().size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
            packets_.pop_front();
        }
    }

    void sum_up() {
        observed_.num_reports = static_cast<std::int64_t>(waits_.size());
        observed_.seconds = std::chrono::duration<double>(last_answer_ - began_).count();
        std::vector<float> late(waits_.begin() + static_cast<std::ptrdiff_t>(waits_.size() / 2), waits_.end());
        std::sort(late.begin(), late.end());
        if (!late.empty()) {
            observed_.median_wait = late[late.size() / 2];
            observed_.p99_wait = late[late.size() * 99 / 100];
            observed_.longest_wait = late.back();
        }
    }

    Load load_;
    int socket_;
    Observed& observed_;
    Bytes buffer_;
    std::map<TrialId, TrialState> trials_;
    std::map<std::pair<NodeId, TrialId>, std::set<SlotId>> members_;
    using Due = std::pair<Clock::time_point, TrialId>;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    std::map<NodeId, std::vector<Notice>> notices_;
    std::deque<Bytes> packets_;
    std::vector<float> waits_;
    Clock::time_point began_;
    Clock::time_point last_answer_;
};

}  // namespace

EmulatedAgents::EmulatedAgents(const Load& load) : load_(load), buffer_(longest_message) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail("socketpair");
    }
    socket_ = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    void* shared = ::mmap(nullptr, sizeof(Observed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fail("mmap");
    }
    observed_ = new (shared) Observed;
    process_ = ::fork();
    if (process_ < 0) {
        fail("fork");
    }
    if (process_ == 0) {
        ::close(ends[0]);
        Agents(load_, theirs.get(), *observed_).serve();
        ::_exit(0);
    }
}

EmulatedAgents::~EmulatedAgents() {
    finish();
    ::munmap(observed_, sizeof(Observed));
}

Observed EmulatedAgents::finish() {
    socket_ = FileDescriptor();
    if (process_ > 0) {
        ::waitpid(std::exchange(process_, -1), nullptr, 0);
    }
    return *observed_;
}

std::vector<Slot> EmulatedAgents::slots() const {
    std::vector<Slot> slots;
    for (int slot = 0; slot < load_.num_agents * load_.slots_per_agent; ++slot) {
        slots.push_back({SlotId{slot}, NodeId{slot / load_.slots_per_agent}});
    }
    return slots;
}

void EmulatedAgents::post() {
    for (const auto& [node, orders] : outbox_) {
        const auto bytes = packet(node, encode(orders));
        if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
            fail("send to the agents");
        }
    }
    outbox_.clear();
}

std::vector<Notice> EmulatedAgents::receive(std::chrono::milliseconds timeout) {
    post();
    pollfd watched{socket_.get(), POLLIN, 0};
    const timespec wait{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
    sigset_t none;
    ::sigemptyset(&none);
    ::ppoll(&watched, 1, &wait, &none);  // signals are let through here, as in an agent's wait
    auto notices = take();
    num_turns_ += notices.empty() ? 0 : 1;
    return notices;
}

std::vector<Notice> EmulatedAgents::take() {
    std::vector<Notice> notices;
    for (ssize_t size; (size = receive_packet(socket_.get(), buffer_)) != 0;) {
        if (size < 0) {
            throw std::runtime_error("the emulated agents are gone");
        }
        for (auto& notice : decode_notices(message_of(buffer_, size))) {
            notices.push_back(std::move(notice));
        }
    }
    return notices;
}

}  // namespace crescendo::benchmarks
