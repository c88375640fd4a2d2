#pragma once

#include <filesystem>

namespace crescendo::trainer {

/// While it lives, standard output and error go to the end of <directory>/trainer.log.
class TrialLog {
  public:
    /// Creates the directory if it is missing. Throws std::system_error.
    explicit TrialLog(const std::filesystem::path& directory);
    TrialLog(const TrialLog&) = delete;
    TrialLog& operator=(const TrialLog&) = delete;
    ~TrialLog();

  private:
    int output_;  ///< descriptors that standard output and error had before
    int error_;
};

}  // namespace crescendo::trainer
