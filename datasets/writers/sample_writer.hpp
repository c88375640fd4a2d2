#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// Number of samples per chunk, 1 to `num_samples`, for data sets of `num_samples` samples of at most `sample_bytes`
/// bytes each. Throws InvalidInput if the options are invalid.
std::int64_t chunk_samples_for(const WriteOptions& options, std::int64_t num_samples, std::size_t sample_bytes);

/// A new data set, written from its first sample to its last.
class SampleWriter {
  public:
    /// The value of elements that are never written. Without a value they are 0.
    struct Fill {
        hdf5::Handle type;
        std::vector<std::byte> value = {};
    };

    /// Layout of a data set in the file. Its references must stay valid during the constructor call.
    struct Layout {
        std::int64_t num_samples = 0;
        const std::vector<std::int64_t>& sample_shape;
        std::int64_t chunk_samples = 0;
        const WriteOptions& options;
    };

    /// Makes the data set `name` in `group`. Elements have `type` in memory and in the file. Throws std::runtime_error
    /// if the data set cannot be made.
    SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const Layout& layout, const Fill& fill);
    SampleWriter(hid_t group, const std::string& name, ElementType type, const Layout& layout);
    ~SampleWriter();
    SampleWriter(const SampleWriter&) = delete;
    SampleWriter& operator=(const SampleWriter&) = delete;

    hid_t id() const { return data_set_.get(); }

    /// Appends whole samples, chunk by chunk. Calls WriteOptions::poll before each chunk. The size of every call except
    /// the last should be a multiple of the chunk size. Throws std::runtime_error if the disk does not take the
    /// samples.
    void write(std::span<const std::byte> samples);

    /// Closes the data set after the last write(). Throws as write() does.
    void close();

  private:
    SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const Layout& layout, const Fill& fill,
                 const hdf5::Session&);
    void append(std::span<const std::byte> samples);

    std::string name_;
    std::function<void()> poll_;
    hdf5::Handle type_;
    std::vector<hsize_t> lengths_;
    std::size_t sample_bytes_;
    std::size_t chunk_bytes_;
    hsize_t num_written_ = 0;
    hdf5::Handle data_set_;
    hdf5::Handle space_;
};

}  // namespace crescendo::datasets
