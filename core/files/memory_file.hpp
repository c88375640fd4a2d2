#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/files/file_descriptor.hpp"

namespace crescendo {

/// An empty file in memory, without a name in any folder. Other processes of the same user on this node can open it by
/// path() while this object lives. Its memory is freed when the last process has closed it, however the processes end.
class MemoryFile {
  public:
    /// `name` is shown in /proc. Throws std::system_error.
    explicit MemoryFile(const char* name) : file_(::memfd_create(name, MFD_CLOEXEC)) {
        if (!file_) {
            throw std::system_error(errno, std::generic_category(), "memfd_create");
        }
    }

    std::filesystem::path path() const {
        return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_.get());
    }

  private:
    FileDescriptor file_;
};

}  // namespace crescendo
