#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "datasets/sample_set.hpp"
#include "datasets/sample_stream.hpp"
#include "trainer/settings.hpp"

namespace crescendo::trainer {

/// Sample sets and the streams over them, opened at first use and kept from trial to trial: a sweep has few.
class DataCache {
  public:
    /// Throws InvalidInput like SampleSet::open.
    std::shared_ptr<datasets::SampleSet> set(const std::string& location);

    /// The training samples, in the order that the settings want.
    datasets::SampleStream& training(const DataSettings& settings);

    /// Samples in the order of the file. Never the training stream, which has a place of its own to keep.
    datasets::SampleStream& evaluation(const std::string& location, const DataSettings& settings);

  private:
    using Streams = std::map<std::tuple<std::string, datasets::Shuffle, std::size_t, std::int64_t>,
                             std::unique_ptr<datasets::SampleStream>>;

    datasets::SampleStream& stream(Streams& streams, const std::string& location, datasets::Shuffle shuffle,
                                   const DataSettings& settings);

    std::map<std::string, std::shared_ptr<datasets::SampleSet>> sets_;
    Streams training_;
    Streams evaluation_;
};

}  // namespace crescendo::trainer
