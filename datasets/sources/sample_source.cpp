#include "datasets/sources/sample_source.hpp"

#include <functional>
#include <numeric>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Inputs from one source and targets, if any, from another.
class SetOfSources : public SetSource {
  public:
    SetOfSources(std::unique_ptr<SampleSource> inputs, std::unique_ptr<SampleSource> targets)
        : inputs_(std::move(inputs)), targets_(std::move(targets)) {
        CRESCENDO_VALIDATE(!targets_ || inputs_->num_samples() == targets_->num_samples(), "",
                           "{} holds {} samples but {} holds {}; they do not belong together", inputs_->name(),
                           inputs_->num_samples(), targets_->name(), targets_->num_samples());
    }

    const std::string& name() const override { return inputs_->name(); }
    std::int64_t num_samples() const override { return inputs_->num_samples(); }
    const SampleFormat& inputs() const override { return inputs_->format(); }
    const SampleFormat* targets() const override { return targets_ ? &targets_->format() : nullptr; }

    void skip(std::int64_t num_samples) override {
        inputs_->skip(num_samples);
        if (targets_) {
            targets_->skip(num_samples);
        }
    }

    void read(std::span<std::byte> inputs, std::span<std::byte> targets) override {
        inputs_->read(inputs);
        if (targets_) {
            targets_->read(targets);
        }
    }

  private:
    std::unique_ptr<SampleSource> inputs_;
    std::unique_ptr<SampleSource> targets_;
};

}  // namespace

std::size_t SampleFormat::bytes() const {
    const auto elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
    return static_cast<std::size_t>(elements) * size_of(type);
}

std::int64_t SampleSource::set_format(SampleFormat format, std::int64_t num_samples) {
    auto bytes = static_cast<std::int64_t>(size_of(format.type));
    for (const auto length : format.shape) {
        const bool overflows = __builtin_mul_overflow(bytes, length, &bytes);
        CRESCENDO_VALIDATE(length >= 1 && !overflows && bytes < std::int64_t{1} << 40, "",
                           "{} claims samples of 0 bytes, or of 2^40 or more: it is damaged, or in another format",
                           name_);
    }
    const bool overflows = __builtin_mul_overflow(bytes, num_samples, &bytes);
    CRESCENDO_VALIDATE(!overflows, "", "{} claims {} samples, more than a file can hold: it is damaged", name_,
                       num_samples);
    format_ = std::move(format);
    num_samples_ = num_samples;
    return bytes;
}

std::unique_ptr<SetSource> make_set(std::unique_ptr<SampleSource> inputs, std::unique_ptr<SampleSource> targets) {
    return std::make_unique<SetOfSources>(std::move(inputs), std::move(targets));
}

}  // namespace crescendo::datasets
