#include "trainer/data/normalization.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "datasets/inspection/statistics.hpp"

namespace crescendo::trainer {

using datasets::Conversion;
using datasets::Field;
using datasets::Normalization;

namespace {

constexpr const char* normalize_key = "trainer.data.normalize";

/// The names, without duplicates, of the data sets that are normalised by the mean and spread of the training samples.
std::vector<std::string> standardized(const datasets::SampleSet& samples, const DataSettings& settings) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (settings.standardizes(name) && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    };
    for (std::size_t i = 0; i < samples.inputs().size(); ++i) {
        add(settings.inputs[i]);
    }
    for (std::size_t i = 0; i < samples.targets().size(); ++i) {
        if (samples.targets()[i].is_real()) {
            add(settings.targets[i]);
        }
    }
    return names;
}

/// Statistics of the training samples, looked up once for all fields, and only if a field needs them.
class TrainingStatistics {
  public:
    /// `wanted` are the data sets for which of() will be called.
    TrainingStatistics(const DataSettings& settings, std::vector<std::string> wanted)
        : train_(settings.train),
          layout_(settings.layout.value_or(datasets::SampleLayout::chw)),
          wanted_(std::move(wanted)) {}

    Normalization of(const std::string& data_set) {
        if (!all_) {
            all_ = kept();
        }
        const auto found =
            std::find_if(all_->begin(), all_->end(), [&](const auto& set) { return set.name == data_set; });
        CRESCENDO_VALIDATE(found != all_->end(), normalize_key, "the mean and spread of {} in {} are unknown; run: {}",
                           data_set, train_, datasets::statistics_command(train_, layout_, {data_set}));
        Normalization normalization{{}, {}};
        for (const auto& channel : found->channels) {
            CRESCENDO_VALIDATE(channel.count > 0, normalize_key,
                               "{} of {} has a channel without finite numbers, so it has no mean; leave it out, or "
                               "give a mean and a std",
                               data_set, train_);
            normalization.mean.push_back(channel.mean);
            const bool varies = !channel.is_constant() && static_cast<float>(channel.std) > 0.0F;
            normalization.std.push_back(varies ? channel.std : 1.0);
        }
        return normalization;
    }

  private:
    std::vector<datasets::DataSetStatistics> kept() const try {
        return datasets::kept_statistics(train_, layout_, wanted_);
    } catch (const InvalidInput& invalid) {
        throw InvalidInput(invalid.what(), normalize_key);
    }

    const std::string& train_;
    datasets::SampleLayout layout_;
    std::vector<std::string> wanted_;
    std::optional<std::vector<datasets::DataSetStatistics>> all_;
};

void expect_channels(std::size_t given, const char* what, const Field& field, const std::string& location) {
    const auto channels = static_cast<std::size_t>(field.channels().count);
    CRESCENDO_VALIDATE(given == 1 || given == channels, normalize_key,
                       "{} numbers are given as {} of {}:{}, which has {} channels; give one for each, or one for all",
                       given, what, location, field.path, channels);
}

/// Whether the field's type limits its numbers to 0 to 255.
bool holds_bytes(const Field& field) {
    const bool wraps = field.packing && field.packing->wrap > 0;
    return field.type == (wraps ? datasets::ElementType::i8 : datasets::ElementType::u8) && !field.is_real();
}

}  // namespace

std::vector<std::optional<Normalization>> normalizations(const datasets::SampleSet& samples,
                                                         const DataSettings& settings) {
    TrainingStatistics statistics(settings, standardized(samples, settings));
    const auto of_numbers = [&](const Field& field, const std::string& name, const Normalization& otherwise) {
        Normalization normalization = otherwise;
        if (settings.standardizes(name)) {
            normalization = statistics.of(name);
        } else if (const auto given = settings.normalize.find(name); given != settings.normalize.end()) {
            normalization = *given->second;
        }
        expect_channels(normalization.mean.size(), "means", field, samples.location());
        expect_channels(normalization.std.size(), "stds", field, samples.location());
        return normalization;
    };
    std::vector<std::optional<Normalization>> all;
    for (std::size_t i = 0; i < samples.inputs().size(); ++i) {
        const Field& field = samples.inputs()[i];
        all.emplace_back(of_numbers(field, settings.inputs[i], {{0.0}, {holds_bytes(field) ? 255.0 : 1.0}}));
    }
    for (std::size_t i = 0; i < samples.targets().size(); ++i) {
        const Field& field = samples.targets()[i];
        all.push_back(field.is_real() ? std::optional(of_numbers(field, settings.targets[i], {})) : std::nullopt);
    }
    return all;
}

std::vector<Conversion> conversions(const datasets::SampleSet& samples, const DataSettings& settings) {
    const auto found = normalizations(samples, settings);
    std::vector<Conversion> all;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t num_inputs = samples.inputs().size();
        const Field& field = i < num_inputs ? samples.inputs()[i] : samples.targets()[i - num_inputs];
        all.push_back(found[i] ? Conversion::to_float32(field, *found[i]) : Conversion::to_int64(field));
    }
    return all;
}

std::optional<std::size_t> scaled_in_one(const datasets::SampleSet& one, const datasets::SampleSet& other,
                                         const DataSettings& settings) {
    for (std::size_t i = 0; i < one.inputs().size(); ++i) {
        if (!settings.normalizes(settings.inputs[i]) &&
            holds_bytes(one.inputs()[i]) != holds_bytes(other.inputs()[i])) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace crescendo::trainer
