#include "datasets/convert.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5.hpp"
#include "datasets/hdf5_types.hpp"
#include "datasets/idx.hpp"
#include "datasets/location.hpp"
#include "datasets/new_file.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

/// One of the pair: samples flow from an IDX file into a data set.
class Column {
  public:
    Column(IdxReader& source, hid_t group, const std::string& name, std::int64_t num_samples,
           std::int64_t chunk_samples, int compression)
        : source_(source), name_(name), memory_type_(hdf5::memory_type(source.type())), lengths_(1, 0) {
        lengths_.insert(lengths_.end(), source.shape().begin(), source.shape().end());
        buffer_.resize(static_cast<std::size_t>(chunk_samples) * source.sample_bytes());

        const auto space = simple_space(num_samples);
        const auto settings = creation_settings(chunk_samples, compression);
        data_set_ = hdf5::own(
            H5Dcreate2(group, name.c_str(), memory_type_.get(), space.get(), H5P_DEFAULT, settings.get(), H5P_DEFAULT),
            text("the data set {} cannot be made", name));
        file_space_ = hdf5::own(H5Dget_space(data_set_.get()), "no data space");
    }

    /// Moves the next `count` samples, at most a chunk, to [begin, begin + count) of the data set.
    void copy(std::int64_t begin, std::int64_t count) {
        source_.read(std::span(buffer_).first(static_cast<std::size_t>(count) * source_.sample_bytes()));
        const auto memory = simple_space(count);
        std::vector<hsize_t> start(lengths_.size(), 0);
        start[0] = static_cast<hsize_t>(begin);
        hdf5::check(
            H5Sselect_hyperslab(file_space_.get(), H5S_SELECT_SET, start.data(), nullptr, lengths_.data(), nullptr),
            "no selection");
        hdf5::check(
            H5Dwrite(data_set_.get(), memory_type_.get(), memory.get(), file_space_.get(), H5P_DEFAULT, buffer_.data()),
            text("{} cannot be written", name_));
    }

  private:
    /// A space of `num_samples` samples; leaves its shape in lengths_.
    hdf5::Handle simple_space(std::int64_t num_samples) {
        lengths_[0] = static_cast<hsize_t>(num_samples);
        return hdf5::own(H5Screate_simple(static_cast<int>(lengths_.size()), lengths_.data(), nullptr),
                         text("no space for {} of {} axes", name_, lengths_.size()));
    }

    hdf5::Handle creation_settings(std::int64_t chunk_samples, int compression) {
        auto settings = hdf5::own(H5Pcreate(H5P_DATASET_CREATE), "no creation properties");
        auto chunk = lengths_;
        chunk[0] = static_cast<hsize_t>(chunk_samples);
        hdf5::check(H5Pset_chunk(settings.get(), static_cast<int>(chunk.size()), chunk.data()), "no chunks");
        if (compression > 0) {
            if (size_of(source_.type()) > 1) {
                hdf5::check(H5Pset_shuffle(settings.get()), "no shuffle filter");
            }
            hdf5::check(H5Pset_deflate(settings.get(), static_cast<unsigned>(compression)), "no deflate filter");
        }
        return settings;
    }

    IdxReader& source_;
    std::string name_;
    hdf5::Handle memory_type_;
    std::vector<hsize_t> lengths_;
    std::vector<std::byte> buffer_;
    hdf5::Handle data_set_;
    hdf5::Handle file_space_;
};

/// The two files, placed at the first sample of the range.
struct Source {
    IdxReader inputs;
    IdxReader targets;
    std::int64_t num_samples = 0;

    Source(const fs::path& inputs_file, const fs::path& targets_file, const SampleRange& range)
        : inputs(inputs_file), targets(targets_file) {
        const auto total = inputs.num_samples();
        CRESCENDO_VALIDATE(total == targets.num_samples(), "", "{} holds {} samples but {} {}; they do not belong {}",
                           inputs_file.string(), total, targets_file.string(), targets.num_samples(), "together");
        const auto end = range.end.value_or(total);
        CRESCENDO_VALIDATE(range.begin >= 0 && range.begin < end && end <= total, "",
                           "samples [{}, {}) are not in {}, which holds [0, {})", range.begin, end,
                           inputs_file.string(), total);
        inputs.skip(range.begin);
        targets.skip(range.begin);
        num_samples = end - range.begin;
    }
};

