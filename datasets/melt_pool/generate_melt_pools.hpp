#pragma once

#include <cstdint>
#include <string>

#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

struct MeltPoolOptions {
    std::int64_t num_samples = 0;
    std::int64_t size = 32;   ///< points along each axis of an image, 8 to 1024; an image shows 1 mm x 1 mm
    std::int64_t frames = 8;  ///< images per video, 1 to 64, 50 µs apart
    std::uint64_t seed = 1;
    int num_threads = 1;  ///< at least 1; does not affect the samples
};

/// Writes `num_samples` short videos of melt pools as the set at `location` (FILE:/GROUP). Each begins when the laser
/// is switched on. Inputs are frames x size x size, float32: the plate's glow at 850 nm with the camera's noise, from 0
/// to 1, which is the glow at the boiling point, where the camera saturates. Targets are what to learn from a video,
/// float32: the laser's power in units of 100 W, from 1 to 4, and its speed in m/s, from 0.4 to 2.
/// The beam's radius and the plate's absorptivity vary between videos by up to a tenth, and are not in the set: so
/// there is an error that no model can go below. Sample i depends only on the options and i. Writes all or nothing, as
/// NewGroup does. Progress is counted in samples. Throws InvalidInput for invalid options.
void generate_melt_pools(const std::string& location, const MeltPoolOptions& options,
                         const WriteOptions& write_options);

}  // namespace crescendo::datasets
