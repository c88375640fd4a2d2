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

    /// Adds a message for a plugin of TensorBoard, under the tag where the plugin looks for it.
    void add_plugin_data(double date, std::string_view tag, std::string_view plugin, const Protobuf& content);

    const std::string& bytes() const { return bytes_; }

  private:
    void add(const Protobuf& event);

    std::string bytes_;
};

}  // namespace crescendo::launch
