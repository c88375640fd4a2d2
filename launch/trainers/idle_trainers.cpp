#include "launch/trainers/idle_trainers.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "core/files/paths_in.hpp"
#include "core/message_json.hpp"
#include "launch/agent/worker_failure.hpp"
#include "launch/agent/worker_options.hpp"
#include "launch/files/last_words.hpp"
#include "launch/files/temporary_log.hpp"
#include "launch/messages/connected_process.hpp"
#include "launch/messages/store_request.hpp"
#include "launch/slots/gpus.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

std::string name_of_gpu() {
    for (const auto& gpu : paths_in("/proc/driver/nvidia/gpus")) {
        if (const auto model = value_in(gpu / "information", "Model"); !model.empty()) {
            return model;
        }
    }
    return "GPU";
}

std::string name_of_cpu() {
    const auto model = value_in("/proc/cpuinfo", "model name");
    return model.empty() ? "CPU" : model;
}

}  // namespace

struct IdleTrainers::Member {
    explicit Member(ProcessOptions options) : process((options.log = log.path(), options)) {}

    TemporaryLog log;
    ConnectedProcess process;
    Clock::time_point heard = Clock::now();
};

IdleTrainers::IdleTrainers(Options options) : options_(std::move(options)) {
    WorkerOptions worker;
    worker.slots = options_.slots;
    worker.setup.interface = options_.interface;
    for (int rank = 0; std::cmp_less(rank, options_.slots.size()); ++rank) {
        const auto& slot = options_.slots[static_cast<std::size_t>(rank)];
        ProcessOptions process;
        process.command = {options_.program};
        if (options_.arguments) {
            const auto arguments = options_.arguments(rank);
            process.command.insert(process.command.end(), arguments.begin(), arguments.end());
        }
        process.directory = options_.directory;
        process.cpus = slot.cpus;
        process.environment = device_environment(worker, SlotId{rank});
        process.environment.emplace_back("OMP_WAIT_POLICY", "passive");
        process.environment.emplace_back(protocol::threads_variable, std::to_string(slot.threads));
        process.environment.emplace_back(protocol::device_variable, slot.gpu.empty() ? "cpu" : "cuda");
        members_.push_back(std::make_unique<Member>(process));
    }
}

IdleTrainers::~IdleTrainers() = default;

std::vector<Json> IdleTrainers::ask(const std::vector<Json>& orders, const std::string& answer_type) {
    CRESCENDO_EXPECT(orders.size() == members_.size());
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
        members_[rank]->heard = Clock::now();
        members_[rank]->process.channel.send(orders[rank]);
    }
    return await(answer_type);
}

std::vector<Json> IdleTrainers::await(const std::string& type) {
    std::vector<Json> answers(members_.size());
    std::vector<bool> answered(members_.size());
    while (std::ranges::find(answered, false) != answered.end()) {
        std::vector<pollfd> descriptors;
        for (std::size_t rank = 0; rank < members_.size(); ++rank) {
            if (!answered[rank]) {  // a message after the answer is not read, and would end each wait at once
                members_[rank]->process.watch(descriptors);
            }
        }
        const int milliseconds = options_.is_ended ? 100 : 1000;
        ::poll(descriptors.data(), descriptors.size(), milliseconds);
        if (options_.is_ended && options_.is_ended()) {
            throw std::runtime_error("interrupted");
        }
        for (std::size_t rank = 0; rank < members_.size(); ++rank) {
            if (answered[rank]) {
                continue;
            }
            // Status before messages, so that the last messages are not missed.
            const auto status = members_[rank]->process.process.try_wait();
            answered[rank] = receive(rank, type, answers[rank]);
            if (!answered[rank]) {
                require_life(*members_[rank], status ? std::optional(to_string(*status)) : std::nullopt);
            }
        }
    }
    return answers;
}

/// Receives messages. Returns whether the trainer's answer came, which follows all its store requests.
bool IdleTrainers::receive(std::size_t rank, const std::string& type, Json& answer) {
    auto& member = *members_[rank];
    bool answered = false;
    for (const auto& line : member.process.channel.receive()) {
        member.heard = Clock::now();
        const auto message = parse_message(line);
        const auto said = message.value("type", "");
        if (said == type) {
            answer = message;
            answered = true;
        } else if (said == protocol::Failed::name) {
            throw std::runtime_error(protocol::read<protocol::Failed>(message).message);
        } else if (said == protocol::type::store) {
            require_store_request(message);
            const SlotId slot{static_cast<std::int32_t>(rank)};
            for (const auto& due : rendezvous_.handle({slot, message})) {
                members_.at(static_cast<std::size_t>(due.slot.value))->process.channel.send(due.answer);
            }
        }
    }
    member.process.channel.flush();
    return answered;
}

void IdleTrainers::require_life(const Member& member, const std::optional<std::string>& ending) const {
    if (ending) {
        throw std::runtime_error(
            fmt::format("{} ended: {}; its last words: {}", options_.program, *ending, last_words(member.log.path())));
    }
    if (options_.patience && Clock::now() - member.heard >= *options_.patience) {
        member.process.process.signal_group(SIGKILL);
        throw std::runtime_error(fmt::format("{}: {}", options_.program, no_progress_for(*options_.patience)));
    }
}

SlotResources IdleTrainers::idle_slot(int threads) {
    const auto gpus = find_gpus();
    return {.gpu = gpus.empty() ? "" : gpus.front().name, .threads = threads};
}

std::string hardware_name() { return find_gpus().empty() ? name_of_cpu() : name_of_gpu(); }

}  // namespace crescendo::launch
