#pragma once

#include <cstdint>
#include <string>

#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

struct MeltPoolOptions {
    std::int64_t num_samples = 0;
    std::int64_t size = 32;   ///< points along both axes of an image, 8 to 1024; an image shows 1 mm
    std::int64_t frames = 8;  ///< images of a video, 1 to 64, 50 µs apart
    std::uint64_t seed = 1;
    int num_threads = 1;  ///< at least 1; the samples do not depend on them
};

/// Writes `num_samples` short videos of melt pools as the set at `location` (FILE:/GROUP), each from the moment the
/// laser is switched on. Inputs are frames x size x size, float32: how bright the plate glows at 850 nm, from 0 to 1,
/// which is its boiling point and where the camera is saturated, with the camera's noise. Targets are what is to be
/// learnt from a video, float32: the laser's power in units of 100 W, from 1 to 4, and its speed in m/s, from 0.4 to 2.
///
/// The beam's radius and the plate's absorptivity differ from video to video by up to a tenth, and nothing tells them:
/// so there is an error that no model can go below. Sample i is a function of the options and i. All or nothing, as
/// NewGroup is. Progress is counted in samples. Throws InvalidInput for options that cannot be.
void generate_melt_pools(const std::string& location, const MeltPoolOptions& options,
                         const WriteOptions& write_options);

}  // namespace crescendo::datasets
