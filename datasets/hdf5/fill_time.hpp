#pragma once

#include <cstring>
#include <string>

#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets::hdf5 {

/// Whether a data set with these creation properties leaves what was never written as it is in memory. Throws as
/// check() does, with `complaint`.
inline bool never_fills(hid_t creation, const std::string& complaint) {
    H5D_fill_time_t time{};
    check(H5Pget_fill_time(creation, &time), complaint);
    int number = 0;  // in a damaged file it may be none of the enumerators, and must not be read as one
    static_assert(sizeof number == sizeof time);
    std::memcpy(&number, &time, sizeof number);
    return number == H5D_FILL_TIME_NEVER;
}

}  // namespace crescendo::datasets::hdf5
