#pragma once

#include <ATen/record_function.h>

#include <map>
#include <string>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// How long the parts of a step take that the trainer marks by RECORD_USER_SCOPE("crescendo::<part>"), as long as this
/// lives. There is one at a time, for the thread that made it. Parts do not overlap.
///
/// At the begin and the end of a part it waits until the device has done everything. So a GPU does no two things at
/// once, and a step takes longer than without.
class PartTimes {
  public:
    /// `device` must outlive the times.
    explicit PartTimes(const Device& device);
    PartTimes(const PartTimes&) = delete;
    PartTimes& operator=(const PartTimes&) = delete;
    ~PartTimes();

    /// Seconds of each part since the last call, by its name.
    std::map<std::string, double> take();

  private:
    at::CallbackHandle handle_;
};

}  // namespace crescendo::trainer
