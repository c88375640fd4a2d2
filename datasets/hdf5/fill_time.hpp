#pragma once

#include <cstring>
#include <string>

#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets::hdf5 {

/// Whether reading a data set with these creation properties leaves memory unchanged for elements that were never
/// written. Throws as check() does, with `complaint`.
inline bool never_fills(hid_t creation, const std::string& complaint) {
    H5D_fill_time_t time{};
    check(H5Pget_fill_time(creation, &time), complaint);
    int number = 0;  // in a damaged file it may not be a valid enumerator
    static_assert(sizeof number == sizeof time);
    std::memcpy(&number, &time, sizeof number);
    return number == H5D_FILL_TIME_NEVER;
}

}  // namespace crescendo::datasets::hdf5
