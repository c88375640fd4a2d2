#include "datasets/readers/library_reader.hpp"

#include <algorithm>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

/// Reads of `samples_per_read` neighbouring samples take whole chunks, which need no cache, unless chunks are larger:
/// then the next read continues in the same chunks.
hdf5::Handle access_settings(const Field& field, std::int64_t samples_per_read) {
    auto settings = hdf5::own(H5Pcreate(H5P_DATASET_ACCESS), "no data set access properties");
    const bool reads_are_parts = field.chunk_samples > samples_per_read;
    const auto bytes = reads_are_parts ? static_cast<std::size_t>(field.chunk_samples) * field.stored_row_bytes() : 0;
    hdf5::check(H5Pset_chunk_cache(settings.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, 1.0), "no chunk cache");
    return settings;
}

}  // namespace

LibraryReader::LibraryReader(hid_t file, const Field& field, const std::string& name, std::int64_t samples_per_read)
    : name_(name), memory_type_(hdf5::memory_type(field.type)) {
    if (field.part) {
        for (const auto& range : field.part->ranges) {
            sample_start_.push_back(static_cast<hsize_t>(range.begin));
            sample_shape_.push_back(static_cast<hsize_t>(range.size()));
        }
    } else {
        sample_start_.resize(field.shape.size(), 0);
        sample_shape_.assign(field.shape.begin(), field.shape.end());
    }
    const auto settings = access_settings(field, samples_per_read);
    data_set_ = hdf5::own(H5Dopen2(file, field.path.c_str(), settings.get()), text("{} cannot be opened", name));
    space_ = hdf5::own(H5Dget_space(data_set_.get()), text("{} has no data space", name));
    for (const auto& filter : hdf5::filters(data_set_.get())) {
        CRESCENDO_VALIDATE(filter.available, "", "{} is stored with the filter {}, which this HDF5 lacks; {}", name,
                           filter.name, "set HDF5_PLUGIN_PATH to the folder of its plugin, or rewrite the file");
    }
}

void LibraryReader::read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const {
    read_one_by_one(ranges, out, [this](const Range& range, std::span<std::byte> part) { read_range(range, part); });
}

void LibraryReader::read_range(const Range& range, std::span<std::byte> out) const {
    // If a data set or its source has no fill value, the library leaves memory unchanged for elements that were never
    // written: it would hold rows from an earlier read.
    std::fill(out.begin(), out.end(), std::byte{0});
    const hdf5::Session session;
    std::vector<hsize_t> start{static_cast<hsize_t>(range.begin)};
    start.insert(start.end(), sample_start_.begin(), sample_start_.end());
    std::vector<hsize_t> lengths{static_cast<hsize_t>(range.size())};
    lengths.insert(lengths.end(), sample_shape_.begin(), sample_shape_.end());
    // HDF5 copies element by element unless both selections have the same rank.
    const hdf5::Handle memory{H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr)};
    if (memory.get() < 0 ||
        H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr, lengths.data(), nullptr) < 0 ||
        H5Dread(data_set_.get(), memory_type_.get(), memory.get(), space_.get(), H5P_DEFAULT, out.data()) < 0) {
        hdf5::fail(text("{}: samples {} to {} cannot be read", name_, range.begin, range.end - 1));
    }
}

}  // namespace crescendo::datasets
