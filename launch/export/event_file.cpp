#include "launch/export/event_file.hpp"

#include "core/crc32.hpp"

namespace crescendo::launch {
namespace {

/// TFRecord's checksum: rotated and shifted, so that checksums of data that contain checksums stay reliable.
std::string masked_checksum(std::string_view bytes) {
    const auto crc = crc32c(bytes);
    return little_endian(((crc >> 15) | (crc << 17)) + 0xa282ead8U, 4);
}

// Field numbers from tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
namespace event {
constexpr int wall_time = 1, step = 2, file_version = 3, summary = 5;
}
namespace summary {
constexpr int value = 1;
}
namespace value {
constexpr int tag = 1, simple_value = 2, tensor = 8, metadata = 9;
}
namespace metadata {
constexpr int plugin_data = 1;
}
namespace plugin_data {
constexpr int plugin_name = 1, content = 2;
}
namespace tensor {
constexpr int dtype = 1, shape = 2;
constexpr std::uint64_t type_float = 1;
}  // namespace tensor

}  // namespace

EventFile::EventFile(double date) {
    add(Protobuf().number(event::wall_time, date).text(event::file_version, "brain.Event:2"));
}

void EventFile::add_scalars(double date, std::int64_t step, const protocol::Metrics& metrics) {
    Protobuf scalars;
    for (const auto& [name, number] : metrics) {
        scalars.message(summary::value,
                        Protobuf().text(value::tag, name).number(value::simple_value, static_cast<float>(number)));
    }
    add(Protobuf()
            .number(event::wall_time, date)
            .integer(event::step, static_cast<std::uint64_t>(step))
            .message(event::summary, scalars));
}

void EventFile::add_hparams(double date, const std::string& what, const Protobuf& content) {
    const auto data = Protobuf().text(plugin_data::plugin_name, "hparams").message(plugin_data::content, content);
    // TensorBoard expects a tensor beside the metadata; an empty one is enough.
    const auto nothing = Protobuf().integer(tensor::dtype, tensor::type_float).message(tensor::shape, Protobuf());
    const auto entry = Protobuf()
                           .text(value::tag, "_hparams_/" + what)
                           .message(value::tensor, nothing)
                           .message(value::metadata, Protobuf().message(metadata::plugin_data, data));
    add(Protobuf().number(event::wall_time, date).message(event::summary, Protobuf().message(summary::value, entry)));
}

void EventFile::add(const Protobuf& event) {
    const auto length = little_endian(event.bytes().size(), 8);
    bytes_ += length + masked_checksum(length) + event.bytes() + masked_checksum(event.bytes());
}

}  // namespace crescendo::launch
