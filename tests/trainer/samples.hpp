#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::trainer::test {

/// Writes `count` grey images of 8 x 8 bytes, of four classes told apart by which quarter is bright, plus noise. Small
/// chunks, so that the order is shuffled. Returns the location FILE:/GROUP. `seed` tells sets apart.
std::string write_images(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                         std::uint64_t seed, std::int64_t chunk_samples = 8);

/// Writes `count` samples of float32: sample i has the inputs {i, 1, i / 2} and the targets {2i, -i}. Sample `nan_at`
/// has an input that is NaN instead.
std::string write_numbers(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                          std::int64_t nan_at = -1);

/// Writes `count` samples of float32: two waves of random height and phase as a field of 2 x 8 x 8, and as the target,
/// 8 x 8, their sum. Chunks of eight samples.
std::string write_waves(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                        std::uint64_t seed);

/// Takes the targets from a set; returns its location.
std::string without_targets(const std::string& location);

/// Gives a set the targets of another one, of the same length and in the same file; returns its location.
std::string with_targets_of(const std::string& other, const std::string& location);

/// Has the inputs of a set, made by write_images, lie in a file that is not there; returns the set's location.
std::string without_inputs(const std::string& location);

/// Settings of a cnn small enough for tests, on `train` and, unless empty, `validation`.
nlohmann::json small_cnn(const std::string& train, const std::string& validation = {});

/// The same of an autoencoder.
nlohmann::json small_autoencoder(const std::string& train, const std::string& validation = {});

}  // namespace crescendo::trainer::test
