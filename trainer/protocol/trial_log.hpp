#pragma once

#include <filesystem>

#include "core/files/file_descriptor.hpp"

namespace crescendo::trainer {

/// While it lives, standard output and standard error are appended to <directory>/trainer.log.
class TrialLog {
  public:
    /// Creates the directory if it is missing. Throws std::system_error.
    explicit TrialLog(const std::filesystem::path& directory);
    TrialLog(const TrialLog&) = delete;
    TrialLog& operator=(const TrialLog&) = delete;
    ~TrialLog();

  private:
    FileDescriptor output_;  ///< the original standard output
    FileDescriptor error_;   ///< the original standard error
};

}  // namespace crescendo::trainer
