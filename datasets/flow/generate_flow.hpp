#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

struct FlowOptions {
    /// What is to be learnt from a flow: how much of its energy is left a time of 1 later, one number between 0 and 1
    /// which depends on the sizes of its eddies; the same fields as the inputs then; or nothing, for autoencoders.
    enum class Target { decay, future, none };

    std::int64_t num_samples = 0;
    std::int64_t size = 64;  ///< points along an axis; a power of two from 16 to 4096
    std::uint64_t seed = 1;
    std::optional<double> viscosity = {};  ///< default: the least that `size` resolves
    Target target = Target::decay;
    int num_threads = 1;  ///< at least 1; the samples do not depend on them
};

/// The least viscosity that `size` points resolve: 8 / K² with K the largest wave number, so that the smallest eddies
/// of a flow of speed 1 turn into heat rather than pile up at K.
double least_viscosity(std::int64_t size);

/// Writes `num_samples` decaying two-dimensional turbulent flows, each from a random start of its own, as the set at
/// `location` (FILE:/GROUP): inputs are u, v and vorticity, 3 x size x size, float32, at a time of 1 after a start of
/// mean energy 1/2 whose eddies are of random size; targets, if any, are float32.
///
/// Sample i is a function of the options and i. All or nothing, as NewGroup is. Progress is counted in samples.
/// Throws InvalidInput for options that cannot be, and a viscosity that the size does not resolve.
void generate_flow(const std::string& location, const FlowOptions& options, const WriteOptions& write_options);

}  // namespace crescendo::datasets
