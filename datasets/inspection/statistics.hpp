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

/// Statistics of the unpacked numbers of one channel (Field::channels). Stored numbers that stand for none are NaN.
/// Mean, spread and extremes are those of the finite numbers, or NaN if there are none.
struct ChannelStatistics {
    std::int64_t count = 0;     ///< number of finite numbers
    std::int64_t nan = 0;       ///< number of NaNs
    std::int64_t infinite = 0;  ///< number of infinite numbers, of either sign
    double mean = std::numeric_limits<double>::quiet_NaN();
    double std = std::numeric_limits<double>::quiet_NaN();  ///< √(Σ(x - mean)² / count)
    double min = std::numeric_limits<double>::quiet_NaN();
    double max = std::numeric_limits<double>::quiet_NaN();

    /// Whether all finite numbers are one, but for rounding. Files of older versions keep a spread of 1e-15 for such.
    bool is_constant() const;
    /// Whether the largest number is the one that NetCDF fills floats with which were never written (NC_FILL_FLOAT).
    bool ends_in_netcdf_fill() const;

    friend bool operator==(const ChannelStatistics&, const ChannelStatistics&) = default;
};

struct DataSetStatistics {
    std::string name;  ///< name in the group, such as "inputs"
    std::vector<ChannelStatistics> channels;

    friend bool operator==(const DataSetStatistics&, const DataSetStatistics&) = default;
};

struct StatisticsOptions {
    /// Names in the group. None: all data sets of numbers, links included, that the selection of the location fits:
    /// with one, those with as many rows as `inputs`, or as the largest data set if there are none.
    std::vector<std::string> data_sets = {};
    int threads = 2;                          ///< threads that read; the result does not depend on them
    std::optional<SampleLayout> layout = {};  ///< none: channels first, unless they look like the last axis
    MissingSources missing_sources = MissingSources::error;
    /// Called now and then with the samples read so far, of all data sets, and their total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};

/// Reads the data sets at `location`, FILE:/GROUP or a Selection of it, once.
///
/// Each block's sums are about its own mean, in float64, and corrected for the rounding of that mean. Blocks are joined
/// in the order of the file (Chan, Golub and LeVeque 1979), so that large offsets cost few digits. Holds a block, about
/// 256 KiB or a chunk, for each thread. Throws as SampleSet::open and SampleSet::read do. Throws InvalidInput if no
/// layout is given and a row looks like height x width x channels.
std::vector<DataSetStatistics> compute_statistics(const std::string& location, const StatisticsOptions& options);

/// Keeps statistics in FILE.stats.json, beside those of other groups and selections of the file as it is now; those of
/// several files in the name that name_for_all() gives to all. The file is replaced as a whole. Throws InvalidInput if
/// its folder cannot be written to.
void keep_statistics(const std::string& location, const std::vector<DataSetStatistics>& statistics,
                     SampleLayout layout = SampleLayout::chw);

/// The command that calculates and keeps the statistics of these data sets of a location, for messages; without names,
/// of those that it takes by itself.
std::string statistics_command(const std::string& location, SampleLayout layout,
                               const std::vector<std::string>& data_sets = {});

/// The statistics that were kept for exactly this location and layout. Throws InvalidInput that names the command to
/// run for the data sets that are `wanted` if there are none, if the file has changed since, or if another user wrote
/// them who is not root and owns none of the files of the location.
std::vector<DataSetStatistics> kept_statistics(const std::string& location, SampleLayout layout = SampleLayout::chw,
                                               const std::vector<std::string>& wanted = {});

}  // namespace crescendo::datasets
