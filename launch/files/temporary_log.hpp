#pragma once

#include <string>

#include "core/files/memory_file.hpp"

namespace crescendo::launch {

/// A file for what a program prints. It has no name in any folder, so that nothing is left however this process ends.
class TemporaryLog {
  public:
    const std::string& path() const { return path_; }

  private:
    MemoryFile file_{"crescendo-log"};
    std::string path_ = file_.path().string();
};

}  // namespace crescendo::launch
