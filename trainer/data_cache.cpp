#include "trainer/data_cache.hpp"

namespace crescendo::trainer {

std::shared_ptr<datasets::SampleSet> DataCache::set(const std::string& location) {
    auto& set = sets_[location];
    if (!set) set = datasets::SampleSet::open(location);
    return set;
}

datasets::SampleStream& DataCache::stream(const std::string& location, datasets::Shuffle shuffle, std::size_t memory) {
    auto& stream = streams_[{location, shuffle, memory}];
    if (!stream) {
        stream = std::make_unique<datasets::SampleStream>(
            set(location), datasets::SampleStream::Options{.shuffle = shuffle, .memory_bytes = memory});
    }
    return *stream;
}

}  // namespace crescendo::trainer
