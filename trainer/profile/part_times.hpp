#pragma once

#include <ATen/record_function.h>

#include <map>
#include <string>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// While it lives, measures the parts of a step that the trainer marks by RECORD_USER_SCOPE("crescendo::<part>"). At
/// most one object may exist at a time, and it measures only the thread that made it. Parts must not overlap.
///
/// It waits for the device at the beginning and the end of each part. So a GPU cannot overlap work, and a step takes
/// longer than without the measurement.
class PartTimes {
  public:
    /// `device` must outlive this object.
    explicit PartTimes(const Device& device);
    PartTimes(const PartTimes&) = delete;
    PartTimes& operator=(const PartTimes&) = delete;
    ~PartTimes();

    /// Returns the seconds per part since the last call, by the part's name.
    std::map<std::string, double> take();

  private:
    at::CallbackHandle handle_;
};

}  // namespace crescendo::trainer
