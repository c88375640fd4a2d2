#include "datasets/writers/convert.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/writers/new_group.hpp"
#include "datasets/writers/sample_writer.hpp"

namespace crescendo::datasets {
namespace {

/// A data set, and a chunk of it in memory.
class Column {
  public:
    Column(hid_t group, const char* name, const SampleFormat& format, std::int64_t num_samples,
           std::int64_t chunk_samples, const WriteOptions& options)
        : sample_bytes_(format.bytes()),
          chunk_(static_cast<std::size_t>(chunk_samples) * sample_bytes_),
          writer_(group, name, type_of(format), {num_samples, format.shape, chunk_samples, options}, {}) {}

    std::span<std::byte> next(std::int64_t count) {
        return std::span(chunk_).first(static_cast<std::size_t>(count) * sample_bytes_);
    }
    SampleWriter& writer() { return writer_; }

  private:
    static hdf5::Handle type_of(const SampleFormat& format) {
        const hdf5::Session session;
        return format.is_boolean ? hdf5::boolean_type() : hdf5::memory_type(format.type);
    }

    std::size_t sample_bytes_;
    std::vector<std::byte> chunk_;
    SampleWriter writer_;
};

void write_class_names(hid_t data_set, const std::vector<std::string>& names) {
    const hdf5::Session session;
    hdf5::write_texts(data_set, class_names_attribute, names,
                      "the class names cannot be stored: an HDF5 attribute holds 64 KiB; use fewer or shorter names");
}

void write_samples(hid_t group, SetSource& source, std::int64_t total, const WriteOptions& options) {
    const auto* targets_format = source.targets();
    const auto largest = std::max(source.inputs().bytes(), targets_format ? targets_format->bytes() : 0);
    const auto chunk = chunk_samples_for(options, total, largest);
    Column inputs(group, "inputs", source.inputs(), total, chunk, options);
    std::optional<Column> targets;
    if (targets_format) {
        targets.emplace(group, "targets", *targets_format, total, chunk, options);
    }
    if (const auto names = source.class_names(); !names.empty()) {
        write_class_names(targets->writer().id(), names);
    }
    for (std::int64_t done = 0; done < total;) {
        const auto count = std::min(chunk, total - done);
        source.read(inputs.next(count), targets ? targets->next(count) : std::span<std::byte>());
        inputs.writer().write(inputs.next(count));
        if (targets) {
            targets->writer().write(targets->next(count));
        }
        done += count;
        options.progress(done, total);
    }
    inputs.writer().close();
    if (targets) {
        targets->writer().close();
    }
}

}  // namespace

std::int64_t enter_range(SetSource& source, const SampleRange& range) {
    const auto total = source.num_samples();
    const auto end = range.end.value_or(total);
    CRESCENDO_VALIDATE(total > 0, "", "{} holds no samples", source.name());
    CRESCENDO_VALIDATE(range.begin >= 0 && range.begin < end && end <= total, "",
                       "samples [{}, {}) are not in {}, which holds [0, {})", range.begin, end, source.name(), total);
    if (range.begin > 0) {
        source.skip(range.begin);
    }
    return end - range.begin;
}

void convert(SetSource& source, std::int64_t num_samples, const std::string& location, const WriteOptions& options) {
    NewGroup group(Location::parse(location), options.alignment);
    write_samples(group.id(), source, num_samples, options);
    group.publish();
}

}  // namespace crescendo::datasets
