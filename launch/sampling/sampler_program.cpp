#include "launch/sampling/sampler_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/draws.hpp"
#include "launch/sweep_file/sweep_check.hpp"

namespace crescendo::launch {
namespace {

constexpr int most_failures_in_a_row = 3;

/// A program need not know the constraints, but it should find a way between them.
constexpr int most_refusals_in_a_row = 1000;

/// A line beyond this is no answer, and would take up the memory.
constexpr std::size_t longest_answer = 1U << 20;

std::string name_of(const SamplerCommand& command) { return fmt::format("{}", fmt::join(command.words, " ")); }

}  // namespace

SamplerProgram::SamplerProgram(const SweepFile& file, SourceSettings settings)
    : command_(*file.sampler),
      begin_(begin_message(file)),
      settings_(std::move(settings)),
      random_(file.spec.space, file.spec.seed) {
    if (settings_.log.empty()) {
        own_log_.emplace();
    }
}

SamplerProgram::~SamplerProgram() { stop(); }

std::optional<Event> SamplerProgram::next(Sweep& sweep) {
    if (sweep.state() != SweepState::running) {
        return {};
    }
    try {
        talk(sweep);
    } catch (const std::exception& error) {
        fail(error.what());
    }
    const auto trial = sweep.awaited_proposal();
    return trial ? proposal_for(*trial, sweep) : std::nullopt;
}

/// Tells what is new, takes answers, and asks for more.
void SamplerProgram::talk(Sweep& sweep) {
    const auto news = sweep.take_news();
    if (is_given_up_) {
        return;
    }
    if (!program_) {
        start(sweep);
    } else {
        tell(sweep, news);
    }
    receive(sweep);
    ask(sweep);
    program_->channel.flush();
}

/// A new process knows nothing, so it is told all trials.
void SamplerProgram::start(const Sweep& sweep) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(log(), missing);
    log_begin_ = missing ? 0 : size;
    constexpr int grace = 2000;  // milliseconds
    ProcessOptions options;
    options.command = {ProgramPaths::find().guard, std::to_string(grace)};
    options.command.insert(options.command.end(), command_.words.begin(), command_.words.end());
    options.directory = settings_.directory;
    options.log = log();
    options.death_signal = SIGQUIT;
    program_ = std::make_unique<ConnectedProcess>(options);
    proposals_.clear();
    program_->channel.send(begin_);
    std::set<TrialId> all;
    for (const auto& trial : sweep.trials()) {
        all.insert(trial.id);
    }
    tell(sweep, all);
}

void SamplerProgram::tell(const Sweep& sweep, const std::set<TrialId>& news) {
    for (const auto id : news) {
        const auto& trial = sweep.trial(id);
        const auto proposal = proposals_.find(id);
        program_->channel.send(tell_message(
            trial, sweep.spec().goal, proposal == proposals_.end() ? std::nullopt : std::optional(proposal->second)));
        if (trial.ended()) {
            proposals_.erase(id);
        }
    }
    waits_for_news_ = waits_for_news_ && news.empty();
}

void SamplerProgram::ask(const Sweep& sweep) {
    if (is_done_ || waits_for_news_) {
        return;
    }
    const int awaited = sweep.awaited_proposal() ? 1 : 0;
    int wanted = std::max(command_.ahead, awaited);
    if (const auto cap = sweep.spec().run_cap) {
        wanted = std::min(wanted, *cap - static_cast<int>(sweep.trials().size()));
    }
    while (static_cast<int>(prepared_.size() + asked_.size()) < wanted) {
        if (asked_.empty()) {
            due_ = Clock::now() + command_.deadline;
        }
        program_->channel.send(propose_message(next_proposal_));
        asked_.push_back(next_proposal_++);
    }
}

