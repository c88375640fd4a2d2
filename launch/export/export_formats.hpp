#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/compare/report_folder.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/sweep_file/sections/entry.hpp"

namespace crescendo::launch {

/// The sweep to export, and the options that formats may use.
struct ExportRequest {
    const RecordedSweep& sweep;                        ///< with all reports
    std::filesystem::path folder = {};                 ///< where the files will be; absolute
    std::optional<int> trial = {};                     ///< the trial, for formats that export one; none: the best one
    std::optional<std::string> task = {};              ///< a benchmark's name for the workload
    Entry entry = {};                                  ///< replaces and completes `entry:` of the sweep file
    std::string date = {};                             ///< yyyy-mm-dd
    std::map<std::string, std::string> metrics = {};   ///< metrics of columns, by column, if not the usual ones
    std::optional<double> resource_of_epoch = {};      ///< none: the resource of trials counts epochs
};

/// The result of an export: files by their paths in the folder that the user names, and remarks for the user. A path
/// that ends in "/" is a folder, which may be empty.
struct Exported {
    Files files;
    std::vector<std::string> remarks = {};
};

/// Whether a program that has opened an export sees later changes to it.
enum class Follow { no, yes };

/// A format for exports. `write` throws InvalidInput if the sweep or the request lacks something.
struct ExportFormat {
    std::string_view name;
    Exported (*write)(const ExportRequest& request);
    Follow follow = Follow::yes;
};

/// trials.csv, with the columns of `crescendo trials`, and reports.csv: trial, resource, time (seconds that the sweep
/// had been at work), seconds (training clock), workers, and every metric.
Exported csv_tables(const ExportRequest& request);

/// trials.json and reports.json: the same columns as csv_tables(), as lists of objects.
Exported json_tables(const ExportRequest& request);

/// study.log: a journal of Optuna (JournalFileBackend) with one study that has the sweep's name.
///
/// A trial that a rung stopped is pruned; one that ended otherwise without failing is complete if it has a value. Its
/// value is the one of its last report, and its intermediate values are all its reports by resource.
Exported optuna_study(const ExportRequest& request);

/// A log folder for TensorBoard: a run for each trial, named by its number, with its metrics as scalars by resource,
/// and its configuration for the HParams tab. Later reports of a trial are appended to its file.
Exported tensorboard_logs(const ExportRequest& request);

/// A file store of MLflow (`mlruns`), with one experiment that has the sweep's name, and a run for each trial:
/// parameters, every metric by resource, dates, status. A sweep always gets the same ids, so a new export replaces the
/// old one.
Exported mlflow_store(const ExportRequest& request);

/// A trial as an entry of DAWNBench (github.com/stanford-futuredata/dawn-bench-entries, version v1.0):
/// TASK/train/AUTHOR_MODEL_HARDWARE_FRAMEWORK.json and .tsv, with one line for each report, on the trial's training
/// clock. If the trial's latency was measured, also TASK/inference/….json.
Exported dawnbench_entry(const ExportRequest& request);

/// All formats. To add one, add a file to this folder, its function above, and a row to this table.
const std::vector<ExportFormat>& export_formats();

/// The names of all formats, separated by commas.
std::string names_of_formats();

/// The format with this name. If there is none, throws InvalidInput that lists the formats or says what to do instead.
const ExportFormat& export_format(const std::string& name);

/// What to do if a file exists with different content.
enum class Existing { refuse, replace };

/// Writes files into a folder, and creates this and their own folders if they are missing. Other files stay. Throws
/// InvalidInput, and writes nothing, if a file is refused; throws std::system_error if the disk fails. Each file is
/// replaced as a whole. Files are not synced, because an export can be repeated.
void add_to_folder(const std::filesystem::path& folder, const Files& files, Existing existing = Existing::refuse);

}  // namespace crescendo::launch
