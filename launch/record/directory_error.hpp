#pragma once

#include <stdexcept>
#include <string>

namespace crescendo::launch {

/// Files of a sweep cannot be written: no space, a quota, an I/O error, a folder that was moved away. What the
/// journal's last sync() wrote is safe, so the sweep can be resumed once this is fixed. The message says so.
class DirectoryError : public std::runtime_error {
  public:
    explicit DirectoryError(const std::string& problem,
                            const std::string& remedy = "free some space or repair the disk")
        : std::runtime_error(problem + "; " + remedy + ", then resume the sweep"), problem_(problem) {}

    /// The problem without its remedy, for the case that there is no sweep to resume.
    const std::string& problem() const { return problem_; }

  private:
    std::string problem_;
};

}  // namespace crescendo::launch
