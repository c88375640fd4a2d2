#include "launch/agent/agent.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "launch/agent/program_worker.hpp"
#include "launch/agent/warm_worker.hpp"
#include "launch/process/open_files.hpp"

namespace crescendo::launch {
namespace {

timespec to_timespec(std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return {seconds.count(), (time - seconds).count()};
}

}  // namespace

std::vector<Slot> slots_of_node(NodeId node, SlotId first, int count, int num_shared_gpus) {
    std::vector<Slot> slots;
    for (int i = 0; i < count; ++i) {
        const auto gpu = num_shared_gpus > 0 ? std::optional(i % num_shared_gpus) : std::nullopt;
        slots.push_back({SlotId{first.value + i}, node, gpu});
    }
    return slots;
}

Agent::Agent(NodeId node, WorkerOptions options)
    : node_(node), options_(std::move(options)), energy_(NodeEnergy::of(options_)) {
    allow_open_files(open_files_of(options_.slots.size()));
    share_memory();
    for (std::size_t i = 0; i < options_.slots.size(); ++i) {
        const SlotId slot{options_.first_slot.value + static_cast<int>(i)};
        if (options_.setup.kind == WorkerKind::warm_trainer) {
            workers_.push_back(std::make_unique<WarmWorker>(slot, options_, oom_kills_));
        } else {
            workers_.push_back(std::make_unique<ProgramWorker>(slot, options_, oom_kills_));
        }
    }
}

/// Creates shared memory for the data that the trainers decode. On a system without shared memory, each trainer decodes
/// for itself.
void Agent::share_memory() {
    const bool is_own_trainer = options_.setup.kind == WorkerKind::warm_trainer && options_.setup.trainer.empty();
    if (!is_own_trainer || options_.slots.size() < 2) {
        return;
    }
    try {
        shared_memory_.emplace("crescendo");
        options_.shared_memory = shared_memory_->path().string();
    } catch (const std::system_error&) {}
}

Agent::~Agent() {
    for (const auto& each : workers_) {
        each->terminate();  // all of them first, so that their grace periods overlap
    }
}

std::vector<Slot> Agent::slots() const {
    return slots_of_node(node_, options_.first_slot, static_cast<int>(workers_.size()),
                         num_shared_gpus(options_.slots));
}

/// Handles a standstill of this process since it last looked, as in a sync of the journal. Called first, because
/// deadlines that an order sets begin later.
void Agent::excuse_standstill() {
    const auto now = Clock::now();
    if (const auto away = now - looked_; away >= options_.standstill) {
        excuse(away);
    }
    looked_ = now;
}

void Agent::excuse(Clock::duration time) {
    for (const auto& each : workers_) {
        each->excuse(time);
    }
}

void Agent::obey(const Order& order) {
    excuse_standstill();
    std::visit([this](const auto& each) { carry_out(each); }, order);
    had_trials_ = note_trials() || had_trials_;
}

/// Tells the meters which trials the workers have. Workers do not change their trials between two calls. Returns
/// whether any worker has a trial; false if nothing is measured.
bool Agent::note_trials() {
    bool has_trials = false;
    if (energy_.has_meters()) {
        for (const auto& each : workers_) {
            const auto trial = each->trial();
            has_trials = has_trials || trial;
            energy_.note_trial(each->slot(), trial);
        }
    }
    return has_trials;
}

void Agent::carry_out(const JoinGroup& order) {
    for (const auto& each : workers_) {
        const bool stays = std::any_of(order.members.begin(), order.members.end(),
                                       [&](const Member& member) { return member.slot == each->slot(); });
        if (!stays) {
            each->leave({order.join.trial, /*save=*/false});
        }
    }
    for (const auto& member : order.members) {
        worker(member.slot).join(order, member.rank);
    }
}

void Agent::carry_out(const protocol::Decision& order) {
    for (const auto& each : workers_) {
        if (each->trial() == order.trial) {
            each->go_on(order);
        }
    }
}

void Agent::carry_out(const LeaveTrial& order) {
    for (const auto& each : workers_) {
        each->leave(order);
    }
}

void Agent::carry_out(const EvaluateTrial& order) { worker(order.slot).evaluate(order); }

void Agent::carry_out(const AnswerStore& order) { worker(order.slot).answer_store(order.answer); }

std::vector<Notice> Agent::advance() {
    std::vector<Notice> notices;
    for (const auto& each : workers_) {
        each->advance(notices);
    }
    const bool has_trials = note_trials();
    if ((std::exchange(had_trials_, has_trials) && !has_trials) || energy_.is_due()) {
        notices.emplace_back(energy_.used(node_));  // an idle agent may not be polled again
    }
    return notices;
}

std::vector<Notice> Agent::poll(std::chrono::microseconds timeout) {
    excuse_standstill();
    auto notices = advance();
    if (!notices.empty()) {
        return notices;
    }
    auto until = Clock::now() + timeout;
    std::vector<pollfd> descriptors;
    for (const auto& each : workers_) {
        each->watch(descriptors);
        until = std::min(until, each->deadline().value_or(until));
    }
    const auto wait = to_timespec(std::max(Clock::duration::zero(), until - Clock::now()));
    sigset_t none;
    ::sigemptyset(&none);
    const auto began = Clock::now();
    ::ppoll(descriptors.data(), descriptors.size(), &wait, &none);
    looked_ = Clock::now();
    if (const auto late = looked_ - std::max(began, until); late >= options_.standstill) {
        excuse(late);
    }
    return advance();
}

}  // namespace crescendo::launch