std::int64_t chunk_samples_for(const Source& source, const ConvertOptions& options) {
    CRESCENDO_VALIDATE(options.compression >= 0 && options.compression <= 9, "",
                       "compression {} does not exist; 0 is none, 1 fastest, 9 smallest", options.compression);
    CRESCENDO_VALIDATE(options.chunk_samples >= 0, "", "{} samples in a chunk; use at least 1, or 0 for {}",
                       options.chunk_samples, "a good size");
    const auto bytes = source.inputs.sample_bytes();
    const auto wished = options.chunk_samples > 0 ? options.chunk_samples : samples_per_block(bytes);
    const auto chunk = std::min(wished, source.num_samples);
    const auto larger = std::max(bytes, source.targets.sample_bytes());
    CRESCENDO_VALIDATE(static_cast<std::uint64_t>(chunk) <= ((std::uint64_t{1} << 32) - 1) / larger, "",
                       "a chunk of {} samples of {} bytes is too large: HDF5's chunks are smaller than 4 GiB", chunk,
                       larger);
    return chunk;
}

void write_samples(hid_t group, Source& source, const ConvertOptions& options) {
    const auto total = source.num_samples;
    const auto chunk = chunk_samples_for(source, options);
    Column inputs(source.inputs, group, "inputs", total, chunk, options.compression);
    Column targets(source.targets, group, "targets", total, chunk, options.compression);
    for (std::int64_t done = 0; done < total;) {
        const auto count = std::min(chunk, total - done);
        inputs.copy(done, count);
        targets.copy(done, count);
        done += count;
        if (options.progress) {
            options.progress(done, total);
        }
    }
}

/// Writes the group without a link, and links it when all is on its way to the disk: until then the file's readers
/// see nothing of it, and the library drops an object without a link when it is closed.
void write_group(hid_t file, const std::string& path, Source& source, const ConvertOptions& options) {
    const bool is_root = path == "/";
    const auto group = is_root ? hdf5::own(H5Gopen2(file, "/", H5P_DEFAULT), "no root group")
                               : hdf5::own(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "no group can be made");
    write_samples(group.get(), source, options);
    hdf5::check(H5Fflush(file, H5F_SCOPE_GLOBAL), "the samples cannot be written");
    if (!is_root) {
        const auto link = hdf5::own(H5Pcreate(H5P_LINK_CREATE), "no link properties");
        hdf5::check(H5Pset_create_intermediate_group(link.get(), 1), "no intermediate groups");
        hdf5::check(H5Olink(group.get(), file, path.c_str(), link.get(), H5P_DEFAULT),
                    text("the group {} cannot be made", path));
        hdf5::check(H5Fflush(file, H5F_SCOPE_GLOBAL), text("the group {} cannot be written", path));
    }
}

void write_new_file(const Location& location, Source& source, const ConvertOptions& options) {
    NewFile target(location.file);
    {
        const auto file = hdf5::own(H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                                    text("{} cannot be made", target.temporary().string()));
        write_group(file.get(), location.group, source, options);
    }
    target.publish();
}

void add_to_file(const Location& location, Source& source, const ConvertOptions& options) {
    const auto file = hdf5::open_file(location.file, hdf5::Access::write);
    CRESCENDO_VALIDATE(!hdf5::exists(file.get(), location.group), "",
                       "{} exists already and is not overwritten; choose another group, or another file",
                       to_string(location));
    write_group(file.get(), location.group, source, options);
}

}  // namespace

std::int64_t convert_idx(const fs::path& inputs, const fs::path& targets, const std::string& location,
                         const SampleRange& range, const ConvertOptions& options) {
    const auto place = Location::parse(location);
    Source source(inputs, targets, range);
    const hdf5::Session session;
    if (fs::exists(place.file)) {
        add_to_file(place, source, options);
    } else {
        write_new_file(place, source, options);
    }
    return source.num_samples;
}

}  // namespace crescendo::datasets
