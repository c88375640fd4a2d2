#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// Reading speed of a set with a given number of threads, and of its file by pread alone, in bytes per second. Values
/// are medians of several turns. The two kinds of read take turns, because the speed of a shared disk varies.
struct Throughput {
    enum class Cache {
        cold,  ///< the system was asked to drop the file from its cache; it may keep pages that others use
        warm,  ///< everything was read just before
    };

    int threads = 1;
    Cache cache = Cache::cold;
    double elements = 0;  ///< bytes per second of the samples' elements, as a trainer gets them
    double raw = 0;       ///< bytes per second of the file by pread alone
};

/// Measures the set at `location` (FILE:/GROUP) for each number of threads, cold and warm. `data_sets` are the names of
/// its data sets; empty: inputs, and targets if there are any. Reads the first `bytes` bytes of its elements, and as
/// many of the file, or all if there are fewer. Holds two windows of 64 MiB, or one chunk if that is larger.
std::vector<Throughput> bench(const std::string& location, const std::vector<int>& threads, std::uint64_t bytes,
                              const std::vector<std::string>& data_sets = {},
                              MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
