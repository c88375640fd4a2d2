#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::trainer::test {

/// Writes `count` grey images of 8 x 8 bytes in four classes, one for each quarter that may be bright, plus noise. The
/// chunks are small, so that the order is shuffled. Returns the location FILE:/GROUP. Sets with different seeds differ.
std::string write_images(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                         std::uint64_t seed, std::int64_t chunk_samples = 8);

/// Writes `count` samples of float32: sample i has the inputs {i, 1, i / 2} and the targets {2i, -i}. Sample `nan_at`
/// has an input that is NaN instead.
std::string write_numbers(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                          std::int64_t nan_at = -1);

/// Writes `count` samples of float32. The inputs are two waves of random height and phase as a field of 2 x 8 x 8; the
/// target is their sum, 8 x 8. Chunks have eight samples.
std::string write_waves(const std::filesystem::path& file, const std::string& group, std::int64_t count,
                        std::uint64_t seed);

/// Removes the targets of a set; returns its location.
std::string without_targets(const std::string& location);

/// Gives a set the targets of another one, of the same length and in the same file; returns its location.
std::string with_targets_of(const std::string& other, const std::string& location);

/// Moves the inputs of a set that write_images made to a file that does not exist; returns the set's location.
std::string without_inputs(const std::string& location);

/// Settings for a cnn small enough for tests, on `train` and, unless empty, `validation`.
nlohmann::json small_cnn(const std::string& train, const std::string& validation = {});

/// The same for an autoencoder.
nlohmann::json small_autoencoder(const std::string& train, const std::string& validation = {});

}  // namespace crescendo::trainer::test
