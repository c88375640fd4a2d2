#include "datasets/readers/sample_reader.hpp"

#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/byte_order.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/readers/chunked_reader.hpp"
#include "datasets/readers/contiguous_reader.hpp"
#include "datasets/readers/library_reader.hpp"

namespace crescendo::datasets {
namespace {

/// Swaps the bytes of elements after reading, if the file has the other byte order.
class ByteSwappingReader : public SampleReader {
  public:
    ByteSwappingReader(std::unique_ptr<SampleReader> stored, std::size_t element_bytes)
        : stored_(std::move(stored)), element_bytes_(element_bytes) {}

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override {
        stored_->read_ranges(ranges, out);
        reverse_elements(out, element_bytes_);
    }

    void announce_ranges(std::span<const Range> ranges) const override { stored_->announce_ranges(ranges); }

  private:
    std::unique_ptr<SampleReader> stored_;
    std::size_t element_bytes_;
};

std::unique_ptr<SampleReader> direct_reader(hid_t data_set, Field& field, const std::string& name,
                                            std::shared_ptr<DecodeMemory> memory) {
    const hdf5::Handle settings = hdf5::own(H5Dget_create_plist(data_set), text("{} has no properties", name));
    std::unique_ptr<SampleReader> reader;
    if (H5Pget_layout(settings.get()) == H5D_CHUNKED) {
        field.route = Route::chunks;
        reader = ChunkedReader::make(data_set, field, name, std::move(memory));
    } else {
        field.route = Route::pread;
        reader = ContiguousReader::make(data_set, field, name);
    }
    return reader;
}

/// Turns off the library's chunk cache. Whole chunks are read once, and the library would report a cached chunk as a
/// stored one.
hdf5::Handle open_without_cache(hid_t file, const std::string& path, const std::string& name) {
    const auto settings = hdf5::own(H5Pcreate(H5P_DATASET_ACCESS), "no data set access properties");
    hdf5::check(H5Pset_chunk_cache(settings.get(), 1, 0, 1.0), "no chunk cache");
    return hdf5::own(H5Dopen2(file, path.c_str(), settings.get()), text("{} cannot be opened", name));
}

/// What turns stored elements into those in memory.
enum class StoredOrder { native, swapped, other };

StoredOrder stored_order(hid_t data_set, ElementType element, const std::string& name) {
    const auto stored = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto number = hdf5::number_type(stored.get());
    auto memory = hdf5::memory_type(element);
    if (H5Tequal(number.get(), memory.get()) > 0) {
        return StoredOrder::native;
    }
    const auto other = H5Tget_order(memory.get()) == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
    hdf5::check(H5Tset_order(memory.get(), other), "no byte order");
    return H5Tequal(number.get(), memory.get()) > 0 ? StoredOrder::swapped : StoredOrder::other;
}

}  // namespace

void read_one_by_one(std::span<const Range> ranges, std::span<std::byte> out,
                     const std::function<void(const Range& range, std::span<std::byte> out)>& read) {
    std::int64_t total = 0;
    for (const auto& range : ranges) {
        total += range.size();
    }
    const auto sample_bytes = total == 0 ? 0 : out.size() / static_cast<std::size_t>(total);
    for (const auto& range : ranges) {
        const auto bytes = static_cast<std::size_t>(range.size()) * sample_bytes;
        read(range, out.first(bytes));
        out = out.subspan(bytes);
    }
}

std::unique_ptr<SampleReader> make_reader(hid_t file, Field& field, const std::string& name,
                                          std::int64_t samples_per_read, Routes allowed,
                                          std::shared_ptr<DecodeMemory> memory) {
    if (allowed == Routes::fastest) {
        const auto data_set = open_without_cache(file, field.path, name);
        const auto order = stored_order(data_set.get(), field.type, name);
        auto reader =
            order == StoredOrder::other ? nullptr : direct_reader(data_set.get(), field, name, std::move(memory));
        if (reader && order == StoredOrder::swapped) {
            reader = std::make_unique<ByteSwappingReader>(std::move(reader), size_of(field.type));
        }
        if (reader) {
            return reader;
        }
    }
    field.route = Route::library;
    return std::make_unique<LibraryReader>(file, field, name, samples_per_read);
}

}  // namespace crescendo::datasets
