#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/classes.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Sample sets and the streams over them, opened at first use and kept from trial to trial: a sweep has few.
///
/// What a stream gives is float32 inputs, normalised as the settings want, and targets of float32 or, where the data
/// set holds integers, int64.
class DataCache {
  public:
    /// Throws InvalidInput like SampleSet::open.
    std::shared_ptr<datasets::SampleSet> set(const std::string& location, const DataSettings& settings);

    /// Samples of each class in a set whose targets are classes: counted once, and good for that version of the file.
    /// Throws like count_classes, and where the file was changed since.
    const ClassCounts& classes(const std::string& location, const DataSettings& settings);

    /// The training samples, in the order that the settings want. Throws InvalidInput too where they cannot be
    /// normalised: no statistics were kept, or means for another number of channels are given.
    datasets::SampleStream& training(const DataSettings& settings);

    /// Samples in the order of the file, normalised as those to train on. Never the training stream, which has a place
    /// of its own to keep. Throws like training().
    datasets::SampleStream& evaluation(const std::string& location, const DataSettings& settings);

  private:
    using Key = std::pair<std::string, DataSettings>;  ///< location, and what is done with it
    using Streams = std::map<Key, std::unique_ptr<datasets::SampleStream>>;

    datasets::SampleStream& stream(Streams& streams, const std::string& location, const DataSettings& settings);

    std::map<Key, std::shared_ptr<datasets::SampleSet>> sets_;
    std::map<std::shared_ptr<datasets::SampleSet>, ClassCounts> classes_;
    Streams training_;
    Streams evaluation_;
};

}  // namespace crescendo::trainer
