#include "trainer/data/data_cache.hpp"

#include <cstdio>
#include <stdexcept>

#include "trainer/data/normalization.hpp"

namespace crescendo::trainer {

std::shared_ptr<datasets::SampleSet> DataCache::set(const std::string& location, const DataSettings& settings) {
    auto& set = sets_[{location, settings}];
    if (!set) {
        set = datasets::SampleSet::open(location, {.inputs = settings.inputs,
                                                   .targets = settings.targets,
                                                   .window = settings.window,
                                                   .layout = settings.layout.value_or(datasets::SampleLayout::chw),
                                                   .crop = settings.crop,
                                                   .pad = settings.pad,
                                                   .missing_sources = settings.missing_sources});
    }
    return set;
}

const ClassCounts& DataCache::classes(const std::string& location, const DataSettings& settings) {
    const auto samples = set(location, settings);
    const auto counted = classes_.find(samples);
    if (counted == classes_.end()) {
        return classes_.emplace(samples, count_classes(*samples)).first->second;
    }
    samples->expect_unchanged();
    return counted->second;
}

datasets::SampleStream& DataCache::training(const DataSettings& settings) {
    return stream(training_, settings.train, settings);
}

datasets::SampleStream& DataCache::evaluation(const std::string& location, const DataSettings& settings) {
    DataSettings in_order = settings;
    in_order.shuffle = datasets::Shuffle::none;
    return stream(evaluation_, location, in_order);
}

datasets::SampleStream& DataCache::stream(Streams& streams, const std::string& location, const DataSettings& settings) {
    auto& stream = streams[{location, settings}];
    if (!stream) {
        const auto samples = set(location, settings);
        const datasets::SampleStream::Options options{.shuffle = settings.shuffle,
                                                      .memory_bytes = settings.memory,
                                                      .threads = static_cast<int>(settings.threads),
                                                      .conversions = conversions(*samples, settings),
                                                      .non_finite = settings.nan,
                                                      .shared = shared(settings)};
        stream = std::make_unique<datasets::SampleStream>(samples, options);
    }
    return *stream;
}

/// The sweep trains all the same where memory cannot be shared.
std::shared_ptr<datasets::SharedChunks> DataCache::shared(const DataSettings& settings) {
    const auto bytes = settings.shared_memory.value_or(settings.memory);
    if (!shared_ && !shared_memory_.empty() && bytes > 0) {
        try {
            shared_ = std::make_shared<datasets::SharedChunks>(shared_memory_, bytes);
        } catch (const std::runtime_error& error) {
            std::fprintf(stderr, "samples are not shared with other trainers of this node: %s\n", error.what());
            shared_memory_.clear();
        }
    }
    return bytes > 0 ? shared_ : nullptr;
}

}  // namespace crescendo::trainer
