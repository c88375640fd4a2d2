#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Writes text for people while a sweep runs, without waiting for a reader. A terminal takes nothing after Ctrl-S, and
/// neither does a pipe whose reader is stopped, such as a pager.
///
/// Writes to files, and to descriptors that cannot be opened again, block as usual.
class LiveOutput {
  public:
    /// `stream` must outlive this object.
    explicit LiveOutput(std::FILE* stream);

    /// Waits up to two seconds for kept text to be taken.
    ~LiveOutput();
    LiveOutput(LiveOutput&&) = delete;
    LiveOutput& operator=(LiveOutput&&) = delete;

    /// Writes whole lines. Text that the reader does not take yet is kept, up to 1 MiB; beyond that, the older half is
    /// dropped.
    void write(std::string_view text);

    /// Writes kept text. Returns whether none is left.
    bool flush();

  private:
    std::FILE* stream_;
    FileDescriptor impatient_;  ///< non-blocking descriptor for the same terminal or pipe as `stream_`; none if writes
                                ///< to it never wait
    std::string kept_;
};

}  // namespace crescendo::launch
