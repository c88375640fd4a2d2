#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "launch/sampling/sampler_messages.hpp"
#include "launch/sampling/supervised_program.hpp"
#include "scheduler/samplers/random_sampler.hpp"

namespace crescendo::launch {

/// A sampler that is another program, or a class of a plug-in. It receives all trials and is asked for configurations.
///
/// A failure of the program costs the sweep only its proposals. If it ends, is silent beyond its deadline, or answers
/// something other than a configuration of the space, the user is told why, and it is restarted and receives all trials
/// again. After the third failure in a row it is given up: all further configurations are drawn at random. If the sweep
/// has no trial by then, next() and await_next() throw InvalidInput instead: a sampler that never worked is a mistake.
class SamplerProgram final : public ProposalSource {
  public:
    /// `file` must have a sampler program.
    SamplerProgram(const SweepFile& file, SourceSettings settings);

    std::optional<Event> next(Sweep& sweep) override;
    std::optional<Event> await_next(Sweep& sweep) override;
    std::optional<std::chrono::milliseconds> patience() const override;

  private:
    /// A configuration that the program proposed and that no trial has yet.
    struct Prepared {
        std::optional<int> proposal;  ///< number of the proposal, if this process made it
        Config config;
    };

    void talk(Sweep& sweep);
    void start(const Sweep& sweep);
    void tell(const Sweep& sweep, const std::set<TrialId>& news);
    void ask(const Sweep& sweep);
    bool take(const std::string& line, const Sweep& sweep);
    void look_for_repeat(const Config& config, const Sweep& sweep);
    void fail(const std::string& what, const Sweep& sweep);
    std::optional<Event> proposal_for(TrialId trial, const Sweep& sweep);

    const SamplerCommand command_;
    const OrderedJson begin_;
    RandomSampler random_;
    SupervisedProgram program_;
    std::deque<Prepared> prepared_;
    std::map<TrialId, int> proposals_;  ///< proposals by this process for trials that have not ended
    int next_proposal_ = 0;
    bool waits_for_news_ = false;       ///< it had nothing to propose, and got no news since
    bool is_done_ = false;
    int refusals_in_a_row_ = 0;
    int num_repeats_ = 0;  ///< number of proposals that equal an earlier trial
};

}  // namespace crescendo::launch
