#include "trainer/data_cache.hpp"

namespace crescendo::trainer {

std::shared_ptr<datasets::SampleSet> DataCache::set(const std::string& location) {
    auto& set = sets_[location];
    if (!set) set = datasets::SampleSet::open(location);
    return set;
}

datasets::SampleStream& DataCache::training(const DataSettings& settings) {
    return stream(training_, settings.train, {.shuffle = settings.shuffle, .memory_bytes = settings.memory});
}

datasets::SampleStream& DataCache::evaluation(const std::string& location, std::size_t memory) {
    return stream(evaluation_, location, {.shuffle = datasets::Shuffle::none, .memory_bytes = memory});
}

datasets::SampleStream& DataCache::stream(Streams& streams, const std::string& location,
                                          datasets::SampleStream::Options options) {
    auto& stream = streams[{location, options.shuffle, options.memory_bytes}];
    if (!stream) stream = std::make_unique<datasets::SampleStream>(set(location), options);
    return *stream;
}

}  // namespace crescendo::trainer
