#include "trainer/data_cache.hpp"

namespace crescendo::trainer {

std::shared_ptr<datasets::SampleSet> DataCache::set(const std::string& location) {
    auto& set = sets_[location];
    if (!set) set = datasets::SampleSet::open(location);
    return set;
}

datasets::SampleStream& DataCache::training(const DataSettings& settings) {
    return stream(training_, settings.train, settings.shuffle, settings);
}

datasets::SampleStream& DataCache::evaluation(const std::string& location, const DataSettings& settings) {
    return stream(evaluation_, location, datasets::Shuffle::none, settings);
}

datasets::SampleStream& DataCache::stream(Streams& streams, const std::string& location, datasets::Shuffle shuffle,
                                          const DataSettings& settings) {
    auto& stream = streams[{location, shuffle, settings.memory, settings.threads}];
    if (!stream) {
        const datasets::SampleStream::Options options{
            .shuffle = shuffle, .memory_bytes = settings.memory, .threads = static_cast<int>(settings.threads)};
        stream = std::make_unique<datasets::SampleStream>(set(location), options);
    }
    return *stream;
}

}  // namespace crescendo::trainer
