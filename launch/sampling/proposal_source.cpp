#include "launch/sampling/proposal_source.hpp"

#include <utility>

#include "launch/sampling/sampler_program.hpp"
#include "launch/sampling/stop_rule_program.hpp"

namespace crescendo::launch {
namespace {

class OwnSampler final : public ProposalSource {
  public:
    std::optional<Event> next(Sweep& sweep) override { return sweep.propose(); }
    std::optional<Event> await_next(Sweep& sweep) override { return sweep.propose(); }
    std::optional<std::chrono::milliseconds> patience() const override { return {}; }
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
