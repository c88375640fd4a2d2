#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/ids.hpp"

namespace crescendo::launch {

/// Finds models that several trials save to the same file, so that only the last trial's model is left.
///
/// Programs run in one folder, and a script written for a single training saves its model there. Looks at files with
/// the usual suffixes of models in that folder and two levels down. For each file it keeps the trials that may have
/// written it, which are all that ran since the previous look. If no trial is left that may have written all its
/// versions, at least two trials did.
class OverwrittenFiles {
  public:
    /// `folder` is where programs run, `sweep` the sweep's own directory, which is left out.
    OverwrittenFiles(std::filesystem::path folder, const std::filesystem::path& sweep);

    /// Looks at the files when a trial ends, while others run or are ending. Returns the message for the user, once.
    std::optional<std::string> note_end(TrialId ended, std::set<TrialId> running);

  private:
    struct File {
        std::filesystem::file_time_type written;
        std::optional<std::set<TrialId>> writers;  ///< trials that may have written every version since the first look
    };

    /// A file written since the previous look, by one of `writers`, all of whose versions no single trial can have
    /// written; nothing if there is none.
    std::optional<std::filesystem::path> look(const std::set<TrialId>& writers);

    std::filesystem::path folder_;
    std::filesystem::path sweep_;
    std::map<std::filesystem::path, File> files_;
    std::set<TrialId> ran_;  ///< trials that ran at the last look
    int looks_left_;
};

}  // namespace crescendo::launch
