#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "datasets/samples/shared_chunks.hpp"
#include "trainer/data/classes.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Sample sets and the streams over them. They are opened at first use and kept from trial to trial. A sweep may search
/// over data settings, and each stream may hold as much memory as it is allowed. So only the sets and streams of the
/// last two settings are kept.
///
/// A stream delivers float32 inputs, normalised as the settings say, and float32 targets, or int64 targets if the data
/// set holds integers.
class DataCache {
  public:
    /// Shares decoded samples through `shared_memory`, the path of a file in memory, with the processes on this node
    /// that got the same path (SharedChunks). An empty path shares nothing. Calls `beat`, which may be null, after each
    /// file that it opens and each read of classes.
    explicit DataCache(std::filesystem::path shared_memory = {}, std::function<void()> beat = {})
        : shared_memory_(std::move(shared_memory)), beat_(std::move(beat)) {}

    /// The set at `location`. Throws InvalidInput like SampleSet::open.
    std::shared_ptr<datasets::SampleSet> set(const std::string& location, const DataSettings& settings);

    /// Number of samples of each class in a set whose targets are classes. The samples are counted once, for that
    /// version of the file. Throws like count_classes, and if the file has changed since.
    const ClassCounts& classes(const std::string& location, const DataSettings& settings);

    /// The training samples, in the order that the settings say. The stream is valid until streams of two other
    /// settings have been requested. Also throws InvalidInput if the samples cannot be normalised: the file has no
    /// statistics, or the number of given means is not the number of channels.
    datasets::SampleStream& training(const DataSettings& settings);

    /// The samples at `location` in the order of the file, normalised like the training samples. This is never the
    /// training stream, which must keep its position. Throws like training().
    datasets::SampleStream& evaluation(const std::string& location, const DataSettings& settings);

  private:
    using Key = std::pair<std::string, DataSettings>;  ///< location, and the settings of its stream
    using Streams = std::map<Key, std::unique_ptr<datasets::SampleStream>>;

    /// Marks these settings as the most recently used, and drops everything that does not belong to the last two
    /// settings.
    void use(const DataSettings& settings);
    datasets::SampleStream& stream(Streams& streams, const std::string& location, const DataSettings& settings);
    std::shared_ptr<datasets::SharedChunks> shared(const DataSettings& settings);

    std::filesystem::path shared_memory_;  ///< set to empty if it cannot be used
    const std::function<void()> beat_;
    std::shared_ptr<datasets::SharedChunks> shared_;
    std::vector<DataSettings> used_;  ///< settings of the requested streams, oldest first
    std::map<Key, std::shared_ptr<datasets::SampleSet>> sets_;
    std::map<std::shared_ptr<datasets::SampleSet>, ClassCounts> classes_;
    Streams training_;
    Streams evaluation_;
};

}  // namespace crescendo::trainer
