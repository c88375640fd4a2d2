#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// A file for what a program prints, gone with this object.
class TemporaryLog {
  public:
    TemporaryLog() : path_((std::filesystem::temp_directory_path() / "crescendo-log-XXXXXX").string()) {
        const FileDescriptor file(::mkostemp(path_.data(), O_CLOEXEC));
    }
    ~TemporaryLog() { ::unlink(path_.c_str()); }
    TemporaryLog(TemporaryLog&&) = delete;
    TemporaryLog& operator=(TemporaryLog&&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace crescendo::launch
