#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "launch/compare/report_folder.hpp"
#include "launch/record/recorded_sweep.hpp"
#include "launch/sweep_file/entry.hpp"

namespace crescendo::launch {

/// What is to be exported, and what formats may be told.
struct ExportRequest {
    const RecordedSweep& sweep;
    std::optional<TrialId> trial = {};                 ///< none: the best one
    std::optional<std::string> task = {};              ///< a benchmark's word for the workload
    Entry entry = {};                                  ///< what the sweep's own file does not say, or says otherwise
    std::string date = {};                             ///< yyyy-mm-dd
    std::map<std::string, std::string> metrics = {};   ///< the metrics behind columns, where not the usual ones
    std::optional<double> resource_of_epoch = {};      ///< none: a trial's resource counts epochs
};

/// What an export gives: files by their paths in the folder that the user names, and remarks for the user.
struct Exported {
    Files files;
    std::vector<std::string> remarks = {};
};

/// A format that sweeps are exported to. `write` throws InvalidInput if the sweep, or the request, lacks something.
struct ExportFormat {
    const char* name;
    Exported (*write)(const ExportRequest& request);
};

/// All formats. A new one is a file of this folder, and a row of this table.
const std::vector<ExportFormat>& export_formats();

/// Writes files into a folder, which is made if it is not there, with their own folders. Other files stay. Throws
/// InvalidInput, and writes nothing, if one of them is there with other content; throws std::system_error if the disk
/// fails.
void add_to_folder(const std::filesystem::path& folder, const Files& files);

}  // namespace crescendo::launch
