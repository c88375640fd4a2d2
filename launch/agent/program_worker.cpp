#include "launch/agent/program_worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"
#include "launch/messages/trial_files.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* hosts_variable = "CRESCENDO_HOSTS";
constexpr const char* batch_multiple_variable = "CRESCENDO_BATCH_MULTIPLE";

/// Whether the trial reported in an earlier run.
bool had_reported(const protocol::Join& join) { return join.reported && join.reported->value > 0; }

/// What shells, argparse and getopt users end with where they do not understand their arguments. A program that has
/// worked for longer means something else by it; one that imports much may need a while to look at them.
constexpr int usage_error_status = 2;
constexpr std::chrono::seconds time_to_complain{30};

/// Python turns `--hidden-size` into `hidden_size`, and many name the parameter like that.
std::string advice_on_options(std::string_view last_words) {
    for (const char* complaint : {"unrecognized arguments", "unrecognized option", "o such option"}) {
        if (last_words.find(complaint) != std::string_view::npos) {
            return "\na parameter has the name of the program's option, with - or _ as it has them: hidden-size for "
                   "--hidden-size";
        }
    }
    return "";
}

std::string hosts_file(const protocol::Join& join) { return join.directory + "/hosts"; }

std::string log_of(const protocol::Join& join) { return join.directory + "/" + trial_files::log; }

/// Ends the last line of what an earlier process printed, so that the next one begins its own.
void end_last_line(const std::string& path) {
    std::fstream log(path, std::ios::in | std::ios::out | std::ios::app);
    char last = '\n';
    if (log.seekg(-1, std::ios::end) && log.get(last) && last != '\n') {
        log.put('\n');
    }
}

}  // namespace

ProgramWorker::~ProgramWorker() {
    terminate();
    if (program_) {
        // A guard that is killed at once can kill nothing: what the program started would live on.
        program_->await_end(options_.grace + time_of_the_guard);
    }
}

void ProgramWorker::terminate() {
    if (program_) {
        program_->process.signal(SIGTERM);  // the guard passes it on, and kills what stays
    }
}

std::optional<TrialId> ProgramWorker::trial() const {
    if (next_) {
        return next_->join().trial;
    }
    return work_ && !dismissed_ ? std::optional(work_->join().trial) : std::nullopt;
}

void ProgramWorker::join(const JoinGroup& order, int rank) {
    CRESCENDO_EXPECT(!order.command.empty());
    ended_.reset();
    next_ = Work{order, rank};
    if (!program_) {
        start_next();
    }
}

void ProgramWorker::start_next() {
    began_to_wait_ = Clock::now();
    start_when_free();
}

/// A session that died may have left a process of the trial behind, whose guard gives it some time to leave. Two of
/// them would write into each other's files.
void ProgramWorker::start_when_free() {
    constexpr std::chrono::milliseconds between_looks{100};
    const auto now = Clock::now();
    const auto longest = options_.grace + std::chrono::seconds(10);
    const bool is_free = next_->rank > 0 || !is_held(log_of(next_->join())) || now >= began_to_wait_ + longest;
    if (is_free) {
        look_again_.reset();
        start();
    } else {
        look_again_ = now + between_looks;
    }
}

