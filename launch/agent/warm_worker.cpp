#include "launch/agent/warm_worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <utility>

#include "core/message_json.hpp"
#include "launch/agent/worker_failure.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/files/last_words.hpp"
#include "launch/messages/store_request.hpp"
#include "launch/messages/trial_files.hpp"
#include "launch/messages/trial_report.hpp"
#include "launch/process/guard.hpp"

namespace crescendo::launch {
namespace {

/// Message about a trainer that was killed for its silence, or because it did not leave.
constexpr const char* cannot_be_killed =
    "its process was killed but does not end, because it waits for a device or a file system that does not respond";
constexpr std::chrono::milliseconds most_of_a_group{60'000};
constexpr std::chrono::milliseconds least_to_start{300'000};  // for imports from a busy parallel file system

/// Whether a trainer may send messages of this type.
bool is_known(const std::string& type) {
    using namespace protocol;
    constexpr std::array<std::string_view, 11> known{type::hello,    type::report,    type::regrouped,    type::timed,
                                                     type::progress, type::stranded,  type::left,         type::failed,
                                                     type::store,    type::evaluated, type::group_checked};
    return std::ranges::find(known, type) != known.end();
}

constexpr auto generation_of_report() {
    return std::tuple(Field{"generation", &protocol::Report::generation, Presence::optional});
}

Json join_message(protocol::Join join, int rank) {
    join.rank = rank;
    return protocol::write<Json>(join);
}

}  // namespace

WarmWorker::WarmWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
    : Worker(slot, oom_kills), options_(options) {
    spawn();
}

WarmWorker::~WarmWorker() {
    terminate();
    if (trainer_ && is_guarded()) {
        // A guard that was killed at once could kill nothing, and the program's children would survive.
        trainer_->await_end(time_of_the_guard);
    }
}

/// crescendo-trainer starts nothing that outlives it. All trainers of a node are killed before waiting for the first,
/// because each may take seconds to release its GPU.
void WarmWorker::terminate() {
    if (trainer_) {
        kill();
    }
}

void WarmWorker::kill() {
    dead_by_ = dead_by_.value_or(Clock::now() + options_.death);
    if (is_guarded()) {
        trainer_->process.signal(SIGQUIT);
    } else {
        trainer_->process.signal_group(SIGKILL);
    }
}

void WarmWorker::spawn() {
    const auto& resources = resources_of(options_, slot());
    ProcessOptions process;
    process.command = {options_.trainer};
    if (is_guarded()) {
        process.command = guarded(options_.guard, options_.setup.save_timeout, options_.setup.trainer);
        process.death_signal = SIGQUIT;  // the guard must kill the program before it dies
    }
    process.cpus = resources.cpus;
    process.environment = device_environment(options_, slot());
    process.hides = variables_of_ranks();
    // Waiting threads must sleep: a spinning thread takes its core from another worker.
    process.environment.emplace_back("OMP_WAIT_POLICY", "passive");
    if (is_guarded() && std::getenv("PYTHONHASHSEED") == nullptr) {
        // With equal hash seeds, all members of a group number the words of list(set(text)) alike.
        process.environment.emplace_back("PYTHONHASHSEED", "0");
    }
    if (is_guarded()) {
        unbuffer_python(process.environment);
    }
    process.environment.emplace_back(protocol::device_variable, resources.gpu.empty() ? "cpu" : "cuda");
    process.environment.emplace_back(protocol::threads_variable, std::to_string(resources.threads));
    if (!options_.shared_memory.empty()) {
        process.environment.emplace_back(protocol::shared_memory_variable, options_.shared_memory);
    }
    if (const auto& hang_timeout = options_.setup.supervision.hang_timeout) {
        // Members that wait for a hung peer must give up first and report it, so that they are not taken for hung
        // themselves.
        const auto group_timeout = std::min<std::chrono::milliseconds>(*hang_timeout / 2, most_of_a_group);
        process.environment.emplace_back(
            protocol::group_timeout_variable,
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(group_timeout).count()));
    }
    process.directory = options_.setup.directory;
    process.log = options_.setup.log;
    trainer_ = std::make_unique<ConnectedProcess>(process);
    state_ = Starting{};
    heard_ = Clock::now();
    hung_ = false;
    end_by_.reset();
    dead_by_.reset();
}

std::optional<TrialId> WarmWorker::trial() const {
    if (next_) {
        return next_->task.trial;
    }
    const auto* busy = std::get_if<Busy>(&state_);
    return busy != nullptr ? std::optional(busy->task.trial) : std::nullopt;
}

/// The task that the trainer works on or is leaving; null if there is none.
const WarmWorker::Task* WarmWorker::task() const {
    const auto* busy = std::get_if<Busy>(&state_);
    const auto* leaving = std::get_if<Leaving>(&state_);
    return busy != nullptr ? &busy->task : leaving != nullptr ? &leaving->task : nullptr;
}

void WarmWorker::join(const JoinGroup& order, int rank) {
    const auto& join = order.join;
    if (auto* busy = std::get_if<Busy>(&state_); busy != nullptr && busy->task.trial == join.trial) {
        busy->task.rank = rank;
        trainer_->channel.send(join_message(join, rank));  // a regroup
    } else {
        assign(Task{join.trial, join.directory, rank}, join_message(join, rank));
    }
}

void WarmWorker::evaluate(const EvaluateTrial& order) {
    const auto directory = std::filesystem::path(order.evaluate.checkpoint).parent_path().string();
    const Task task{order.evaluate.trial, directory, /*rank=*/0, /*is_evaluation=*/true};
    assign(task, protocol::write<Json>(order.evaluate));
}

void WarmWorker::assign(const Task& task, const Json& message) {
    if (is_out_of_use_) {  // the order crossed our notice that the slot is down
        if (task.is_evaluation) {
            tell(TrialEvaluated{task.trial, {}, "no trainer can start there"});
        }
        return;
    }
    next_ = Assignment{task, message};
    if (is<Idle>()) {
        begin();
    }
}

void WarmWorker::begin() {
    idle_deaths_ = num_rests_ = 0;
    state_ = Busy{next_->task};
    trainer_->channel.send(next_->message);
    next_.reset();
}

void WarmWorker::go_on(const protocol::Decision& order) {
    if (is<Busy>()) {
        trainer_->channel.send(protocol::write<Json>(order));
    }
}

void WarmWorker::leave(const LeaveTrial& order) {
    if (trial() != order.trial) {
        return;
    }
    if (next_) {
        tell(LeftTrial{order.trial, slot()});
        next_.reset();
    } else if (is<Busy>()) {
        const auto task = std::get<Busy>(state_).task;
        trainer_->channel.send(protocol::write<Json>(protocol::Leave{order.trial, order.save}));
        state_ = Leaving{task};
        end_by_ = Clock::now() + options_.setup.save_timeout;
    }
}

void WarmWorker::answer_store(const Json& answer) {
    if (trainer_ && !is<Down>()) {
        trainer_->channel.send(answer);
    }
}

void WarmWorker::look() {
    if (const auto* down = std::get_if<Down>(&state_)) {
        if (Clock::now() >= down->next_attempt) {
            try_again();
        }
        return;
    }
    const auto status = trainer_->process.try_wait();
    for (const auto& line : trainer_->channel.receive()) {
        heard_ = Clock::now();
        try {
            receive(parse_message(line));
        } catch (const std::exception& error) {
            reject("its message through CRESCENDO_FD cannot be understood: " + problem_in(line, error));
        }
    }
    trainer_->channel.flush();
    if (status) {
        conclude(*status);
    } else if (const auto limit = silent_until(); limit && Clock::now() >= *limit) {
        kill();
        hung_ = true;
    } else if (end_by_ && Clock::now() >= *end_by_) {
        kill();
        end_by_.reset();
    } else if (dead_by_ && Clock::now() >= *dead_by_) {
        give_up();
    }
}

/// How long the trainer may be silent. There must be a hang timeout.
std::chrono::milliseconds WarmWorker::longest_silence() const {
    const auto hang_timeout = *options_.setup.supervision.hang_timeout;
    return is<Starting>() ? std::max(hang_timeout, least_to_start) : hang_timeout;
}

/// The deadline for the trainer's next message. A trainer whose main thread is alive sends one every second, whatever
/// it does or waits for, except while it writes a checkpoint. For a checkpoint that it writes as it leaves,
/// save_timeout is the limit.
std::optional<Clock::time_point> WarmWorker::silent_until() const {
    if (!options_.setup.supervision.hang_timeout || hung_ || is<Leaving>()) {
        return {};
    }
    return heard_ + longest_silence();
}

void WarmWorker::excuse(Clock::duration time) {
    heard_ += time;
    for (auto* due : {&end_by_, &dead_by_}) {
        if (*due) {
            **due += time;
        }
    }
}

std::optional<Clock::time_point> WarmWorker::deadline() const {
    if (const auto* down = std::get_if<Down>(&state_)) {
        return down->next_attempt;
    }
    return earliest({silent_until(), end_by_, dead_by_});
}

void WarmWorker::receive(const Json& message) {
    if (is<Failed>()) {
        return;  // its process is about to end
    }
    const std::string type = message.at("type");
    if (!is_known(type)) {
        remark_on_unknown(type);
    } else if (type == protocol::Hello::name && !is<Starting>()) {
        reject("it sent 'hello' twice");
    } else if (type == protocol::Hello::name) {
        if (std::exchange(is_out_of_use_, false)) {
            tell(SlotUp{slot()});
        }
        state_ = Idle{};
        if (next_) {
            begin();
        }
    } else if (type == protocol::type::store) {
        receive_store_request(message);
    } else if (type == protocol::Left::name && is<Busy>()) {
        reject("it left its group without being told to");
    } else if (type == protocol::Left::name) {
        settle();
    } else if (type == protocol::Failed::name) {
        auto failure = protocol::read<protocol::Failed>(message);
        if (failure.message.empty()) {
            failure.message = "it sent no \"message\" with the reason";
        }
        receive_failure(failure);
    } else if (const auto* busy = std::get_if<Busy>(&state_); busy == nullptr) {
        return;  // the message crossed our order to leave
    } else if (const auto trial = busy->task.trial; type == protocol::Report::name && busy->task.rank > 0) {
        tell(ProgramRemark{
            trial, fmt::format("reports from ranks other than 0 are ignored; rank {} sent one", busy->task.rank)});
    } else if (type == protocol::Report::name) {
        auto report = report_from(trial, message);
        report.generation = protocol::read<protocol::Report>(message, generation_of_report()).generation;
        tell(std::move(report));
    } else if (type == protocol::Regrouped::name) {
        auto regrouped = protocol::read<protocol::Regrouped>(message);
        regrouped.trial = trial;
        tell(regrouped);
    } else if (type == protocol::Timed::name) {
        auto timed = protocol::read<protocol::Timed>(message);
        timed.trial = trial;
        tell(timed);
    } else if (type == protocol::Stranded::name) {
        tell(WorkerStranded{trial, slot(), protocol::read<protocol::Stranded>(message).generation});
    } else if (type == protocol::Evaluated::name && !busy->task.is_evaluation) {
        reject("it sent 'evaluated' during training");
    } else if (type == protocol::Evaluated::name) {
        tell(TrialEvaluated{trial, protocol::read<protocol::Evaluated>(message).metrics, {}});
        settle();
    }
}

/// Remarks on a message of unknown type, because a misspelt type would otherwise be awaited in vain. A trainer newer
/// than this crescendo may use more types, so this is no reason to end it.
void WarmWorker::remark_on_unknown(const std::string& type) {
    if (const auto trial = this->trial(); trial && !std::exchange(is_told_of_unknown_, true)) {
        tell(ProgramRemark{
            *trial, fmt::format("it sent a message of type '{}', which this crescendo does not know and ignores; "
                                "docs/trial-protocol.md lists the types",
                                type.substr(0, 200))});
    }
}

/// Ignores requests for a trial that the trainer does not train (any more): they must not reach that trial's group.
void WarmWorker::receive_store_request(const Json& request) {
    require_store_request(request);
    if (task() != nullptr && request.at("trial") == task()->trial.value) {
        tell(StoreRequest{slot(), request});
    } else {
        trainer_->channel.send({{"type", protocol::type::store},
                                {"id", request.at("id")},
                                {"error", "this worker does not train the trial"}});
    }
}

/// Replaces a trainer that broke the trial protocol, because its further behaviour is unknown.
void WarmWorker::reject(const std::string& message) {
    receive_failure({{}, protocol::failure::error, message});
    kill();
}

/// Handles the message of a trainer that gives up: its process is about to end.
void WarmWorker::receive_failure(const protocol::Failed& failure) {
    const bool is_disk_full = failure.kind == protocol::failure::disk && task() != nullptr && !task()->is_evaluation;
    if (is_disk_full) {
        tell(CheckpointFailed{task()->trial, slot(), failure.message});
    }
    if (auto* leaving = std::get_if<Leaving>(&state_)) {
        leaving->problem = is_disk_full ? "" : failure.message;  // CheckpointFailed has said it
    } else if (const auto* busy = std::get_if<Busy>(&state_)) {
        if (!is_disk_full) {
            const bool is_memory = failure.kind == protocol::failure::out_of_memory;
            report_failure(busy->task, is_memory ? FailureKind::out_of_memory : FailureKind::error, failure.message);
        }
        state_ = Failed{};
        end_by_ = Clock::now() + options_.grace;
    } else if (is<Starting>() || is<Idle>()) {
        state_ = Failed{end_without_task(failure.message)};
        end_by_ = Clock::now() + options_.grace;
    }
}

/// Handles a trainer that is idle again.
void WarmWorker::settle() {
    if (task() != nullptr && !task()->is_evaluation) {
        tell(LeftTrial{task()->trial, slot()});
    }
    state_ = Idle{};
    end_by_.reset();
    if (next_) {
        begin();
    }
}

void WarmWorker::conclude(const ExitStatus& status) {
    constexpr int too_many_deaths = 3;
    const auto* failed = std::get_if<Failed>(&state_);
    const auto end = failed != nullptr              ? failed->end
                     : is<Starting>() || is<Idle>() ? std::optional(end_without_task(cause_of(status)))
                                                    : std::nullopt;
    if (end && ++idle_deaths_ >= too_many_deaths) {
        trainer_.reset();
        rest(why_none(*end));
        return;
    }
    if (const auto* busy = std::get_if<Busy>(&state_)) {
        report_failure(
            busy->task, hung_ ? FailureKind::crash : kind_of(status, oom_kills()),
            fmt::format("{}; {}", cause_of(status), quoted(last_words(busy->task.directory + "/" + trial_files::log))));
    } else if (const auto* leaving = std::get_if<Leaving>(&state_)) {
        const auto patience = std::chrono::duration_cast<std::chrono::seconds>(options_.setup.save_timeout);
        const auto cause = end_by_ ? to_string(status) : fmt::format("it did not leave within {} s", patience.count());
        tell(LeftTrial{leaving->task.trial, slot(), leaving->problem.value_or(cause)});
    }
    spawn();
}

/// Gives up on a process that cannot be killed because it waits for a device or a file system that does not answer. It
/// runs no more of its program, so it writes nothing more. But it may hold its GPU, so the slot is down until the
/// process is gone.
void WarmWorker::give_up() {
    if (const auto* busy = std::get_if<Busy>(&state_)) {
        const auto silence = no_progress_for(longest_silence());  // else it would not be killed
        report_failure(busy->task, FailureKind::crash, fmt::format("{}; {}", silence, cannot_be_killed));
    } else if (const auto* leaving = std::get_if<Leaving>(&state_)) {
        tell(LeftTrial{leaving->task.trial, slot(), leaving->problem.value_or(cannot_be_killed)});
    }
    rest(cannot_be_killed);
}

void WarmWorker::try_again() {
    if (trainer_ && !trainer_->process.try_wait()) {
        rest(cannot_be_killed);
    } else {
        spawn();
    }
}

std::string WarmWorker::cause_of(const ExitStatus& status) const {
    return hung_ ? no_progress_for(longest_silence()) : to_string(status);
}

std::string WarmWorker::end_without_task(const std::string& cause) const {
    return fmt::format("ends {}: {}", is<Idle>() ? "while it waits for a trial" : "before it is ready", cause);
}

std::string WarmWorker::why_none(const std::string& end) const {
    const auto name = is_guarded() ? fmt::format("{}", fmt::join(options_.setup.trainer, " ")) : options_.trainer;
    return fmt::format("{} {}; its last words: {}", name, end, last_words(options_.setup.log));
}

/// Waits before the next attempt. A GPU that is still being released needs some seconds; a GPU that fell off the bus
/// needs a technician.
void WarmWorker::rest(const std::string& reason) {
    constexpr int growth = 3;
    constexpr int longest = 30;  // intervals
    if (next_ && next_->task.is_evaluation) {
        tell(TrialEvaluated{next_->task.trial, {}, reason});
    }
    next_.reset();
    int intervals = 1;
    for (int i = 0; i < num_rests_ && intervals < longest; ++i) {
        intervals *= growth;
    }
    state_ = Down{Clock::now() + std::min(intervals, longest) * options_.setup.restart_interval};
    is_out_of_use_ = true;
    tell(SlotDown{slot(), num_rests_++, reason, device_name(options_, slot())});
}

void WarmWorker::report_failure(const Task& task, FailureKind kind, const std::string& message) {
    if (task.is_evaluation) {
        tell(TrialEvaluated{task.trial, {}, message});
        return;
    }
    const int workers = resources_of(options_, slot()).slots_on_gpu;
    const auto remedy =
        fmt::format("; {} workers share this GPU's memory; a smaller slots_per_gpu gives each of them more", workers);
    const bool shares_memory = kind == FailureKind::out_of_memory && workers > 1;
    tell(WorkerFailed{task.trial, slot(), kind, message + (shares_memory ? remedy : ""), ProgramFault::none,
                      device_name(options_, slot())});
}

void WarmWorker::watch(std::vector<pollfd>& descriptors) const {
    if (trainer_ && !is<Down>()) {
        trainer_->watch(descriptors);
    }
}

}  // namespace crescendo::launch
