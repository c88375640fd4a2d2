#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// Statistics of the unpacked numbers of one channel (Field::channels). Missing values count as NaN. Mean, spread and
/// extremes cover only finite numbers; they are NaN if there are none.
struct ChannelStatistics {
    std::int64_t count = 0;     ///< number of finite numbers
    std::int64_t nan = 0;       ///< number of NaNs
    std::int64_t infinite = 0;  ///< number of infinite numbers, of either sign
    double mean = std::numeric_limits<double>::quiet_NaN();
    double std = std::numeric_limits<double>::quiet_NaN();  ///< √(Σ(x - mean)² / count)
    double min = std::numeric_limits<double>::quiet_NaN();
    double max = std::numeric_limits<double>::quiet_NaN();

    /// Whether all finite numbers are equal, up to rounding. Older versions kept a spread of about 1e-15 in this case.
    bool is_constant() const;
    /// Whether the largest number is NC_FILL_FLOAT, with which NetCDF fills floats that were never written.
    bool ends_in_netcdf_fill() const;

    friend bool operator==(const ChannelStatistics&, const ChannelStatistics&) = default;
};

struct DataSetStatistics {
    std::string name;  ///< name in the group, such as "inputs"
    std::vector<ChannelStatistics> channels;

    friend bool operator==(const DataSetStatistics&, const DataSetStatistics&) = default;
};

struct StatisticsOptions {
    /// Names in the group. Empty: all numeric data sets, including linked ones, that fit the location's selection. With
    /// a selection, those are the ones with as many rows as `inputs`, or as the largest data set if there are no
    /// `inputs`.
    std::vector<std::string> data_sets = {};
    int threads = 2;                          ///< number of reading threads; does not affect the result
    std::optional<SampleLayout> layout = {};  ///< none: channels first; throws if they look like the last axis
    MissingSources missing_sources = MissingSources::error;
    /// Called from time to time with the samples read so far, over all data sets, and their total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};

/// Computes statistics of the data sets at `location`, FILE:/GROUP or a Selection of it, in one pass.
/// Each block's sums are about its own mean, in float64, and corrected for the rounding of that mean. Blocks are joined
/// in file order (Chan, Golub and LeVeque 1979), so that large offsets lose few digits. Holds one block, about 256 KiB
/// or a chunk, per thread. Throws as SampleSet::open and SampleSet::read do. Throws InvalidInput if no layout is given
/// and a row looks like height x width x channels.
std::vector<DataSetStatistics> compute_statistics(const std::string& location, const StatisticsOptions& options);

/// Keeps statistics in FILE.stats.json, together with those of other groups and selections of the file's present
/// version. For several files, the name comes from name_for_all(). Replaces FILE.stats.json as a whole. Throws
/// InvalidInput if its folder is not writable.
void keep_statistics(const std::string& location, const std::vector<DataSetStatistics>& statistics,
                     SampleLayout layout = SampleLayout::chw);

/// The command that computes and keeps the statistics of these data sets of a location, for messages. Without names,
/// the command chooses the data sets.
std::string statistics_command(const std::string& location, SampleLayout layout,
                               const std::vector<std::string>& data_sets = {});

/// Returns the statistics that were kept for exactly this location and layout. Throws InvalidInput, naming the command
/// to run for the data sets in `wanted`, if there are none, if the file has changed since, or if they were written by a
/// user other than this one who is neither root nor an owner of one of the location's files.
std::vector<DataSetStatistics> kept_statistics(const std::string& location, SampleLayout layout = SampleLayout::chw,
                                               const std::vector<std::string>& wanted = {});

}  // namespace crescendo::datasets