void ProgramWorker::start() {
    work_ = std::exchange(next_, std::nullopt);
    started_ = Clock::now();
    remark_due_.reset();
    if (work_->rank == 0 && !had_reported(work_->join())) {
        remark_due_ = started_ + options_.patience;
    }
    if (work_->rank == 0) {
        end_last_line(log_of(work_->join()));
    }
    std::error_code none_yet;
    log_begin_ = std::filesystem::file_size(log_of(work_->join()), none_yet);
    log_begin_ = none_yet ? 0 : log_begin_;
    dismissed_ = has_failed_ = trains_on_ = reported_ = awaits_decision_ = hung_ = false;
    escalation_ = 0;
    in_doubt_until_.reset();
    last_resource_ = {};
    batch_multiple_ = work_->join().batch.multiple;
    deadline_.reset();
    ProcessOptions process;
    process.command = guarded(work_->order.command, options_, options_.grace);
    process.cpus = resources_of(options_, slot()).cpus;
    process.environment = environment();
    process.directory = options_.setup.directory;
    process.log = log_of(work_->join());
    process.holds_log = work_->rank == 0;
    if (const auto& source = options_.setup.supervision.report; source && work_->rank == 0) {
        if (source->is_printed()) {
            process.environment.emplace_back("PYTHONUNBUFFERED", "1");  // else a file gets an epoch's lines much later
        }
        written_.emplace(*source, work_->join().trial, work_->join().directory);
    }
    write_hosts();
    process.death_signal = SIGTERM;  // the guard has work to do before it dies
    try {
        program_ = std::make_unique<ConnectedProcess>(process);
    } catch (const CommandTooLong& error) {  // the next trial's may be shorter
        fail(error.what(), FailureKind::repeated_error, pending_notices_);
        forget_work();
        return;
    }
    expect_report();
}

/// The environment that docs/trial-protocol.md promises to any program.
std::vector<std::pair<std::string, std::string>> ProgramWorker::environment() const {
    const auto& join = work_->join();
    const auto& [order, rank] = *work_;
    auto result = device_environment(options_, slot());
    result.insert(result.end(), {{protocol::trial_variable, std::to_string(join.trial.value)},
                                 {protocol::seed_variable, std::to_string(join.seed)},
                                 {protocol::directory_variable, join.directory},
                                 {batch_multiple_variable, std::to_string(join.batch.multiple)}});
    if (join.max_resource < unlimited_resource) {
        result.emplace_back(protocol::max_resource_variable, std::to_string(join.max_resource.value));
    }
    int local_rank = 0;
    std::vector<std::string> gpus;  // of all members here, as torchrun has it: LOCAL_RANK chooses one
    for (std::size_t i = 0; i < order.members.size(); ++i) {
        const auto& gpu = resources_of(options_, order.members[i].slot).gpu;
        if (!gpu.empty() && std::ranges::find(gpus, gpu) == gpus.end()) {  // CUDA takes none twice
            gpus.push_back(gpu);
        }
        local_rank = order.members[i].slot == slot() ? static_cast<int>(i) : local_rank;
    }
    if (!gpus.empty()) {
        std::erase_if(result, [](const auto& variable) { return variable.first == "CUDA_VISIBLE_DEVICES"; });
        result.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
    }
    const MeetingPlace nowhere{"", "127.0.0.1", 0};
    const auto& place = order.slots.empty() ? nowhere : place_of(order.slots.front());
    result.insert(result.end(), {{"RANK", std::to_string(rank)},
                                 {"LOCAL_RANK", std::to_string(local_rank)},
                                 {"WORLD_SIZE", std::to_string(join.size)},
                                 {"LOCAL_WORLD_SIZE", std::to_string(order.members.size())},
                                 {"MASTER_ADDR", place.address},
                                 {"MASTER_PORT", std::to_string(place.port)}});
    if (join.size > 1) {
        result.emplace_back(hosts_variable, hosts_file(join));
    }
    return result;
}

const MeetingPlace& ProgramWorker::place_of(SlotId slot) const {
    return options_.places.at(static_cast<std::size_t>(slot.value));
}

/// The hosts of the group, in the form that mpirun and DeepSpeed take, with the number of workers on each. Each host
/// has one line, also where a group that grew has other hosts' ranks between its own.
void ProgramWorker::write_hosts() const {
    if (work_->rank > 0 || work_->order.slots.size() < 2) {
        return;
    }
    std::vector<std::pair<std::string, int>> hosts;
    for (const auto each : work_->order.slots) {
        const auto& host = place_of(each).host;
        auto line = std::ranges::find(hosts, host, &std::pair<std::string, int>::first);
        if (line == hosts.end()) {
            line = hosts.insert(line, {host, 0});
        }
        ++line->second;
    }
    std::ofstream file(hosts_file(work_->join()));
    for (const auto& [host, count] : hosts) {
        file << host << " slots=" << count << '\n';
    }
}

