#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace crescendo::launch {

/// Numbers as a line of blocks, "▁▂▅█"; the lowest finite number is the lowest block. With more than `width` numbers,
/// each block is the mean of several. A number that is not finite is a "×".
std::string sparkline(const std::vector<double>& numbers, std::size_t width);

}  // namespace crescendo::launch
