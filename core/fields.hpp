#pragma once

#include <tuple>
#include <utility>

namespace crescendo {

/// Whether a message is understood without a key.
enum class Presence {
    required,
    optional,  ///< the member keeps its default
};

/// A member of a struct, with the key that it has in messages.
///
/// A struct that is sent has a `static constexpr auto fields()` with all of its fields as a tuple. What writes and
/// reads messages needs nothing else, so a new field is declared once.
template <class Message, class Value>
struct Field {
    const char* key;
    Value Message::* member;
    Presence presence = Presence::required;
};

template <class Message>
concept HasFields = requires { Message::fields(); };

/// Calls `use(field)` for each of the fields, in their order.
template <class Fields, class Use>
constexpr void for_each_field(const Fields& fields, Use&& use) {
    std::apply([&](const auto&... field) { (use(field), ...); }, fields);
}

}  // namespace crescendo
