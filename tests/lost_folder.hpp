#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::tests {

/// A folder in which the system finds nothing, and does not know whether there is something: as on a network disk that
/// was lost, each look ends in an error (here ESRCH, because it is the folder of a process that ended).
class LostFolder {
  public:
    LostFolder() {
        const pid_t process = ::fork();
        if (process == 0) {
            ::pause();
            ::_exit(0);
        }
        folder_ =
            FileDescriptor(::open(("/proc/" + std::to_string(process)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(folder_.get()); }

  private:
    FileDescriptor folder_;
};

}  // namespace crescendo::tests
