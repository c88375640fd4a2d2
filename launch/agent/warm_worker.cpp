#include "launch/agent/warm_worker.hpp"
#include "launch/messages/metrics_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/trial_protocol.hpp"

namespace crescendo::launch {
namespace {

const char* name_of(StateSource source) {
    switch (source) {
        case StateSource::fresh:
            return "new";
        case StateSource::checkpoint:
            return "checkpoint";
        case StateSource::memory:
            return "memory";
    }
    return "";
}

constexpr std::chrono::milliseconds most_of_a_group{60'000};
constexpr std::chrono::milliseconds least_to_start{60'000};

Json join_message(const JoinGroup& order, int rank) {
    return {{"type", protocol::type::join},
            {"trial", order.work.trial.value},
            {"generation", order.generation},
            {"rank", rank},
            {"size", order.size},
            {"batch_multiple", order.batch_multiple},
            {"accumulation", order.accumulation},
            {"checkpoint_at", order.checkpoint_at.value},
            {"reported", order.reported.value},
            {"max_resource", order.work.max_resource.value},
            {"seed", order.work.seed},
            {"settings", order.work.settings},
            {"directory", order.work.directory},
            {"state", name_of(order.state)}};
}

}  // namespace

WarmWorker::WarmWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
    : Worker(slot, oom_kills), options_(options) {
    spawn();
}

void WarmWorker::spawn() {
    const auto& resources = resources_of(options_, slot());
    ProcessOptions process;
    process.command = {options_.trainer};
    process.cpus = resources.cpus;
    process.environment = device_environment(options_, slot());
    // Threads that wait must sleep: a spinning one takes its core from another worker.
    process.environment.emplace_back("OMP_WAIT_POLICY", "passive");
    process.environment.emplace_back(protocol::device_variable, resources.gpu.empty() ? "cpu" : "cuda");
    process.environment.emplace_back(protocol::threads_variable, std::to_string(resources.threads));
    if (options_.hang_timeout) {
        // Those whom a hung peer holds up have to give up first, and say so: they are not to be taken for hung.
        const auto group_timeout = std::min<std::chrono::milliseconds>(*options_.hang_timeout / 2, most_of_a_group);
        process.environment.emplace_back(
            protocol::group_timeout_variable,
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(group_timeout).count()));
    }
    process.directory = options_.directory;
    process.log = options_.log;
    trainer_ = std::make_unique<ConnectedProcess>(process);
    state_ = State::starting;
    heard_ = Clock::now();
    hung_ = false;
}

std::optional<TrialId> WarmWorker::trial() const {
    if (next_) {
        return next_->trial;
    }
    return state_ == State::busy ? std::optional(trial_) : std::nullopt;
}

void WarmWorker::join(const JoinGroup& order, int rank) {
    if (state_ == State::busy && trial_ == order.work.trial) {
        trainer_->channel.send(join_message(order, rank));  // a regroup
    } else {
        assign({order.work.trial, order.work.directory, false, join_message(order, rank)});
    }
}

void WarmWorker::evaluate(const EvaluateTrial& order) {
    assign({order.work.trial,
            order.work.directory,
            true,
            {{"type", protocol::type::evaluate},
             {"trial", order.work.trial.value},
             {"settings", order.work.settings},
             {"resource", order.resource.value},
             {"checkpoint", order.checkpoint},
             {"data", order.data}}});
}

void WarmWorker::assign(Assignment assignment) {
    if (num_rests_ > 0) {
        return;  // crossed with our notice that the slot is out of use
    }
    next_ = std::move(assignment);
    if (state_ == State::idle) {
        begin();
    }
}

void WarmWorker::begin() {
    trial_ = next_->trial;
    directory_ = next_->directory;
    evaluating_ = next_->evaluation;
    state_ = State::busy;
    trainer_->channel.send(next_->message);
    next_.reset();
}

void WarmWorker::go_on(const GoOn& order) {
    if (state_ == State::busy) {
        trainer_->channel.send({{"type", protocol::type::decision},
                                {"trial", order.trial.value},
                                {"decision", "continue"},
                                {"batch_multiple", order.batch_multiple},
                                {"checkpoint_at", order.checkpoint_at.value}});
    }
}

void WarmWorker::leave(bool save) {
    if (next_) {
        owed_.push_back(LeftTrial{next_->trial, slot()});
        next_.reset();
    } else if (state_ == State::busy) {
        trainer_->channel.send({{"type", protocol::type::leave}, {"trial", trial_.value}, {"save", save}});
        state_ = State::leaving;
        problem_.reset();
        deadline_ = Clock::now() + options_.save_timeout;
    }
}

void WarmWorker::answer_store(const Json& answer) {
    if (trainer_) {
        trainer_->channel.send(answer);
    }
}

void WarmWorker::advance(std::vector<Notice>& notices) {
    notices.insert(notices.end(), owed_.begin(), owed_.end());
    owed_.clear();
    if (!trainer_) {
        if (Clock::now() >= next_attempt_) {
            spawn();
        }
        return;
    }
    const auto status = trainer_->process.try_wait();
    for (const auto& line : trainer_->channel.receive()) {
        heard_ = Clock::now();
        receive(parse_line(line), notices);
    }
    trainer_->channel.flush();
    if (status) {
        conclude(*status, notices);
    } else if (const auto limit = silent_until(); limit && Clock::now() >= *limit) {
        trainer_->process.signal_group(SIGKILL);
        hung_ = true;
    } else if (deadline_ && Clock::now() >= *deadline_) {
        trainer_->process.signal_group(SIGKILL);
        deadline_.reset();
    }
}

/// A trainer whose main thread is alive is heard of every second, whatever it does or waits for but a checkpoint that
/// it writes: how long that may take as it leaves, the save_timeout says.
std::optional<Clock::time_point> WarmWorker::silent_until() const {
    if (!options_.hang_timeout || hung_ || state_ == State::leaving) {
        return {};
    }
    return heard_ +
           (state_ == State::starting ? std::max(*options_.hang_timeout, least_to_start) : *options_.hang_timeout);
}

std::optional<Clock::time_point> WarmWorker::deadline() const {
    if (state_ == State::down) {
        return next_attempt_;
    }
    const auto limit = silent_until();
    return limit && deadline_ ? std::min(limit, deadline_) : limit ? limit : deadline_;
}

void WarmWorker::receive(const Json& message, std::vector<Notice>& notices) {
    const std::string type = message.at("type");
    if (type == protocol::type::hello) {
        deaths_before_hello_ = 0;
        if (std::exchange(num_rests_, 0) > 0) {
            notices.push_back(SlotUp{slot()});
        }
        state_ = State::idle;
        if (next_) {
            begin();
        }
    } else if (type == protocol::type::store) {
        notices.push_back(StoreRequest{slot(), message});
    } else if (type == protocol::type::left) {
        settle(notices);
    } else if (type == protocol::type::failed && message.value("kind", "") == protocol::failure::disk && !evaluating_ &&
               (state_ == State::busy || state_ == State::leaving)) {
        notices.push_back(CheckpointFailed{trial_, slot(), message.value("message", "")});
        problem_ = "";  // all is said
        if (state_ == State::busy) {
            state_ = State::failed;
            deadline_ = Clock::now() + options_.grace;
        }
    } else if (type == protocol::type::failed && state_ == State::leaving) {
        problem_ = message.value("message", "");
    } else if (state_ != State::busy) {
        return;  // crossed with our order to leave
    } else if (type == protocol::type::report) {
        notices.push_back(report_from(trial_, message));
    } else if (type == protocol::type::regrouped) {
        notices.push_back(GroupFormed{trial_, message.at("generation"), message.at("seconds")});
    } else if (type == protocol::type::stranded) {
        notices.push_back(WorkerStranded{trial_, slot(), message.at("generation")});
    } else if (type == protocol::type::evaluated) {
        notices.push_back(TrialEvaluated{trial_, metrics_from(message.at("metrics")), {}});
        settle(notices);
    } else if (type == protocol::type::failed) {
        const bool memory = message.value("kind", "") == protocol::failure::out_of_memory;
        report_failure(memory ? FailureKind::out_of_memory : FailureKind::error, message.value("message", ""), notices);
        state_ = State::failed;
        deadline_ = Clock::now() + options_.grace;
    }
}

/// The trainer is idle again.
void WarmWorker::settle(std::vector<Notice>& notices) {
    if (!evaluating_) {
        notices.push_back(LeftTrial{trial_, slot()});
    }
    state_ = State::idle;
    deadline_.reset();
    if (next_) {
        begin();
    }
}

void WarmWorker::conclude(const ExitStatus& status, std::vector<Notice>& notices) {
    constexpr int too_many_deaths = 3;
    if (state_ == State::starting && ++deaths_before_hello_ >= too_many_deaths) {
        rest(status, notices);
        return;
    }
    if (state_ == State::busy) {
        const auto cause = hung_ ? no_progress_for(*options_.hang_timeout) : to_string(status);
        report_failure(hung_ ? FailureKind::crash : kind_of(status),
                       fmt::format("{}; last words: {}", cause, last_words(directory_ + "/trainer.log")), notices);
    } else if (state_ == State::leaving) {
        const auto end =
            deadline_ ? to_string(status) : fmt::format("it did not leave within {} s", options_.save_timeout.count());
        notices.push_back(LeftTrial{trial_, slot(), problem_.value_or(end)});
    }
    deadline_.reset();
    spawn();
}

/// A GPU whose last owner is still being torn down needs some seconds, one that fell off the bus a visit.
void WarmWorker::rest(const ExitStatus& status, std::vector<Notice>& notices) {
    constexpr int growth = 3;
    constexpr int longest = 30;  // intervals
    const auto message = fmt::format("{} ends before it is ready: {}; its last words: {}", options_.trainer,
                                     to_string(status), last_words(options_.log));
    if (next_ && next_->evaluation) {
        notices.push_back(TrialEvaluated{next_->trial, {}, message});
    }
    next_.reset();
    trainer_.reset();
    state_ = State::down;
    int intervals = 1;
    for (int i = 0; i < num_rests_ && intervals < longest; ++i) {
        intervals *= growth;
    }
    next_attempt_ = Clock::now() + std::min(intervals, longest) * options_.restart_interval;
    notices.push_back(SlotDown{slot(), num_rests_++, message});
}

void WarmWorker::report_failure(FailureKind kind, const std::string& message, std::vector<Notice>& notices) {
    if (evaluating_) {
        notices.push_back(TrialEvaluated{trial_, {}, message});
    } else {
        notices.push_back(WorkerFailed{trial_, slot(), kind, message});
    }
}

void WarmWorker::watch(std::vector<pollfd>& descriptors) const {
    if (trainer_) {
        trainer_->watch(descriptors);
    }
}

}  // namespace crescendo::launch
