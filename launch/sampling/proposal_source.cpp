#include "launch/sampling/proposal_source.hpp"

#include <utility>

#include "launch/sampling/sampler_program.hpp"

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
    if (file.sampler) {
        return std::make_unique<SamplerProgram>(file, std::move(settings));
    }
    return own_sampler();
}

}  // namespace crescendo::launch
