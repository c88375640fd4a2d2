#pragma once

#include <string>

#include "core/files/memory_file.hpp"

namespace crescendo::launch {

/// A file for a program's output. It has no name in any folder, so nothing is left behind however this process ends.
class TemporaryLog {
  public:
    const std::string& path() const { return path_; }

  private:
    MemoryFile file_{"crescendo-log"};
    std::string path_ = file_.path().string();
};

}  // namespace crescendo::launch
