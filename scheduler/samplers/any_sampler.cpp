#include "scheduler/samplers/any_sampler.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "scheduler/samplers/grid_sampler.hpp"
#include "scheduler/samplers/program_sampler.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tpe_sampler.hpp"

namespace crescendo {
namespace {

using Make = std::unique_ptr<Sampler> (*)(const SweepSpec&);

/// All samplers. To add one is to add its row here.
const std::vector<std::pair<std::string, Make>>& samplers() {
    static const std::vector<std::pair<std::string, Make>> all{
        {"grid",
         [](const SweepSpec& spec) -> std::unique_ptr<Sampler> {
             return std::make_unique<GridSampler>(spec.space, spec.seed);
         }},
        {"program",
         [](const SweepSpec&) -> std::unique_ptr<Sampler> { return std::make_unique<ProgramSampler>(); }},
        {"random",
         [](const SweepSpec& spec) -> std::unique_ptr<Sampler> {
             return std::make_unique<RandomSampler>(spec.space, spec.seed);
         }},
        {"sobol",
         [](const SweepSpec& spec) -> std::unique_ptr<Sampler> {
             return std::make_unique<SobolSampler>(spec.space, spec.seed);
         }},
        {"tpe",
         [](const SweepSpec& spec) -> std::unique_ptr<Sampler> { return std::make_unique<TpeSampler>(spec); }},
    };
    return all;
}

std::unique_ptr<Sampler> make(const SweepSpec& spec) {
    const auto found = std::find_if(samplers().begin(), samplers().end(),
                                    [&](const auto& sampler) { return sampler.first == spec.sampler; });
    CRESCENDO_VALIDATE(found != samplers().end(), "sampler.type",
                       "'{}' is no sampler (nothing would propose configurations); use random", spec.sampler);
    return found->second(spec);
}

}  // namespace

std::vector<std::string> sampler_names() {
    std::vector<std::string> names;
    for (const auto& sampler : samplers()) {
        names.push_back(sampler.first);
    }
    return names;
}

AnySampler::AnySampler(const SweepSpec& spec) : sampler_(make(spec)) {}

}  // namespace crescendo
