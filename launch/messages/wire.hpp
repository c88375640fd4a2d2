#pragma once

#include <cstdint>
#include <vector>

#include "launch/messages/messages.hpp"

namespace crescendo::launch {

using Bytes = std::vector<std::uint8_t>;

/// Orders and notices as they travel between nodes: CBOR (RFC 8949), each with the index of its kind. Both ends
/// run the same version, so nothing is said of it here.
Bytes encode(const std::vector<Order>& orders);
Bytes encode(const std::vector<Notice>& notices);

/// Throw nlohmann::json::exception where the bytes are not what encode() made.
std::vector<Order> decode_orders(const Bytes& bytes);
std::vector<Notice> decode_notices(const Bytes& bytes);

}  // namespace crescendo::launch
