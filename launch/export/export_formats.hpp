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

/// What is to be exported, and what formats may be told.
struct ExportRequest {
    const RecordedSweep& sweep;                        ///< with all reports
    std::filesystem::path folder = {};                 ///< where the files will be; absolute
    std::optional<int> trial = {};                     ///< of formats for one trial; none: the best one
    std::optional<std::string> task = {};              ///< a benchmark's word for the workload
    Entry entry = {};                                  ///< what the sweep's own file does not say, or says otherwise
    std::string date = {};                             ///< yyyy-mm-dd
    std::map<std::string, std::string> metrics = {};   ///< the metrics behind columns, where not the usual ones
    std::optional<double> resource_of_epoch = {};      ///< none: a trial's resource counts epochs
};

/// What an export gives: files by their paths in the folder that the user names, and remarks for the user. A path that
/// ends in "/" is a folder, which may be empty.
struct Exported {
    Files files;
    std::vector<std::string> remarks = {};
};

/// Whether a program that has opened an export sees what is written to it later.
enum class Follow { no, yes };

/// A format that sweeps are exported to. `write` throws InvalidInput if the sweep, or the request, lacks something.
struct ExportFormat {
    std::string_view name;
    Exported (*write)(const ExportRequest& request);
    Follow follow = Follow::yes;
};

/// All formats. A new one is a file of this folder, and a row of this table.
const std::vector<ExportFormat>& export_formats();

/// The names of all formats, with commas between them.
std::string names_of_formats();

/// Throws InvalidInput, which says what there is, or what to do instead, if there is no format of this name.
const ExportFormat& export_format(const std::string& name);

/// What to do with a file that is there with other content.
enum class Existing { refuse, replace };

/// Writes files into a folder, which is made if it is not there, with their own folders. Other files stay. Throws
/// InvalidInput, and writes nothing, if a file is refused; throws std::system_error if the disk fails. Files are
/// replaced whole; they are not synced, because an export can be repeated.
void add_to_folder(const std::filesystem::path& folder, const Files& files, Existing existing = Existing::refuse);

}  // namespace crescendo::launch
