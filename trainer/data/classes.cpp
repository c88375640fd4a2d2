#include "trainer/data/classes.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.hpp"
#include "datasets/samples/conversion.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

namespace {

/// Number of targets per read: a few MiB, in whole chunks, so that no chunk is decoded twice.
std::int64_t targets_per_read(const datasets::Field& targets, std::int64_t num_samples) {
    constexpr std::int64_t bytes = 4 << 20;
    const auto chunk = std::max<std::int64_t>(1, targets.chunk_samples);
    const auto wanted = std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(targets.pitch_bytes()));
    return std::min((wanted + chunk - 1) / chunk * chunk, num_samples);
}

}  // namespace

ClassCounts count_classes(const datasets::SampleSet& samples, datasets::NonFinite non_finite,
                          const std::function<void()>& beat) {
    const auto& targets = samples.targets()[0];
    const auto to_class = datasets::Conversion::to_int64(targets);
    const std::int64_t most = targets_per_read(targets, samples.size());
    ClassCounts counts;
    std::vector<std::byte> bytes;
    std::vector<std::span<std::byte>> fields(samples.inputs().size() + 1);  // the inputs are not read
    for (std::int64_t begin = 0; begin < samples.size(); begin += most) {
        const std::int64_t count = std::min(most, samples.size() - begin);
        bytes.resize(targets.bytes_of(count));
        fields.back() = bytes;
        samples.read(begin, count, fields);
        if (beat) {
            beat();
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i) * targets.pitch_bytes();
            std::int64_t number = 0;
            const bool known = to_class.convert(std::span(bytes).subspan(at, targets.sample_bytes()),
                                                reinterpret_cast<std::byte*>(&number));
            if (!known && non_finite != datasets::NonFinite::keep) {
                continue;
            }
            // A uint64 of 2^63 or more is negative as int64.
            const bool is_positive = number >= 0 || targets.type == datasets::ElementType::u64;
            CRESCENDO_VALIDATE(number >= 0 && number < most_classes, "",
                               "{}: {} has the class {}, but classes must be from 0 to {}; renumber them, or store "
                               "floating-point numbers for regression",
                               samples.location(), targets.path,
                               is_positive ? text("{}", static_cast<std::uint64_t>(number)) : text("{}", number),
                               most_classes - 1);
            if (number >= std::ssize(counts)) {
                counts.resize(static_cast<std::size_t>(number) + 1);
            }
            ++counts[static_cast<std::size_t>(number)];
        }
    }
    samples.expect_unchanged();
    CRESCENDO_VALIDATE(!counts.empty(), "",
                       "{}: {} has no classes, because all its numbers are missing by its attributes ({}); correct the "
                       "attributes or the numbers",
                       samples.location(), targets.path, to_string(*targets.packing));
    return counts;
}

std::vector<double> class_weights(const LossSettings& settings, const ClassCounts& counts, std::int64_t num_classes) {
    std::vector<double> weights(static_cast<std::size_t>(num_classes), 1.0);
    std::copy_n(settings.class_weights.begin(), std::min(settings.class_weights.size(), weights.size()),
                weights.begin());
    double samples = 0;
    double weighed = 0;
    for (const auto count : counts) {
        if (count > 0) {
            samples += static_cast<double>(count);
            weighed += std::pow(count, 1.0 - settings.class_balance);
        }
    }
    for (std::size_t i = 0; i < std::min(counts.size(), weights.size()); ++i) {
        if (counts[i] > 0) {
            weights[i] *= std::pow(counts[i], -settings.class_balance) * samples / weighed;
        }
    }
    return weights;
}

}  // namespace crescendo::trainer
