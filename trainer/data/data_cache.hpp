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
/// over settings of its data, so only those of the last two settings stay: they may hold the memory that a stream may
/// use.
///
/// A stream gives float32 inputs, normalised as the settings say, and targets of float32, or of int64 if the data set
/// holds integers.
class DataCache {
  public:
    /// Shares what it decodes through `shared_memory`, the path of a file in memory, with others on this node that got
    /// the same path (SharedChunks). With an empty path it shares nothing. Calls `beat`, which may be null, after each
    /// file that it opens and each read of classes.
    explicit DataCache(std::filesystem::path shared_memory = {}, std::function<void()> beat = {})
        : shared_memory_(std::move(shared_memory)), beat_(std::move(beat)) {}

    /// The set at `location`. Throws InvalidInput like SampleSet::open.
    std::shared_ptr<datasets::SampleSet> set(const std::string& location, const DataSettings& settings);

    /// Number of samples of each class in a set whose targets are classes. It is counted once, and holds for that
    /// version of the file. Throws like count_classes, and if the file has changed since.
    const ClassCounts& classes(const std::string& location, const DataSettings& settings);

    /// The training samples, in the order that the settings say. They last until streams of two other settings were
    /// asked for. Also throws InvalidInput if they cannot be normalised:
    /// no statistics were kept, or means for another number of channels are given.
    datasets::SampleStream& training(const DataSettings& settings);

    /// The samples at `location` in the order of the file, normalised like the training samples. This is never the
    /// training stream, which must keep its position. Throws like training().
    datasets::SampleStream& evaluation(const std::string& location, const DataSettings& settings);

  private:
    using Key = std::pair<std::string, DataSettings>;  ///< location, and the settings of its stream
    using Streams = std::map<Key, std::unique_ptr<datasets::SampleStream>>;

    /// Marks these settings as those of the newest stream, and forgets what belongs to none of the last two.
    void use(const DataSettings& settings);
    datasets::SampleStream& stream(Streams& streams, const std::string& location, const DataSettings& settings);
    std::shared_ptr<datasets::SharedChunks> shared(const DataSettings& settings);

    std::filesystem::path shared_memory_;  ///< empty once it could not be used
    const std::function<void()> beat_;
    std::shared_ptr<datasets::SharedChunks> shared_;
    std::vector<DataSettings> used_;  ///< by which streams were asked for, oldest first
    std::map<Key, std::shared_ptr<datasets::SampleSet>> sets_;
    std::map<std::shared_ptr<datasets::SampleSet>, ClassCounts> classes_;
    Streams training_;
    Streams evaluation_;
};

}  // namespace crescendo::trainer
