#include "launch/sampling/supervised_program.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

#include "launch/batch/batch_system.hpp"
#include "launch/files/last_words.hpp"
#include "launch/process/guard.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/transport/heartbeat.hpp"

namespace crescendo::launch {
namespace {

constexpr int most_failures_in_a_row = 3;
constexpr std::chrono::milliseconds time_to_leave{2'000};

}  // namespace

SupervisedProgram::SupervisedProgram(SupervisedSettings settings) : settings_(std::move(settings)) {
    if (settings_.source.log.empty()) {
        own_log_.emplace();
    }
}

/// The end of its input tells a program that the session is over, so that it can save what it has learned.
SupervisedProgram::~SupervisedProgram() {
    if (process_) {
        process_->channel.flush();
        ::shutdown(process_->process.socket().get(), SHUT_WR);
        process_->await_end(time_to_leave);
    }
    stop();
}

void SupervisedProgram::start() {
    log_begin_ = size_of_log(log());
    ProcessOptions options;
    options.command = guarded(ProgramPaths::find().guard, time_to_leave, settings_.command);
    options.hides = variables_of_ranks();
    options.directory = settings_.source.directory;
    options.log = log();
    options.death_signal = SIGQUIT;
    process_ = std::make_unique<ConnectedProcess>(options);
    is_dismissed_ = false;
}

void SupervisedProgram::ask(const OrderedJson& question) {
    if (num_asked_++ == 0) {
        looked_ = Clock::now();
        due_ = looked_ + settings_.deadline;
    }
    tell(question);
}

/// The time during which this process stood still, as in a suspended job, is not the program's silence: the program may
/// have stood still as well.
void SupervisedProgram::excuse(Clock::time_point now) {
    if (now - looked_ >= SilenceTimer::longest_look_away) {
        due_ += now - looked_;
    }
    looked_ = now;
}

void SupervisedProgram::receive(const std::function<bool(const std::string&)>& take, Clock::time_point now) {
    excuse(now);
    process_->channel.flush();
    const auto ended = process_->process.try_wait();
    for (const auto& line : process_->channel.receive()) {
        if (is_dismissed_) {
            return;
        }
        if (line.size() > longest_message) {
            throw std::runtime_error(fmt::format("it wrote a line of more than {} bytes", longest_message));
        }
        if (num_asked_ == 0) {
            throw std::runtime_error(fmt::format("it wrote '{}' without being asked", line.substr(0, 200)));
        }
        const bool works = take(line);
        if (works) {
            failures_in_a_row_ = 0;
        }
        num_asked_ = is_dismissed_ ? 0 : num_asked_ - 1;
        due_ = now + settings_.deadline;
    }
    if (ended && !is_dismissed_) {
        throw std::runtime_error(fmt::format("it ended ({})", to_string(*ended)));
    }
    if (num_asked_ > 0 && now >= due_) {
        const auto& unfinished = process_->channel.unfinished();
        const bool has_printed = last_words(log(), log_begin_).find(R"({"config":)") != std::string::npos;
        throw std::runtime_error(fmt::format(
            "it gave no answer for {} s, its deadline{}", settings_.deadline.count(),
            !unfinished.empty() ? fmt::format(": it wrote '{}' without a line feed", unfinished.substr(0, 200))
            : has_printed       ? ": it printed its answer instead of writing it to the socket CRESCENDO_FD"
                                : ""));
    }
}

void SupervisedProgram::dismiss() {
    is_dismissed_ = true;
    num_asked_ = 0;
}

void SupervisedProgram::note(const std::string& what) const {
    const auto& source = settings_.source;
    (source.note ? source.note : source.say)(fmt::format("{} {}", settings_.name, what));
}

void SupervisedProgram::fail(const std::string& what, const std::string& loss) {
    stop();
    ++failures_in_a_row_;
    is_given_up_ = failures_in_a_row_ >= most_failures_in_a_row;
    const auto words = last_words(log(), log_begin_);
    settings_.source.say(fmt::format("{} failed: {}{}{}; {}", settings_.name, what,
                                     words.empty() ? "" : "; last words: ", words,
                                     is_given_up_ ? "this was the third failure in a row, so " + loss
                                                  : "it is restarted, and receives all trials again"));
}

void SupervisedProgram::stop() {
    if (process_) {
        process_->process.signal(SIGQUIT);  // the guard kills the program and everything that it started
        process_->await_end(time_of_the_guard);
    }
    process_.reset();
    num_asked_ = 0;
}

void SupervisedProgram::await_answer() const {
    std::vector<pollfd> descriptors;
    process_->watch(descriptors);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now());
    constexpr std::int64_t longest = 1'000;  // a wait of more than a few seconds counts as a standstill
    ::poll(descriptors.data(), descriptors.size(),
           static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, longest)));
}

/// The longer the program takes, the less often it is checked.
std::optional<std::chrono::milliseconds> SupervisedProgram::patience() const {
    constexpr std::chrono::milliseconds shortest{2};
    constexpr std::chrono::milliseconds longest{100};
    if (!process_) {
        return is_given_up_ ? std::nullopt : std::optional(shortest);
    }
    if (num_asked_ == 0) {
        return {};
    }
    const auto since = Clock::now() - (due_ - settings_.deadline);
    return std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(since / 10), shortest, longest);
}

}  // namespace crescendo::launch
