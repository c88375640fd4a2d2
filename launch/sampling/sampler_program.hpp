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

/// A sampler that is another program, or a class of a plug-in. It is told of all trials and asked for configurations.
///
/// The program costs the sweep nothing but its proposals. When it ends, is silent for longer than its deadline, or
/// answers what is no configuration of the space, the user reads why, and it is started again and told all trials. The
/// third time in a row it is given up: the configurations that follow are drawn at random.
class SamplerProgram final : public ProposalSource {
  public:
    /// `file` has a sampler program.
    SamplerProgram(const SweepFile& file, SourceSettings settings);

    std::optional<Event> next(Sweep& sweep) override;
    std::optional<Event> await_next(Sweep& sweep) override;
    std::optional<std::chrono::milliseconds> patience() const override;

  private:
    /// A configuration that the program proposed, and no trial has yet.
    struct Prepared {
        std::optional<int> proposal;  ///< its number, if this process made it
        Config config;
    };

    void talk(Sweep& sweep);
    void start(const Sweep& sweep);
    void tell(const Sweep& sweep, const std::set<TrialId>& news);
    void ask(const Sweep& sweep);
    bool take(const std::string& line, const Sweep& sweep);
    void look_for_repeat(const Config& config, const Sweep& sweep);
    void fail(const std::string& what);
    std::optional<Event> proposal_for(TrialId trial, const Sweep& sweep);

    const SamplerCommand command_;
    const OrderedJson begin_;
    RandomSampler random_;
    SupervisedProgram program_;
    std::deque<Prepared> prepared_;
    std::map<TrialId, int> proposals_;  ///< that this process made, of trials that have not ended
    int next_proposal_ = 0;
    bool waits_for_news_ = false;       ///< it had nothing to propose, and was told nothing since
    bool is_done_ = false;
    int refusals_in_a_row_ = 0;
    int num_repeats_ = 0;  ///< proposals of what a trial had already
};

}  // namespace crescendo::launch