void ProgramWorker::expect_report() {
    if (options_.setup.supervision.hang_timeout && work_->rank == 0) {
        report_due_ = Clock::now() + *options_.setup.supervision.hang_timeout;
    }
}

void ProgramWorker::go_on(const protocol::Decision& order) {
    if (program_) {
        if (is_told_decisions()) {
            Json message{{"decision", protocol::decision::proceed}};
            if (const int multiple = order.batch_multiple.value_or(batch_multiple_); multiple != batch_multiple_) {
                message["batch_multiple"] = batch_multiple_ = multiple;
            }
            program_->channel.send(message);
        }
        awaits_decision_ = false;
        expect_report();
    }
}

void ProgramWorker::leave(TrialId trial, bool save) {
    if (this->trial() != trial) {
        if (ended_ == trial) {  // the order has crossed the news of the end
            ended_.reset();
            pending_notices_.push_back(LeftTrial{trial, slot()});
        }
    } else if (next_) {
        pending_notices_.push_back(LeftTrial{trial, slot()});
        next_.reset();
    } else if (work_ && !program_) {
        pending_notices_.push_back(LeftTrial{trial, slot()});
        work_.reset();
    } else if (program_ && !dismissed_) {
        dismissed_ = true;
        deadline_ = Clock::now() + (is_complete() ? time_to_save() : options_.grace);
        if (is_told_decisions()) {
            Json message{{"decision", protocol::decision::stop}};
            if (save) {
                message["save"] = true;
                if (awaits_decision_ || work_->rank > 0) {  // it reads that now, and not after another epoch
                    deadline_ = Clock::now() + time_to_save();
                }
            }
            program_->channel.send(message);
        } else if (work_->rank == 0 && !is_complete()) {
            deadline_ = Clock::now();  // it does not know; one that is at its end leaves by itself
        }
    }
}

/// Whether the program has reported the end of its trial. It may have more to do then, such as to save its model.
bool ProgramWorker::is_complete() const { return work_->rank == 0 && last_resource_ >= work_->join().max_resource; }

std::chrono::milliseconds ProgramWorker::time_to_save() const {
    return std::max(options_.grace, options_.setup.save_timeout);
}

void ProgramWorker::evaluate(const EvaluateTrial& order) {
    pending_notices_.push_back(
        TrialEvaluated{order.evaluate.trial, {}, "only crescendo-trainer evaluates checkpoints"});
}

void ProgramWorker::answer_store(const Json&) { CRESCENDO_EXPECT(!"a program asked the store"); }

void ProgramWorker::advance(std::vector<Notice>& notices) {
    notices.insert(notices.end(), pending_notices_.begin(), pending_notices_.end());
    pending_notices_.clear();
    if (!program_) {
        if (next_ && look_again_ && Clock::now() >= *look_again_) {
            start_when_free();
        }
        return;
    }
    // In this order: what a program wrote before it ended still counts.
    const auto status = program_->process.try_wait();
    receive(notices);
    if (written_) {
        look_for_reports(status.has_value(), notices);
    }
    program_->channel.flush();
    if (status) {
        if ((!written_ || !written_->has_more() || dismissed_ || hung_) && !is_in_doubt(*status)) {
            conclude(*status, notices);
        }
    } else if (const auto now = Clock::now(); deadline_ && now >= *deadline_) {
        escalate(now);
    } else if (report_due_ && now >= *report_due_ && !dismissed_) {
        hung_ = true;
        report_due_.reset();
        escalate(now);
    } else if (remark_due_ && now >= *remark_due_ && !dismissed_) {
        remark_due_.reset();
        notices.push_back(ProgramRemark{
            work_->join().trial,
            fmt::format("it runs for {} s and has not reported yet; {}; `hang_timeout` in the sweep file ends such a "
                        "program",
                        std::chrono::duration_cast<std::chrono::seconds>(options_.patience).count(),
                        written_ ? written_->why_none() : quoted(own_last_words()))});
    }
}

