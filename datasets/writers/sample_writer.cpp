#include "datasets/writers/sample_writer.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

hdf5::Handle memory_type(ElementType type) {
    const hdf5::Session session;
    return hdf5::memory_type(type);
}

hdf5::Handle simple_space(const std::vector<hsize_t>& lengths) {
    return hdf5::own(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr),
                     text("no space of {} axes", lengths.size()));
}

hdf5::Handle creation_settings(const std::vector<hsize_t>& chunk, const SampleWriter::Fill& fill,
                               std::size_t element_bytes, int compression) {
    auto settings = hdf5::own(H5Pcreate(H5P_DATASET_CREATE), "no creation properties");
    if (!fill.value.empty()) {
        hdf5::check(H5Pset_fill_value(settings.get(), fill.type.get(), fill.value.data()), "no fill value");
    }
    hdf5::check(H5Pset_chunk(settings.get(), static_cast<int>(chunk.size()), chunk.data()), "no chunks");
    if (compression > 0) {
        if (element_bytes > 1) {
            hdf5::check(H5Pset_shuffle(settings.get()), "no shuffle filter");
        }
        hdf5::check(H5Pset_deflate(settings.get(), static_cast<unsigned>(compression)), "no deflate filter");
    }
    return settings;
}

}  // namespace

std::int64_t chunk_samples_for(const WriteOptions& options, std::int64_t num_samples, std::size_t sample_bytes) {
    CRESCENDO_VALIDATE(options.compression >= 0 && options.compression <= 9, "",
                       "compression {} does not exist; 0 is none, 1 fastest, 9 smallest", options.compression);
    CRESCENDO_VALIDATE(options.chunk_samples >= 0, "", "{} samples in a chunk; use at least 1, or 0 for {}",
                       options.chunk_samples, "a good size");
    const auto aligned = options.alignment / static_cast<std::int64_t>(sample_bytes);
    const auto wished =
        options.chunk_samples > 0 ? options.chunk_samples : std::max(samples_per_block(sample_bytes), aligned);
    const auto chunk = std::min(wished, num_samples);
    CRESCENDO_VALIDATE(static_cast<std::uint64_t>(chunk) <= ((std::uint64_t{1} << 32) - 1) / sample_bytes, "",
                       "a chunk of {} samples of {} bytes is too large: HDF5 chunks must be smaller than 4 GiB", chunk,
                       sample_bytes);
    return chunk;
}

SampleWriter::SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const Layout& layout,
                           const Fill& fill)
    : SampleWriter(group, name, std::move(type), layout, fill, hdf5::Session()) {}

SampleWriter::SampleWriter(hid_t group, const std::string& name, hdf5::Handle type, const Layout& layout,
                           const Fill& fill, const hdf5::Session&)
    : name_(name),
      poll_(layout.options.poll),
      type_(std::move(type)),
      lengths_{static_cast<hsize_t>(layout.num_samples)} {
    const auto element_bytes = H5Tget_size(type_.get());
    sample_bytes_ = element_bytes;
    for (const auto length : layout.sample_shape) {
        lengths_.push_back(static_cast<hsize_t>(length));
        sample_bytes_ *= lengths_.back();
    }
    chunk_bytes_ = static_cast<std::size_t>(layout.chunk_samples) * sample_bytes_;
    auto chunk = lengths_;
    chunk[0] = static_cast<hsize_t>(layout.chunk_samples);
    const auto settings = creation_settings(chunk, fill, element_bytes, layout.options.compression);
    // Each chunk is written once, in full: a cache would only copy it.
    const auto access = hdf5::own(H5Pcreate(H5P_DATASET_ACCESS), "no data set access properties");
    hdf5::check(H5Pset_chunk_cache(access.get(), 1, 0, 1.0), "no chunk cache");
    space_ = simple_space(lengths_);
    const auto link = hdf5::own(H5Pcreate(H5P_LINK_CREATE), "no properties of a link");
    hdf5::check(H5Pset_create_intermediate_group(link.get(), 1), "no groups on the way");
    data_set_ =
        hdf5::own(H5Dcreate2(group, name.c_str(), type_.get(), space_.get(), link.get(), settings.get(), access.get()),
                  text("the data set {} cannot be created", name));
}

SampleWriter::SampleWriter(hid_t group, const std::string& name, ElementType type, const Layout& layout)
    : SampleWriter(group, name, memory_type(type), layout, {}) {}

SampleWriter::~SampleWriter() {
    const hdf5::Session session;
    space_.reset();
    data_set_.reset();
    type_.reset();
}

void SampleWriter::write(std::span<const std::byte> samples) {
    while (!samples.empty()) {
        poll_();
        const auto chunk = samples.first(std::min(chunk_bytes_, samples.size()));
        append(chunk);
        samples = samples.subspan(chunk.size());
    }
}

void SampleWriter::append(std::span<const std::byte> samples) {
    const hdf5::Session session;
    auto count = lengths_;
    count[0] = samples.size() / sample_bytes_;
    CRESCENDO_EXPECT(samples.size() % sample_bytes_ == 0 && num_written_ + count[0] <= lengths_[0]);
    const auto memory = simple_space(count);
    std::vector<hsize_t> start(lengths_.size(), 0);
    start[0] = num_written_;
    hdf5::check(H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                "no selection");
    hdf5::check(H5Dwrite(data_set_.get(), type_.get(), memory.get(), space_.get(), H5P_DEFAULT, samples.data()),
                text("{} cannot be written", name_));
    num_written_ += count[0];
}

void SampleWriter::close() {
    const hdf5::Session session;
    data_set_.close(text("{} cannot be written", name_));
}

}  // namespace crescendo::datasets
