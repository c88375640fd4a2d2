#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// How fast one set is read with one number of threads, and how fast its file is read by pread alone, in bytes a
/// second. Figures are medians of several turns. The two take turns, because the speed of a shared disk varies.
struct Throughput {
    enum class Cache {
        cold,  ///< the system was told to forget the file; it may keep what other processes use
        warm,  ///< everything was read just before
    };

    int threads = 1;
    Cache cache = Cache::cold;
    double elements = 0;  ///< bytes a second of the samples' elements, as a trainer gets them
    double raw = 0;       ///< bytes a second of the file by pread alone
};

/// Measures the set at `location` (FILE:/GROUP) for each number of threads, cold and warm, over its first `bytes` bytes
/// of elements, and as many of the file, or all if there are fewer. Holds two windows of 64 MiB, or one chunk if that
/// is larger.
std::vector<Throughput> bench(const std::string& location, const std::vector<int>& threads, std::uint64_t bytes,
                              MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
