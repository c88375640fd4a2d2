#pragma once

#include <doctest/doctest.h>
#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"

/// Small files for the tests of datasets/.
namespace crescendo::tests {

void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
std::vector<std::byte> read_bytes(const std::filesystem::path& file);
std::vector<std::byte> gzip(std::span<const std::byte> bytes);

/// The bytes of an IDX file with this element type code. `elements` are stored as they are.
std::vector<std::byte> idx_bytes(int type_code, const std::vector<std::uint32_t>& shape,
                                 std::span<const std::byte> elements);

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

/// How the C API is to store a data set.
struct Layout {
    hid_t file_type = H5I_INVALID_HID;  ///< the memory type if not given
    std::vector<hsize_t> chunk = {};    ///< contiguous if empty
    bool deflate = false;
    std::vector<H5Z_filter_t> filters = {};  ///< filters without parameters, deflate or szip
    std::function<void(hid_t creation)> settle = [](hid_t) {};  ///< sets more properties
};

/// A file being written with HDF5's C API.
class Hdf5Writer {
  public:
    /// `latest`: the format of HDF5 1.10, which stores more than eight attributes of an object separately ("densely").
    explicit Hdf5Writer(const std::filesystem::path& file, bool latest = false);
    ~Hdf5Writer();
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    /// Adds to a file that exists.
    static Hdf5Writer reopened(const std::filesystem::path& file);

    hid_t id() const { return file_; }

    /// Gives the data set at `path` an attribute with these numbers.
    void attribute(const std::string& path, const char* name, hid_t memory_type, std::span<const std::byte> values);
    template <class T>
    void attribute(const std::string& path, const char* name, hid_t memory_type, const std::vector<T>& values) {
        attribute(path, name, memory_type, std::as_bytes(std::span(values)));
    }

    /// Creates the groups of `path`. If `values` is null, no elements are written.
    void add(const std::string& path, const std::vector<hsize_t>& shape, hid_t memory_type, const void* values,
             const Layout& layout = {});

    template <class T>
    void add(const std::string& path, const std::vector<hsize_t>& shape, hid_t memory_type,
             const std::vector<T>& values, const Layout& layout = {}) {
        add(path, shape, memory_type, static_cast<const void*>(values.data()), layout);
    }

  private:
    explicit Hdf5Writer(hid_t file);

    hid_t file_;
};

/// Writes FILE:/inputs, a virtual data set of 6 x 2 float32. Its upper half is /piece of part-0.hdf in the same folder,
/// all 1; its lower half is /piece of part-1.hdf, all 2. Also writes /targets, 0 to 5. Returns the location of the set.
std::string write_virtual_set(const std::filesystem::path& file);

/// Writes FILE:/inputs, a virtual data set of all int16 in the numbered `source_file` and `data_set`, two in each.
/// Returns the location of the set.
std::string write_numbered_set(const std::filesystem::path& file, const char* source_file, const char* data_set);

/// Writes FILE:/inputs, int16 with two features that CF attributes pack: x means 10 + x / 2, -9999 means missing, and 0
/// to 5 are valid. The rows are {1, 2}, {-9999, 4}, {5, 6}. Also writes /targets, uint8: 0, 1, 0. Returns the location
/// of the set.
std::string write_packed_set(const std::filesystem::path& file);

/// Writes three files whose attributes pack /inputs by different factors: contiguous, in chunks, and compressed. Each
/// file has five rows of two int16. Row i of file f means {100·f + i, 100·f + i + 0.5}; the last number of each file
/// but the first is missing. /targets, float32, are 0 to 4. Returns the location of all three.
std::string write_differently_packed_files(const std::filesystem::path& folder);

/// Gives the data set at `path` of a file the attribute `classes` with these names.
void name_classes(const std::filesystem::path& file, const std::string& path, const std::vector<std::string>& names);

/// Writes FILE:/names, two variable-length strings with twelve attributes of the same type, as in netCDF-4 files.
void write_names(const std::filesystem::path& file);

/// Writes the set FILE:/train whose sample i has the inputs {10·i, 10·i + 1, 10·i + 2} (int32) and the target
/// i (uint16): 14 bytes. It is contiguous if `chunk_samples` is 0. i counts from `first`.
std::string write_counting_set(const std::filesystem::path& file, std::int64_t num_samples, hsize_t chunk_samples,
                               bool deflate = false, std::int64_t first = 0);

/// Writes a counting set in several files, FOLDER/part-000.h5 and so on; file i has `num_samples[i]` samples. The files
/// are contiguous, in chunks, or compressed, in turn. Returns the location of all of them.
std::string write_counting_files(const std::filesystem::path& folder, const std::vector<std::int64_t>& num_samples,
                                 hsize_t chunk_samples);

/// Whether these are the bytes of the samples numbered `samples` of a counting set.
bool are_counting_samples(std::span<const std::int64_t> samples, std::span<const std::byte> inputs,
                          std::span<const std::byte> targets);

/// Whether samples [begin, begin + count) of a set are read as the same samples of a counting set.
bool reads_counting_samples(const datasets::SampleSet& set, std::int64_t begin, std::int64_t count);

/// All of a set, read in one go.
struct Content {
    std::vector<std::byte> inputs;
    std::vector<std::byte> targets;
};
Content read_all(const datasets::SampleSet& set);

/// The message of the InvalidInput or DamagedFile that `function` throws; empty if it throws neither.
doctest::String complaint_of(const std::function<void()>& function);
/// The same for opening a set.
doctest::String complaint_about(const std::string& location);

}  // namespace crescendo::tests
