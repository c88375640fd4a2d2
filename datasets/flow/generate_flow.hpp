#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

struct FlowOptions {
    /// What to learn from a flow. `decay`: the share of its energy that is left a time of 1 later, a number from 0 to 1
    /// that depends on the sizes of its eddies. `future`: the input fields at that time. `none`: no targets, for
    /// autoencoders.
    enum class Target { decay, future, none };

    std::int64_t num_samples = 0;
    std::int64_t size = 64;  ///< points along an axis; a power of two from 16 to 4096
    std::uint64_t seed = 1;
    std::optional<double> viscosity = {};  ///< default: least_viscosity(size)
    Target target = Target::decay;
    int num_threads = 1;  ///< at least 1; does not affect the samples
};

/// The least viscosity that `size` points resolve: 8 / K², where K is the largest wave number. The smallest eddies of a
/// flow of speed 1 then dissipate instead of piling up at K.
double least_viscosity(std::int64_t size);

/// Writes `num_samples` decaying two-dimensional turbulent flows, each from its own random start, as the set at
/// `location` (FILE:/GROUP). Inputs are u, v and vorticity, 3 x size x size, float32, at a time of 1 after a start with
/// mean energy 1/2 and eddies of random size. Targets, if any, are float32.
/// Sample i depends only on the options and i. Writes all or nothing, as NewGroup does. Progress is counted in samples.
/// Throws InvalidInput for invalid options, and for a viscosity that the size does not resolve.
void generate_flow(const std::string& location, const FlowOptions& options, const WriteOptions& write_options);

}  // namespace crescendo::datasets