/// A batch system ends a job by a signal to all of its processes. Then the order to leave is on its way, and the
/// program has not failed.
bool ProgramWorker::is_in_doubt(const ExitStatus& status) {
    if (status.code != 128 + SIGTERM || dismissed_ || hung_) {
        return false;
    }
    const auto now = Clock::now();
    in_doubt_until_ = in_doubt_until_.value_or(now + options_.doubt);
    return now < *in_doubt_until_;
}

void ProgramWorker::receive(std::vector<Notice>& notices) {
    for (const auto& line : program_->channel.receive()) {
        if (dismissed_ || hung_) {
            ignore(line);
            continue;
        }
        try {
            const auto message = parse_message(line);
            if (message.value("type", Json()) == protocol::Hello::name) {
                throw std::runtime_error("this is a warm trainer; add `grow: in_place` to the sweep file");
            }
            if (is_told_decisions() && work_->rank == 0) {
                take(report_from(work_->join().trial, message), notices);
            }
        } catch (const std::exception& error) {
            fail(fmt::format("its report through CRESCENDO_FD cannot be understood: {} (in '{}')", plain(error),
                             line.substr(0, 200)),
                 FailureKind::error, notices);
        }
    }
}

void ProgramWorker::look_for_reports(bool has_ended, std::vector<Notice>& notices) {
    const auto now = Clock::now();
    for (const auto& line : has_ended ? written_->last_lines(now) : written_->lines(now)) {
        if (dismissed_ || hung_) {
            ignore(line);
        } else {
            read_written(line, notices);
        }
    }
}

void ProgramWorker::read_written(const std::string& line, std::vector<Notice>& notices) {
    try {
        if (auto report = written_->report_in(line)) {
            take(*std::move(report), notices);
        }
    } catch (const std::exception& error) {
        fail(fmt::format("{} (in {}: '{}')", plain(error), written_->place(), line.substr(0, 200)), FailureKind::error,
             notices);
    }
    if (written_->is_time_to_remark()) {
        notices.push_back(ProgramRemark{work_->join().trial, written_->why_none()});
    }
}

/// What a program writes that is to end counts no more. But one that reports beyond the end of its trial has not
/// understood, and there is nothing to wait for.
void ProgramWorker::ignore(const std::string& line) {
    if (!dismissed_ || has_failed_ || escalation_ > 0 || !is_complete()) {
        return;
    }
    try {
        const auto report =
            written_ ? written_->report_in(line) : report_from(work_->join().trial, parse_message(line));
        if (report && report->resource > last_resource_) {
            trains_on_ = true;
            deadline_ = Clock::now();
        }
    } catch (const std::exception&) {
        // no report
    }
}

/// Remarks on a process that begins again, and on one that repeats its own reports with other numbers.
void ProgramWorker::remark_on_repetition(const protocol::Report& report, std::vector<Notice>& notices) const {
    if (written_ && !options_.setup.supervision.report->is_printed()) {
        return;  // the file has what former processes wrote, and may be written anew
    }
    const auto& join = work_->join();
    if (!reported_ && had_reported(join) && report.resource < *join.reported) {
        notices.push_back(ProgramRemark{
            report.trial, fmt::format("it was started again, and did not continue from a checkpoint; it reported {} "
                                      "where {} was reported before, and trains all of that once more "
                                      "(docs/trial-protocol.md, Checkpoints)",
                                      report.resource.value, join.reported->value)});
    } else if (reported_ && report.resource <= last_resource_ && report.metrics != last_metrics_) {
        notices.push_back(ProgramRemark{
            report.trial, fmt::format("it reported a resource again, or an earlier one, and such reports do not count; "
                                      "after {} came {}: {}",
                                      last_resource_.value, report.resource.value,
                                      written_ ? "let report.pattern match one line of each epoch"
                                               : "report once after each epoch, and count up")});
    }
}

void ProgramWorker::take(protocol::Report report, std::vector<Notice>& notices) {
    remark_on_repetition(report, notices);
    last_resource_ = report.resource;
    last_metrics_ = report.metrics;
    reported_ = awaits_decision_ = true;
    report_due_.reset();
    remark_due_.reset();
    notices.push_back(std::move(report));
}

