#include "datasets/sample_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/file_version.hpp"
#include "datasets/hdf5.hpp"
#include "datasets/hdf5_types.hpp"
#include "datasets/location.hpp"
#include "datasets/sample_reader.hpp"

namespace crescendo::datasets {
namespace {

/// Throws InvalidInput unless `data_set` is made of samples that can be read.
Field field_of(hid_t data_set, const std::string& path, const std::string& name) {
    const auto type = hdf5::own(H5Dget_type(data_set), text("{} has no type", name));
    const auto element = hdf5::element_type(type.get());
    CRESCENDO_VALIDATE(element.has_value(), "", "{} is of type {}; samples are integers of 8 to 64 bits or {}", name,
                       hdf5::type_name(type.get()), "floats of 16 to 64 bits: convert it");

    const auto extent = hdf5::extent(data_set);
    CRESCENDO_VALIDATE(!extent.empty(), "", "{} is a scalar; its first axis must count the samples", name);
    CRESCENDO_VALIDATE(extent[0] > 0, "", "{} holds no samples", name);
    std::int64_t bytes = static_cast<std::int64_t>(size_of(*element));
    const bool fits = std::none_of(extent.begin(), extent.end(), [&](std::int64_t length) {
        return length < 0 || __builtin_mul_overflow(bytes, length, &bytes) || bytes > std::int64_t{1} << 60;
    });
    CRESCENDO_VALIDATE(fits, "", "{} says to hold more than 2^60 bytes: the file is damaged", name);
    CRESCENDO_VALIDATE(bytes > 0, "", "{} has samples without elements: one of its axes has length 0", name);

    const auto chunk = hdf5::chunk_shape(data_set);
    return {.path = path,
            .type = *element,
            .num_samples = extent[0],
            .shape = {extent.begin() + 1, extent.end()},
            .chunk_samples = chunk.empty() ? 0 : chunk[0]};
}

/// One data set of the group.
class Column {
  public:
    Column(hid_t file, const std::string& path, const std::string& file_name) : name_(file_name + ":" + path) {
        const auto data_set = hdf5::open_data_set(file, path, file_name);
        field_ = field_of(data_set.get(), path, name_);
    }

    const std::string& name() const { return name_; }
    const Field& field() const { return field_; }
    const SampleReader& reader() const { return *reader_; }

    /// From now on reads are of `samples` neighbours.
    void expect_reads_of(std::int64_t samples, hid_t file, Routes allowed) {
        reader_ = make_reader(file, field_, name_, samples, allowed);
    }

  private:
    std::string name_;
    Field field_;
    std::unique_ptr<SampleReader> reader_;
};

/// Blocks of a set: an epoch's order has a number for each, so that memory does not grow with the file.
constexpr std::int64_t most_blocks = std::int64_t{1} << 22;

/// Samples that make whole chunks, or about 256 KiB where there are none, and at most `most_blocks` such blocks.
std::int64_t block_samples(const Field& inputs) {
    const auto stored_together =
        inputs.chunk_samples > 0 ? inputs.chunk_samples : samples_per_block(inputs.sample_bytes());
    const auto num_blocks = (inputs.num_samples - 1) / stored_together + 1;
    const auto joined = (num_blocks - 1) / most_blocks + 1;
    return std::min(stored_together * joined, inputs.num_samples);
}

}  // namespace

class SampleSet::Impl {
  public:
    Impl(const std::string& text, Routes routes) : location_(text) {
        const auto location = Location::parse(text);
        const auto file_name = location.file.string();
        file_ = hdf5::open_file(location.file, hdf5::Access::read);
        version_.emplace(hdf5::descriptor(file_.get()));
        hdf5::open_group(file_.get(), location.group, file_name);
        inputs_.emplace(file_.get(), location.member("inputs"), file_name);
        const auto& inputs = inputs_->field();
        chunk_samples_ = block_samples(inputs);
        inputs_->expect_reads_of(chunk_samples_, file_.get(), routes);
        const auto path_of_targets = location.member("targets");
        if (!hdf5::exists(file_.get(), path_of_targets)) {
            no_targets_ = {.path = path_of_targets, .num_samples = inputs.num_samples, .shape = {0}};
            return;
        }
        targets_.emplace(file_.get(), path_of_targets, file_name);
        const auto& targets = targets_->field();
        CRESCENDO_VALIDATE(inputs.num_samples == targets.num_samples, "",
                           "{} holds {} samples but {} {}; every input needs its target", inputs_->name(),
                           inputs.num_samples, targets_->name(), targets.num_samples);
        targets_->expect_reads_of(chunk_samples_, file_.get(), routes);
    }

    ~Impl() {
        const hdf5::Session session;
        targets_.reset();
        inputs_.reset();
        file_.reset();
    }

    const std::string& location() const { return location_; }
    const Field& inputs() const { return inputs_->field(); }
    const Field& targets() const { return targets_ ? targets_->field() : no_targets_; }
    std::int64_t chunk_samples() const { return chunk_samples_; }

    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs, std::span<std::byte> targets) const {
        inputs_->reader().read(begin, count, inputs);
        if (targets_) {
            targets_->reader().read(begin, count, targets);
        }
        version_->expect_unchanged(location_);
    }

  private:
    std::string location_;
    hdf5::Handle file_;
    std::optional<FileVersion> version_;
    std::optional<Column> inputs_;
    std::optional<Column> targets_;
    Field no_targets_;  ///< shown where targets_ is empty
    std::int64_t chunk_samples_ = 0;
};

std::shared_ptr<SampleSet> SampleSet::open(const std::string& location, Routes routes) {
    const hdf5::Session session;
    return std::shared_ptr<SampleSet>(new SampleSet(std::make_unique<Impl>(location, routes)));
}

SampleSet::SampleSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SampleSet::~SampleSet() = default;

const std::string& SampleSet::location() const { return impl_->location(); }
std::int64_t SampleSet::size() const { return inputs().num_samples; }
const Field& SampleSet::inputs() const { return impl_->inputs(); }
const Field& SampleSet::targets() const { return impl_->targets(); }
std::int64_t SampleSet::chunk_samples() const { return impl_->chunk_samples(); }

void SampleSet::read(std::int64_t begin, std::int64_t count, std::span<std::byte> inputs,
                     std::span<std::byte> targets) const {
    CRESCENDO_EXPECT(begin >= 0 && count >= 1 && count <= size() - begin);
    CRESCENDO_EXPECT(inputs.size() == static_cast<std::size_t>(count) * this->inputs().sample_bytes());
    CRESCENDO_EXPECT(targets.size() == static_cast<std::size_t>(count) * this->targets().sample_bytes());
    impl_->read(begin, count, inputs, targets);
}

}  // namespace crescendo::datasets
