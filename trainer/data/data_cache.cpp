#include "trainer/data/data_cache.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "trainer/data/normalization.hpp"

namespace crescendo::trainer {

namespace {

DataSettings in_order(DataSettings settings) {
    settings.shuffle = datasets::Shuffle::none;
    return settings;
}

}  // namespace

std::shared_ptr<datasets::SampleSet> DataCache::set(const std::string& location, const DataSettings& settings) {
    auto& set = sets_[{location, settings}];
    if (!set) {
        const datasets::SampleSet::Options options{.inputs = settings.inputs,
                                                   .targets = settings.targets,
                                                   .window = settings.window,
                                                   .layout = settings.layout.value_or(datasets::SampleLayout::chw),
                                                   .crop = settings.crop,
                                                   .pad = settings.pad,
                                                   .missing_sources = settings.missing_sources};
        set = datasets::SampleSet::open(location, options, beat_);
    }
    return set;
}

const ClassCounts& DataCache::classes(const std::string& location, const DataSettings& settings) {
    const auto samples = set(location, settings);
    const auto counted = classes_.find(samples);
    if (counted == classes_.end()) {
        return classes_.emplace(samples, count_classes(*samples, settings.nan, beat_)).first->second;
    }
    samples->expect_unchanged();
    return counted->second;
}

void DataCache::use(const DataSettings& settings) {
    constexpr std::size_t most = 2;
    std::erase(used_, settings);
    used_.push_back(settings);
    if (used_.size() <= most) {
        return;
    }
    used_.erase(used_.begin());
    const auto is_unused = [&](const auto& entry) {
        return std::none_of(used_.begin(), used_.end(),
                            [&](const DataSettings& used) { return in_order(entry.first.second) == in_order(used); });
    };
    std::erase_if(training_, is_unused);
    std::erase_if(evaluation_, is_unused);
    std::erase_if(sets_, is_unused);
    std::erase_if(classes_, [](const auto& entry) { return entry.first.use_count() == 1; });
}

datasets::SampleStream& DataCache::training(const DataSettings& settings) {
    use(settings);
    return stream(training_, settings.train, settings);
}

datasets::SampleStream& DataCache::evaluation(const std::string& location, const DataSettings& settings) {
    use(settings);
    return stream(evaluation_, location, in_order(settings));
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

/// If memory cannot be shared, training continues without it.
std::shared_ptr<datasets::SharedChunks> DataCache::shared(const DataSettings& settings) {
    const auto bytes = settings.shared_memory.value_or(settings.memory);
    if (!shared_ && !shared_memory_.empty() && bytes > 0) {
        try {
            shared_ = std::make_shared<datasets::SharedChunks>(shared_memory_, bytes);
        } catch (const std::runtime_error& error) {
            std::fprintf(stderr, "samples are not shared with other trainers on this node: %s\n", error.what());
            shared_memory_.clear();
        }
    }
    return bytes > 0 ? shared_ : nullptr;
}

}  // namespace crescendo::trainer
