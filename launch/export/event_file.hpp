#pragma once

#include <cstdint>
#include <string>

#include "core/trial_protocol.hpp"
#include "launch/export/protobuf.hpp"

namespace crescendo::launch {

/// An event file of TensorBoard: a TFRecord of messages tensorflow.Event. Dates are seconds since the epoch.
class EventFile {
  public:
    explicit EventFile(double date);

    /// Adds one value for each metric. TensorBoard stores values as 32-bit floats.
    void add_scalars(double date, std::int64_t step, const protocol::Metrics& metrics);

    /// Adds a message for TensorBoard's HParams tab: its "experiment", "session_start_info" or "session_end_info".
    void add_hparams(double date, const std::string& what, const Protobuf& content);

    const std::string& bytes() const { return bytes_; }

  private:
    void add(const Protobuf& event);

    std::string bytes_;
};

}  // namespace crescendo::launch
