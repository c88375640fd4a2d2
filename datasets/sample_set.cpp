#include "datasets/sample_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5.hpp"
#include "datasets/hdf5_types.hpp"
#include "datasets/location.hpp"

namespace crescendo::datasets {
namespace {

/// Throws InvalidInput unless `data_set` is made of samples that can be read.
Field field_of(hid_t data_set, const std::string& path, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    CRESCENDO_VALIDATE(element.has_value(), "", "{} is of type {}; samples are integers of 8 to 64 bits or {}", name,
                       hdf5::type_name(type.get()), "IEEE floats of 16 to 64 bits: convert it");

    const auto extent = hdf5::extent(data_set);
    CRESCENDO_VALIDATE(!extent.empty(), "", "{} is a scalar; its first axis must count the samples", name);
    CRESCENDO_VALIDATE(extent[0] > 0, "", "{} holds no samples", name);
    std::int64_t bytes = static_cast<std::int64_t>(size_of(*element));
    const bool fits = std::none_of(extent.begin(), extent.end(), [&](std::int64_t length) {
        return length < 0 || __builtin_mul_overflow(bytes, length, &bytes) || bytes > std::int64_t{1} << 60;
    });
    CRESCENDO_VALIDATE(fits, "", "{} says to hold more than 2^60 bytes: the file is damaged", name);
    CRESCENDO_VALIDATE(bytes > 0, "", "{} has samples without elements: one of its axes has length 0", name);

    for (const auto& filter : hdf5::filters(data_set)) {
        CRESCENDO_VALIDATE(filter.available, "", "{} is stored with the filter {}, which this HDF5 lacks; {}", name,
                           filter.name, "set HDF5_PLUGIN_PATH to the folder of its plugin, or rewrite the file");
    }
    const auto chunk = hdf5::chunk_shape(data_set);
    return {path, *element, extent[0], {extent.begin() + 1, extent.end()}, chunk.empty() ? 0 : chunk[0]};
}

/// Reads of `samples_per_read` neighbours take whole chunks, which need no cache, unless the chunks hold more: then
/// the next read goes on in the same one.
hdf5::Handle cache_for(const Field& field, std::int64_t samples_per_read) {
    auto settings = hdf5::own(H5Pcreate(H5P_DATASET_ACCESS), "no data set access properties");
    const bool reads_are_parts = field.chunk_samples > samples_per_read;
    const auto bytes = reads_are_parts ? static_cast<std::size_t>(field.chunk_samples) * field.sample_bytes() : 0;
    hdf5::check(H5Pset_chunk_cache(settings.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, 1.0), "no chunk cache");
    return settings;
}

/// One data set of the pair and what every read of it needs.
class Column {
  public:
    Column(hid_t file, const std::string& path, const std::string& file_name)
        : name_(file_name + ":" + path),
          data_set_(hdf5::open_data_set(file, path, file_name)),
          field_(field_of(data_set_.get(), path, name_)),
          memory_type_(hdf5::memory_type(field_.type)) {}

    const std::string& name() const { return name_; }
    const Field& field() const { return field_; }

    /// From now on reads are of `samples` neighbours.
    void expect_reads_of(std::int64_t samples, hid_t file) {
        const auto settings = cache_for(field_, samples);
        data_set_.reset();  // a second opening of an open data set would get the first one's cache
        data_set_ = hdf5::own(H5Dopen2(file, field_.path.c_str(), settings.get()), text("{} cannot be opened", name_));
        space_ = hdf5::own(H5Dget_space(data_set_.get()), text("{} has no data space", name_));
    }

    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const {
        CRESCENDO_EXPECT(out.size() == static_cast<std::size_t>(count) * field_.sample_bytes());
        std::vector<hsize_t> start(1 + field_.shape.size(), 0);
        start[0] = static_cast<hsize_t>(begin);
        std::vector<hsize_t> lengths{static_cast<hsize_t>(count)};
        lengths.insert(lengths.end(), field_.shape.begin(), field_.shape.end());
        // HDF5 copies element by element unless both selections have the same rank.
        const hdf5::Handle memory{H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr)};
        if (memory.get() < 0 ||
            H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr, lengths.data(), nullptr) < 0 ||
            H5Dread(data_set_.get(), memory_type_.get(), memory.get(), space_.get(), H5P_DEFAULT, out.data()) < 0) {
            hdf5::fail(text("{}: samples {} to {} cannot be read", name_, begin, begin + count - 1));
        }
    }

  private:
    std::string name_;
    hdf5::Handle data_set_;
    Field field_;
    hdf5::Handle memory_type_;
    hdf5::Handle space_;  ///< its selection changes with every read, under the session's lock
};

}  // namespace

class SampleSet::Impl {
  public:
    explicit Impl(const std::string& text) : location_(text) {
        const auto location = Location::parse(text);
        const auto file_name = location.file.string();
        file_ = hdf5::open_file(location.file, hdf5::Access::read);
        hdf5::open_group(file_.get(), location.group, file_name);
        inputs_.emplace(file_.get(), location.member("inputs"), file_name);
        targets_.emplace(file_.get(), location.member("targets"), file_name);

        const auto& inputs = inputs_->field();
        const auto& targets = targets_->field();
        CRESCENDO_VALIDATE(inputs.num_samples == targets.num_samples, "",
                           "{} holds {} samples but {} {}; every input needs its target", inputs_->name(),
                           inputs.num_samples, targets_->name(), targets.num_samples);
        const auto stored_together =
            inputs.chunk_samples > 0 ? inputs.chunk_samples : samples_per_block(inputs.sample_bytes());
        chunk_samples_ = std::min(stored_together, inputs.num_samples);
        inputs_->expect_reads_of(chunk_samples_, file_.get());
        targets_->expect_reads_of(chunk_samples_, file_.get());
    }

    ~Impl() {
        const hdf5::Session session;
        targets_.reset();
        inputs_.reset();
        file_.reset();
    }

    const std::string& location() const { return location_; }
    const Column& inputs() const { return *inputs_; }
    const Column& targets() const { return *targets_; }
    std::int64_t chunk_samples() const { return chunk_samples_; }

  private:
    std::string location_;
    hdf5::Handle file_;
    std::optional<Column> inputs_;
    std::optional<Column> targets_;
    std::int64_t chunk_samples_ = 0;
};

std::shared_ptr<SampleSet> SampleSet::open(const std::string& location) {
    const hdf5::Session session;
    return std::shared_ptr<SampleSet>(new SampleSet(std::make_unique<Impl>(location)));
}

SampleSet::SampleSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SampleSet::~SampleSet() = default;

const std::string& SampleSet::location() const { return impl_->location(); }
std::int64_t SampleSet::size() const { return inputs().num_samples; }
const Field& SampleSet::inputs() const { return impl_->inputs().field(); }
const Field& SampleSet::targets() const { return impl_->targets().field(); }
std::int64_t SampleSet::chunk_samples() const { return impl_->chunk_samples(); }

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs,
                     std::span<std::byte> targets) const {
    CRESCENDO_EXPECT(begin >= 0 && count >= 1 && count <= size() - begin);
    const hdf5::Session session;
    impl_->inputs().read(begin, count, inputs);
    impl_->targets().read(begin, count, targets);
}

}  // namespace crescendo::datasets
