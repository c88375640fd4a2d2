#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace crescendo::trainer::test {

/// The samples of each epoch that recording trainers noted, over all steps and members, sorted.
std::map<std::int64_t, std::vector<std::int64_t>> samples_by_epoch(const std::filesystem::path& folder);

/// Waits until at least `num_members` members have noted the completion of `step`.
void await_step(const std::filesystem::path& folder, std::int64_t step, int num_members);

/// 0, 1, … count - 1.
std::vector<std::int64_t> each_once(std::int64_t count);

}  // namespace crescendo::trainer::test
