#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/samplers/sampler.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Names of all samplers, as `sampler.type` of the sweep file takes them.
std::vector<std::string> sampler_names();

/// Whether the sampler of this name learns from results.
bool learns(const std::string& sampler);

/// Any of the samplers, as a value. From then on, a copy makes the same proposals as the original.
class AnySampler {
  public:
    /// The sampler that `spec` names. Throws InvalidInput (key "sampler.type") if there is no such sampler.
    explicit AnySampler(const SweepSpec& spec);

    explicit AnySampler(std::unique_ptr<Sampler> sampler) : sampler_(std::move(sampler)) {}

    AnySampler(const AnySampler& other) : sampler_(other.sampler_->clone()) {}
    AnySampler(AnySampler&&) = default;
    AnySampler& operator=(AnySampler other) {
        sampler_.swap(other.sampler_);
        return *this;
    }

    Sampler* operator->() { return sampler_.get(); }

  private:
    std::unique_ptr<Sampler> sampler_;
};

}  // namespace crescendo
