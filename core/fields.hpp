#pragma once

#include <tuple>

namespace crescendo {

/// Whether a message may lack a key.
enum class Presence {
    required,
    optional,  ///< the member keeps its default
};

/// A member of a struct, with the key that it has in messages.
///
/// A struct that is sent has a `static constexpr auto fields()` that returns all of its fields as a tuple. The code
/// that writes and reads messages needs nothing else, so a new field is declared once.
template <class Message, class Value>
struct Field {
    const char* key;
    Value Message::* member;
    Presence presence = Presence::required;

    /// The field's member of `message`, to read or write.
    constexpr auto& of(auto& message) const { return message.*member; }
};

/// A member of a struct that is itself a member of a message. Its key is on the same level as the message's own keys.
template <class Message, class Part, class Value>
struct NestedField {
    const char* key;
    Part Message::* part;
    Value Part::* member;
    Presence presence;

    constexpr auto& of(auto& message) const { return message.*part.*member; }
};

/// The fields of `part`, as fields of the message that has `part` as a member.
template <class Message, class Part>
constexpr auto fields_of(Part Message::* part) {
    return std::apply(
        [&](const auto&... field) {
            return std::tuple(NestedField{field.key, part, field.member, field.presence}...);
        },
        Part::fields());
}

template <class Message>
concept HasFields = requires { Message::fields(); };

/// Calls `use(field)` for each of the fields, in their order.
template <class Fields, class Use>
constexpr void for_each_field(const Fields& fields, Use&& use) {
    std::apply([&](const auto&... field) { (use(field), ...); }, fields);
}

}  // namespace crescendo

#if defined(__clang__) && __clang_major__ < 17  // these do not deduce the arguments of aggregates by themselves
namespace crescendo {

template <class Message, class Value>
Field(const char*, Value Message::*) -> Field<Message, Value>;
template <class Message, class Value>
Field(const char*, Value Message::*, Presence) -> Field<Message, Value>;
template <class Message, class Part, class Value>
NestedField(const char*, Part Message::*, Value Part::*, Presence) -> NestedField<Message, Part, Value>;

}  // namespace crescendo
#endif
