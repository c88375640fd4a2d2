#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "core/check.hpp"
#include "core/shell_words.hpp"

namespace crescendo::launch {

/// Files of a sweep cannot be written: no space, a quota, an I/O error, a folder that was moved away. Everything that
/// the journal's last sync() wrote is safe, so the sweep can be resumed once the problem is fixed. The message says so.
class DirectoryError : public std::runtime_error {
  public:
    explicit DirectoryError(const std::string& problem, const std::string& remedy = remedy_for(EIO))
        : std::runtime_error(problem + "; " + remedy + ", then resume the sweep"), problem_(problem) {}

    /// Combines the system's message with the remedy for its error.
    explicit DirectoryError(const std::system_error& error)
        : DirectoryError(problem_of(error), remedy_for(error.code().value())) {}

    /// The problem without its remedy, in case there is no sweep to resume.
    const std::string& problem() const { return problem_; }

  private:
    /// Rephrases errors about paths, for which the standard library's messages contain its function names.
    static std::string problem_of(const std::system_error& error) {
        const auto* of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
        return of_path == nullptr ? error.what()
                                  : "cannot write " + of_path->path1().string() + ": " + error.code().message();
    }

    static std::string remedy_for(int error) {
        switch (error) {
            case EMFILE:
            case ENFILE:
                return "raise the limit on open files (ulimit -n)";
            case EISDIR:
            case ENOENT:
            case ENOTDIR:
                return "restore what was there";
            case EACCES:
            case EPERM:
                return "give its user write permission, or a new ticket (kinit) if the file system needs one";
            case ENAMETOOLONG:
                return "give its folder a shorter path";
            case EROFS:
                return "mount the file system for writing, or copy the sweep to another one";
            default:
                return "free some space or repair the disk";
        }
    }

    std::string problem_;
};

/// Throws the exception for a file of the sweep that could not be opened for writing: DirectoryError for a disk error,
/// which may be repaired, and InvalidInput if our user lacks the permission.
[[noreturn]] inline void cannot_open(const std::filesystem::path& file, int code = errno) {
    const std::system_error error(code, std::generic_category(), "cannot write " + file.string());
    if (error.code() != std::errc::permission_denied && error.code() != std::errc::operation_not_permitted) {
        throw DirectoryError(error);
    }
    const auto folder = file.parent_path();
    struct stat status {};
    const bool is_ours = ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
    throw InvalidInput(std::string(error.what()) +
                       (is_ours
                            ? "; the sweep was made read-only; `chmod -R u+w " + shell_quoted(folder) + "` undoes that"
                            : "; the sweep belongs to another user; continue it as that user"));
}

}  // namespace crescendo::launch
