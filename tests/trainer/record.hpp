#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace crescendo::trainer::test {

/// What recording trainers wrote: of each epoch the samples of all steps of all members, sorted.
std::map<std::int64_t, std::vector<std::int64_t>> samples_by_epoch(const std::filesystem::path& folder);

/// Steps of which at least `num_members` members have noted the completion; waits until step `step` is one.
void await_step(const std::filesystem::path& folder, std::int64_t step, int num_members);

/// 0, 1, … count - 1.
std::vector<std::int64_t> each_once(std::int64_t count);

}  // namespace crescendo::trainer::test
