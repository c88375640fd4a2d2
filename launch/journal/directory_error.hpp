#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace crescendo::launch {

/// Files of a sweep cannot be written: no space, a quota, an I/O error, a folder that was moved away. What the
/// journal's last sync() wrote is safe, so the sweep can be resumed once this is fixed. The message says so.
class DirectoryError : public std::runtime_error {
  public:
    explicit DirectoryError(const std::string& problem, const std::string& remedy = remedy_for(EIO))
        : std::runtime_error(problem + "; " + remedy + ", then resume the sweep"), problem_(problem) {}

    /// What the system says, with the remedy for that.
    explicit DirectoryError(const std::system_error& error)
        : DirectoryError(error.what(), remedy_for(error.code().value())) {}

    /// The problem without its remedy, for the case that there is no sweep to resume.
    const std::string& problem() const { return problem_; }

  private:
    static std::string remedy_for(int error) {
        switch (error) {
            case EMFILE:
            case ENFILE:
                return "raise the number of files that may be open (ulimit -n)";
            case EISDIR:
            case ENOTDIR:
                return "put back what was there";
            case ENAMETOOLONG:
                return "give its folder a shorter path";
            default:
                return "free some space or repair the disk";
        }
    }

    std::string problem_;
};

}  // namespace crescendo::launch
