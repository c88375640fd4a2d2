#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace crescendo::launch {

/// Numbers as a line of blocks, "▁▂▅█": the lowest finite one is the lowest block. If there are more than `width`, each
/// block is the mean of its part of them. A number that is not finite is a "×".
std::string sparkline(const std::vector<double>& numbers, std::size_t width);

}  // namespace crescendo::launch
