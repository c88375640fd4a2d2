#pragma once

#include <cstdint>
#include <string>

namespace crescendo::launch {

/// A progress bar: one line on standard error, overwritten at each step and erased at the end. Shows nothing if
/// standard error is not a terminal. Work that counts its progress can call it as a function.
class ProgressBar {
  public:
    /// `unit` names the units that are counted: "samples", "bytes".
    explicit ProgressBar(std::string unit);

    /// Shows that `done` of `total` units are done. Costs next to nothing while the percentage stays the same.
    void operator()(std::int64_t done, std::int64_t total);

  private:
    std::string unit_;
    bool shown_;
    int percent_ = -1;
};

}  // namespace crescendo::launch