void SamplerProgram::receive(const Sweep& sweep) {
    const auto ended = program_->process.try_wait();
    for (const auto& line : program_->channel.receive()) {
        if (is_done_) {
            break;
        }
        if (line.size() > longest_answer) {
            throw std::runtime_error(fmt::format("it answered with a line of {} bytes", line.size()));
        }
        if (asked_.empty()) {
            throw std::runtime_error(fmt::format("it wrote '{}' without being asked", line.substr(0, 200)));
        }
        take(answer_from(line, sweep.spec().space));
    }
    if (program_->channel.held() > longest_answer) {
        throw std::runtime_error(fmt::format("it wrote {} bytes without an end of the line", program_->channel.held()));
    }
    if (ended && !is_done_) {
        throw std::runtime_error(fmt::format("it ended ({})", to_string(*ended)));
    }
    if (!asked_.empty() && Clock::now() >= due_) {
        throw std::runtime_error(fmt::format("it gave no answer for {} s", command_.deadline.count()));
    }
}

void SamplerProgram::take(const SamplerAnswer& answer) {
    const int proposal = asked_.front();
    asked_.pop_front();
    if (!answer.refusal.empty()) {
        if (++refusals_in_a_row_ >= most_refusals_in_a_row) {
            throw std::runtime_error(
                fmt::format("{} proposals in a row are not allowed, the last because {}", refusals_in_a_row_,
                            answer.refusal));
        }
        program_->channel.send(refused_message(proposal, answer.refusal));
        return;
    }
    failures_in_a_row_ = 0;
    refusals_in_a_row_ = 0;
    due_ = Clock::now() + command_.deadline;
    if (answer.config) {
        prepared_.push_back({proposal, *answer.config});
    }
    if (answer.is_done) {
        is_done_ = true;
        asked_.clear();
    }
    waits_for_news_ = waits_for_news_ || (!answer.config && !answer.is_done);
}

/// What it proposed before was sound, and is used.
void SamplerProgram::fail(const std::string& what) {
    stop();
    ++failures_in_a_row_;
    is_given_up_ = failures_in_a_row_ >= most_failures_in_a_row;
    const auto words = last_words(log(), log_begin_);
    settings_.say(fmt::format(
        "the sampler `{}` failed: {}{}{}; {}", name_of(command_), what, words.empty() ? "" : "; last words: ", words,
        is_given_up_ ? "that was the third time in a row, so configurations are drawn at random from now on"
                     : "it is started again, and told all trials"));
}

void SamplerProgram::stop() {
    if (program_) {
        program_->process.signal(SIGQUIT);  // the guard kills the program, and all that it started
        program_->await_end(time_of_the_guard);
    }
    program_.reset();
    asked_.clear();
    refusals_in_a_row_ = 0;
    waits_for_news_ = false;
}

std::optional<Event> SamplerProgram::proposal_for(TrialId trial, const Sweep& sweep) {
    if (!prepared_.empty()) {
        auto [proposal, config] = std::move(prepared_.front());
        prepared_.pop_front();
        proposals_[trial] = proposal;
        return TrialProposed{trial, std::move(config), Origin::program};
    }
    if (is_given_up_) {
        return TrialProposed{trial, random_.propose(trial)->config, Origin::random};
    }
    const bool waits_in_vain = waits_for_news_ && sweep.has_come_to_rest();
    return (is_done_ || waits_in_vain) && asked_.empty() ? std::optional<Event>(ProposalsEnded{}) : std::nullopt;
}

std::optional<Event> SamplerProgram::await_next(Sweep& sweep) {
    for (;;) {
        auto event = next(sweep);
        if (event) {
            return event;
        }
        if (program_ == nullptr) {
            if (is_given_up_ || !sweep.awaited_proposal()) {
                return {};
            }
            continue;  // it is started again
        }
        if (asked_.empty()) {
            return {};
        }
        std::vector<pollfd> descriptors;
        program_->watch(descriptors);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now());
        ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    }
}

/// A slot idles while an answer is due. The longer the program takes, the less often it is looked at.
std::optional<std::chrono::milliseconds> SamplerProgram::patience() const {
    constexpr std::chrono::milliseconds shortest{2};
    constexpr std::chrono::milliseconds longest{100};
    if (!program_) {
        return is_given_up_ ? std::nullopt : std::optional(shortest);
    }
    if (asked_.empty() || !prepared_.empty()) {
        return {};
    }
    const auto since = Clock::now() - (due_ - command_.deadline);
    return std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(since / 10), shortest, longest);
}

}  // namespace crescendo::launch
