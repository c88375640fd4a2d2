#include "scheduler/samplers/program_sampler.hpp"

namespace crescendo {

std::unique_ptr<Sampler> ProgramSampler::clone() const { return std::make_unique<ProgramSampler>(*this); }

}  // namespace crescendo
