#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "datasets/sample_set.hpp"
#include "datasets/sample_stream.hpp"

namespace crescendo::trainer {

/// Sample sets and the streams over them, opened at first use and kept from trial to trial: a sweep has few.
class DataCache {
  public:
    /// Throws InvalidInput like SampleSet::open.
    std::shared_ptr<datasets::SampleSet> set(const std::string& location);

    /// One user at a time: entering a share takes the stream from whoever had it.
    datasets::SampleStream& stream(const std::string& location, datasets::Shuffle shuffle, std::size_t memory);

  private:
    std::map<std::string, std::shared_ptr<datasets::SampleSet>> sets_;
    std::map<std::tuple<std::string, datasets::Shuffle, std::size_t>, std::unique_ptr<datasets::SampleStream>> streams_;
};

}  // namespace crescendo::trainer
