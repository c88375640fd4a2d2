#pragma once

#include <cstdint>
#include <vector>

#include "launch/messages/messages.hpp"

namespace crescendo::launch {

using Bytes = std::vector<std::uint8_t>;

/// Encodes orders and notices for transfer between nodes, as CBOR (RFC 8949), each with the index of its kind. There is
/// no version number, because both ends run the same version.
Bytes encode(const std::vector<Order>& orders);
Bytes encode(const std::vector<Notice>& notices);

/// Both throw nlohmann::json::exception if the bytes do not come from encode().
std::vector<Order> decode_orders(const Bytes& bytes);
std::vector<Notice> decode_notices(const Bytes& bytes);

}  // namespace crescendo::launch
