#pragma once

#include <string>
#include <vector>

#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Whether a word leaves the choice of a sampler to Crescendo: `auto`, or W&B's `bayes`, which asks for one that
/// learns.
bool leaves_sampler_open(const std::string& word);

/// The words that `sampler.type` may be: the names of all samplers, and `auto`.
std::vector<std::string> sampler_words();

struct SamplerChoice {
    std::string sampler;
    std::string reason;  ///< the kind of search that it suits: "of at most 500 trials in which …"
};

/// The sampler that fits the search, by the table in docs/samplers.md. It depends only on `run_cap`, the space, and
/// whether there are earlier results, all as they were when the sweep began, so a resumed sweep gets the same sampler.
SamplerChoice choose_sampler(const std::string& word, const SweepSpec& spec, bool has_warm_start);

/// A reason not to use the sampler that the file names for this search; empty if there is none.
std::string doubt_about(const std::string& sampler, const SweepSpec& spec);

}  // namespace crescendo::launch
