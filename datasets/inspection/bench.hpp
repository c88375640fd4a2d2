#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// How fast one set is read with one number of threads, and how fast its file by pread alone, in bytes a second: the
/// medians of several turns, one of each at a time, since disks that others use as well are uneven.
struct Throughput {
    enum class Cache {
        cold,  ///< the system was told to forget the file; it may keep what others use
        warm,  ///< all was read just before
    };

    int threads = 1;
    Cache cache = Cache::cold;
    double elements = 0;  ///< of the samples' elements, as a trainer has them
    double raw = 0;       ///< of the file's bytes, whatever they mean
};

/// Measures the set at `location` (FILE:/GROUP) for each number of threads, cold and warm, over its first `bytes` bytes
/// of elements and as many of the file, or all where there are less. Holds two windows of 64 MiB, or one
/// chunk if larger.
std::vector<Throughput> bench(const std::string& location, const std::vector<int>& threads, std::uint64_t bytes,
                              MissingSources missing = MissingSources::error);

}  // namespace crescendo::datasets
