#include "scheduler/samplers/any_sampler.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "scheduler/samplers/cmaes_sampler.hpp"
#include "scheduler/samplers/gp_sampler.hpp"
#include "scheduler/samplers/grid_sampler.hpp"
#include "scheduler/samplers/program_sampler.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tpe_sampler.hpp"

namespace crescendo {
namespace {

struct Kind {
    std::string name;
    bool learns;
    std::unique_ptr<Sampler> (*make)(const SweepSpec&);
};

template <class Any>
std::unique_ptr<Sampler> from_spec(const SweepSpec& spec) {
    return std::make_unique<Any>(spec);
}

template <class Any>
std::unique_ptr<Sampler> from_space(const SweepSpec& spec) {
    return std::make_unique<Any>(spec.space, spec.seed);
}

/// All samplers, one row each.
const std::vector<Kind>& samplers() {
    static const std::vector<Kind> all{
        {"cmaes", true, from_spec<CmaesSampler>},
        {"gp", true, from_spec<GpSampler>},
        {"grid", false, from_space<GridSampler>},
        {"program", false,
         [](const SweepSpec&) -> std::unique_ptr<Sampler> { return std::make_unique<ProgramSampler>(); }},
        {"random", false, from_space<RandomSampler>},
        {"sobol", false, from_space<SobolSampler>},
        {"tpe", true, from_spec<TpeSampler>},
    };
    return all;
}

std::unique_ptr<Sampler> make(const SweepSpec& spec) {
    const auto found = std::ranges::find(samplers(), spec.sampler, &Kind::name);
    CRESCENDO_VALIDATE(found != samplers().end(), "sampler.type",
                       "'{}' is not a sampler (nothing would propose configurations); use random", spec.sampler);
    return found->make(spec);
}

}  // namespace

std::vector<std::string> sampler_names() { return names_of(samplers()); }

bool learns(const std::string& sampler) {
    const auto found = std::ranges::find(samplers(), sampler, &Kind::name);
    return found != samplers().end() && found->learns;
}

AnySampler::AnySampler(const SweepSpec& spec) : sampler_(make(spec)) {}

}  // namespace crescendo
