#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/ids.hpp"

namespace crescendo::launch {

/// Finds models that one trial after another saves to the same file, so that only the last one's is left.
///
/// Programs run in one folder, and a script that was written for one training saves its model there. Looks at the files
/// of that folder, and two folders down, whose names end as those of models do. Of each file it keeps who may have
/// written it: whoever ran since the look before. Once no trial is left that may have written all its versions, two
/// did.
class OverwrittenFiles {
  public:
    /// `folder` is where programs run, `sweep` the sweep's own, which is left out.
    OverwrittenFiles(std::filesystem::path folder, const std::filesystem::path& sweep);

    /// Looks at the files as a trial ends, while others run, or are ending. Returns once what the user is to be told.
    std::optional<std::string> note_end(TrialId ended, std::set<TrialId> running);

  private:
    struct File {
        std::filesystem::file_time_type written;
        std::optional<std::set<TrialId>> writers;  ///< who may have written each version since the first look
    };

    /// Of the files that were written since the look before, by one of `writers`, one that has no writer left.
    std::optional<std::filesystem::path> look(const std::set<TrialId>& writers);

    std::filesystem::path folder_;
    std::filesystem::path sweep_;
    std::map<std::filesystem::path, File> files_;
    std::set<TrialId> ran_;  ///< who ran at the last look
    int looks_left_;
};

}  // namespace crescendo::launch