/// What the present process printed last, and no earlier one of the trial.
std::string ProgramWorker::own_last_words() const { return last_words(log_of(work_->join()), log_begin_); }

void ProgramWorker::fail(const std::string& message, FailureKind kind, std::vector<Notice>& notices,
                         ProgramFault fault) {
    notices.push_back(WorkerFailed{work_->join().trial, slot(), kind, message, fault, device_name(options_, slot())});
    dismissed_ = has_failed_ = true;
    deadline_ = Clock::now();
}

void ProgramWorker::escalate(Clock::time_point now) {
    if (escalation_++ == 0) {
        if (dismissed_ && is_told_decisions() && !has_failed_) {
            // One that trained to its end may have read that, and have more to do than there is time for.
            const std::chrono::duration<double> time = time_to_save();
            const auto remark =
                is_complete() && !trains_on_
                    ? fmt::format(
                          "it was complete and did not end within {:.3g} s, so it is ended by SIGTERM; set "
                          "CRESCENDO_SAVE_TIMEOUT to more seconds, or save before the last report; ",
                          time.count())
                    : std::string(
                          "it was told to stop and did not leave, so it is ended by SIGTERM; a program has to read the "
                          "decision after each report and to end; ");
            pending_notices_.push_back(ProgramRemark{work_->join().trial, remark + quoted(own_last_words())});
        }
        terminate();
        deadline_ = now + options_.grace + time_of_the_guard;
    } else {
        program_->process.signal_group(SIGKILL);
        deadline_.reset();
    }
}

void ProgramWorker::conclude(const ExitStatus& status, std::vector<Notice>& notices) {
    if (dismissed_) {
        notices.push_back(LeftTrial{work_->join().trial, slot()});
    } else if (hung_ || !status.success()) {
        const auto cause = hung_ ? no_progress_for(*options_.setup.supervision.hang_timeout) : to_string(status);
        const bool is_usage_error = !hung_ && !reported_ && !had_reported(work_->join()) && status.signal == 0 &&
                                    status.code == usage_error_status && Clock::now() - started_ < time_to_complain;
        const auto words = own_last_words();
        const auto kind = is_usage_error ? FailureKind::repeated_error : hung_ ? FailureKind::crash : kind_of(status);
        const auto advice = is_usage_error ? advice_on_options(words) : "";
        fail(fmt::format("{}; {}{}", cause, quoted(words), advice), kind, notices,
             is_usage_error ? ProgramFault::usage_error : ProgramFault::none);
    } else if (work_->rank > 0) {
        program_.reset();  // rank 0 says what becomes of the trial
        return;
    } else if (!reported_ && had_reported(work_->join())) {
        fail("it was resumed and ended without a report; a program that is resumed sends its last report again",
             FailureKind::error, notices);
    } else if (!reported_) {
        fail(written_ ? fmt::format("{}: {}", no_report, written_->why_none()) : no_report, FailureKind::repeated_error,
             notices, ProgramFault::never_reports);
    } else {
        ended_ = work_->join().trial;
        notices.push_back(ProgramEnded{*ended_});
    }
    program_.reset();
    forget_work();
    if (next_) {
        start_next();
    }
}

void ProgramWorker::forget_work() {
    work_.reset();
    deadline_.reset();
    report_due_.reset();
    remark_due_.reset();
    written_.reset();
}

std::optional<Clock::time_point> ProgramWorker::deadline() const {
    std::optional<Clock::time_point> first = deadline_;
    const auto look = written_ ? written_->next_look() : std::nullopt;
    for (const auto& each : {report_due_, remark_due_, look, in_doubt_until_}) {
        if (each && !dismissed_) {
            first = std::min(first.value_or(*each), *each);
        }
    }
    if (look_again_ && next_) {
        first = std::min(first.value_or(*look_again_), *look_again_);
    }
    return first;
}

void ProgramWorker::watch(std::vector<pollfd>& descriptors) const {
    if (program_ && !in_doubt_until_) {  // what has ended would be ready all the time
        program_->watch(descriptors);
    }
}

}  // namespace crescendo::launch
