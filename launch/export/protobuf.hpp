#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The `num_bytes` lowest bytes of a number, lowest first.
inline std::string little_endian(std::uint64_t value, int num_bytes) {
    std::string bytes;
    for (int i = 0; i < num_bytes; ++i) {
        bytes += static_cast<char>(value >> (8 * i));
    }
    return bytes;
}

/// A Protocol Buffers message, written field by field (protobuf.dev/programming-guides/encoding).
///
/// The few messages of TensorBoard's event files need no more. The protobuf library would require its message compiler
/// and TensorFlow's files that describe the messages.
class Protobuf {
  public:
    Protobuf& integer(int field, std::uint64_t value) {
        key(field, 0);
        varint(value);
        return *this;
    }
    Protobuf& number(int field, double value) {
        key(field, 1);
        bytes_ += little_endian(std::bit_cast<std::uint64_t>(value), 8);
        return *this;
    }
    Protobuf& number(int field, float value) {
        key(field, 5);
        bytes_ += little_endian(std::bit_cast<std::uint32_t>(value), 4);
        return *this;
    }
    Protobuf& text(int field, std::string_view value) {
        key(field, 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    Protobuf& message(int field, const Protobuf& value) { return text(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }

  private:
    void key(int field, unsigned wire_type) { varint(static_cast<std::uint64_t>(field) << 3 | wire_type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_ += static_cast<char>(value | 0x80);
        }
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

}  // namespace crescendo::launch
