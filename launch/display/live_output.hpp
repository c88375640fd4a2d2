#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Writes for people while a sweep runs, and does not wait until they read: a terminal takes nothing after Ctrl-S, nor
/// does a pipe whose reader stands still, such as a pager.
///
/// Only to files, and to what cannot be opened once more, it writes as to any stream.
class LiveOutput {
  public:
    /// `stream` must outlive it.
    explicit LiveOutput(std::FILE* stream);

    /// Waits a moment for what was not taken yet.
    ~LiveOutput();
    LiveOutput(LiveOutput&&) = delete;
    LiveOutput& operator=(LiveOutput&&) = delete;

    /// Writes whole lines. What is not taken is kept, up to a MiB: then the older half is dropped.
    void write(std::string_view text);

    /// Writes what was kept. Returns whether nothing is left.
    bool flush();

  private:
    std::FILE* stream_;
    FileDescriptor impatient_;  ///< writes to where the stream does and never waits; none where that takes all at once
    std::string kept_;
};

}  // namespace crescendo::launch
