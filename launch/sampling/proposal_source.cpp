#include "launch/sampling/proposal_source.hpp"

#include <future>
#include <system_error>
#include <utility>

#include "launch/sampling/sampler_program.hpp"
#include "launch/sampling/stop_rule_program.hpp"

namespace crescendo::launch {
namespace {

/// Asks a copy of the sweep in another thread, so that nothing waits for a model. Reports that arrive meanwhile affect
/// only the next proposal.
class OwnSampler final : public ProposalSource {
  public:
    std::optional<Event> next(Sweep& sweep) override {
        const auto awaited = sweep.awaited_proposal();
        if (!awaited) {
            return {};
        }
        if (!work_.valid()) {
            try {
                work_ = std::async(std::launch::async, [copy = sweep]() mutable { return copy.propose(); });
            } catch (const std::system_error&) {  // if there are no more threads, everything waits for the model
                return sweep.propose();
            }
        }
        if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            return {};
        }
        auto event = work_.get();
        const auto* proposed = event ? std::get_if<TrialProposed>(&*event) : nullptr;
        return proposed != nullptr && proposed->trial == *awaited ? std::move(event) : sweep.propose();
    }

    std::optional<Event> await_next(Sweep& sweep) override { return sweep.propose(); }

    std::optional<std::chrono::milliseconds> patience() const override {
        return work_.valid() ? std::optional(std::chrono::milliseconds(2)) : std::nullopt;
    }

  private:
    std::future<std::optional<Event>> work_;
};

}  // namespace

std::unique_ptr<ProposalSource> own_sampler() { return std::make_unique<OwnSampler>(); }

std::unique_ptr<ProposalSource> make_source(const SweepFile& file, SourceSettings settings) {
    auto sampler = file.sampler ? std::make_unique<SamplerProgram>(file, settings) : own_sampler();
    if (file.stop_rule) {
        return std::make_unique<StopRuleProgram>(file, std::move(settings), std::move(sampler));
    }
    return sampler;
}

}  // namespace crescendo::launch
