#include "trainer/protocol/trial_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "core/trial_protocol.hpp"

namespace crescendo::trainer {

TrialLog::TrialLog(const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    const auto path = directory / protocol::trial_files::log;
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file) {
        throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
    }
    std::fflush(stdout);
    output_ = FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    error_ = FileDescriptor(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    ::dup2(file.get(), STDOUT_FILENO);
    ::dup2(file.get(), STDERR_FILENO);
}

TrialLog::~TrialLog() {
    std::fflush(stdout);
    ::dup2(output_.get(), STDOUT_FILENO);
    ::dup2(error_.get(), STDERR_FILENO);
}

}  // namespace crescendo::trainer
