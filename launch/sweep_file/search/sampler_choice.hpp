#pragma once

#include <string>
#include <vector>

#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Words that leave the choice of a sampler to Crescendo: `auto`, and W&B's `bayes`, which asks for one that learns.
bool leaves_sampler_open(const std::string& word);

/// What `sampler.type` may be: the names of all samplers, and `auto`.
std::vector<std::string> sampler_words();

struct SamplerChoice {
    std::string sampler;
    std::string reason;  ///< of which search: "of at most 500 trials in which …"
};

/// The sampler that fits the search, by the table of docs/samplers.md. It depends on `run_cap`, the space and the
/// earlier results that there will be, as they were when the sweep began: a resumed sweep goes on with the same one.
SamplerChoice choose_sampler(const std::string& word, const SweepSpec& spec, bool has_warm_start);

/// What speaks against a sampler that the file names, for this search; empty if nothing does.
std::string doubt_about(const std::string& sampler, const SweepSpec& spec);

}  // namespace crescendo::launch
