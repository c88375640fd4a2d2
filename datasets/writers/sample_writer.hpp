#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "datasets/field.hpp"
#include "datasets/hdf5.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Samples of a chunk in data sets of `num_samples`, of which one takes at most `sample_bytes`; 1 to `num_samples`.
/// Throws InvalidInput for options that cannot be.
std::int64_t chunk_samples_for(const WriteOptions& options, std::int64_t num_samples, std::size_t sample_bytes);

/// A new data set that is written from its first sample to its last.
class SampleWriter {
  public:
    /// What elements have that are never written. Without a value they are 0.
    struct Fill {
        hdf5::Handle type;
        std::vector<std::byte> value = {};
    };

    /// Elements are of `type` in memory as in the file; the first of the `lengths` counts samples. A chunk is made of
    /// whole samples. Throws std::runtime_error where it cannot be made.
    SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const std::vector<std::int64_t>& lengths,
                 std::int64_t chunk_samples, int compression, const Fill& fill);
    SampleWriter(hid_t group, const std::string& name, ElementType type, const std::vector<std::int64_t>& lengths,
                 std::int64_t chunk_samples, int compression);
    ~SampleWriter();
    SampleWriter(const SampleWriter&) = delete;
    SampleWriter& operator=(const SampleWriter&) = delete;

    hid_t id() const { return data_set_.get(); }

    /// Appends whole samples, chunk by chunk, and calls `poll` before each: what it throws ends the writing. But for
    /// the last, the size of every call should be a multiple of the chunk's. Throws std::runtime_error where the disk
    /// does not take them.
    void write(std::span<const std::byte> samples, const std::function<void()>& poll);

    /// Once all is written. Throws as `write` does.
    void close();

  private:
    SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const std::vector<std::int64_t>& lengths,
                 std::int64_t chunk_samples, int compression, const Fill& fill, const hdf5::Session&);
    void append(std::span<const std::byte> samples);

    std::string name_;
    hdf5::Handle type_;
    std::vector<hsize_t> lengths_;
    std::size_t sample_bytes_;
    std::size_t chunk_bytes_;
    hsize_t num_written_ = 0;
    hdf5::Handle data_set_;
    hdf5::Handle space_;
};

}  // namespace crescendo::datasets
