#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"

// Messages of the trial protocol as JSON objects. Both ends write and read them with this code. Both pass nlohmann's
// type as `Json`, because core/ itself uses no library.
namespace crescendo::protocol {

/// Converts each value of a message to JSON.
template <class Json>
struct ValueWriter {
    template <class Tag>
    Json operator()(const Id<Tag>& id) const {
        return id.value;
    }
    Json operator()(const Resource& resource) const { return resource.value; }
    Json operator()(const JsonText& json) const { return Json::parse(json.text); }
    Json operator()(const StateSource& source) const { return state_sources.of(source); }
    Json operator()(const Metrics& metrics) const {
        Json object = Json::object();
        for (const auto& [name, value] : metrics) {
            object[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
        }
        return object;
    }
    template <class Value>
    Json operator()(const std::optional<Value>& value) const {
        return value ? (*this)(*value) : Json(nullptr);
    }
    template <class Value>
    Json operator()(const Value& value) const {
        return value;
    }
};

/// Reads each value of a message from JSON. Throws what `Json` throws if the value has another type, and
/// std::runtime_error if it is not one of the values that the member can have.
template <class Json>
struct ValueReader {
    const Json& json;

    template <class Tag>
    void operator()(Id<Tag>& id) const {
        (*this)(id.value);
    }
    void operator()(Resource& resource) const { (*this)(resource.value); }
    void operator()(JsonText& value) const { value.text = json.dump(); }
    void operator()(StateSource& source) const {
        const auto word = json.template get<std::string>();
        const auto known = state_sources.find(word);
        if (!known) {
            throw std::runtime_error(text("state is \"{}\"; it must be {}", word, state_sources.list()));
        }
        source = *known;
    }
    void operator()(Metrics& metrics) const {
        for (const auto& [name, value] : json.items()) {
            metrics[name] =
                value.is_number() ? value.template get<double>() : std::numeric_limits<double>::quiet_NaN();
        }
    }
    /// A measure that is not a number counts as missing.
    void operator()(std::optional<double>& measure) const {
        if (json.is_number()) {
            measure = json.template get<double>();
        }
    }
    template <class Value>
    void operator()(std::optional<Value>& value) const {
        (*this)(value.emplace());
    }
    template <class Value>
    void operator()(Value& value) const {
        if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
            if (!is_whole<Value>()) {  // `Json` would make another number of it
                throw std::runtime_error(text("{} is not a whole number of {} bits", json.dump(), 8 * sizeof(Value)));
            }
        }
        json.get_to(value);
    }

  private:
    /// Whether it is a whole number that `Number` can hold. Some languages write 3 as 3.0.
    template <class Number>
    bool is_whole() const {
        if (json.is_number_float()) {
            constexpr double exact = 9007199254740992.0;  // 2^53: a double holds every whole number up to here
            const auto number = json.template get<double>();
            return number == std::floor(number) && std::abs(number) <= exact &&
                   std::in_range<Number>(static_cast<std::int64_t>(number));
        }
        return json.is_number_unsigned()
                   ? std::in_range<Number>(json.template get<std::uint64_t>())
                   : json.is_number_integer() && std::in_range<Number>(json.template get<std::int64_t>());
    }
};

/// The message as an object with its type. Optional members without a value are left out.
template <class Json, class Message>
Json write(const Message& message) {
    Json json = Json::object();
    json["type"] = Message::name;
    for_each_field(Message::fields(), [&](const auto& field) {
        auto value = ValueWriter<Json>()(field.of(message));
        if (field.presence == Presence::required || !value.is_null()) {
            json[field.key] = std::move(value);
        }
    });
    return json;
}

/// Reads these fields of a message, and ignores other keys. An optional key may be null. Throws what `Json` throws if a
/// required key is missing, or what ValueReader throws.
template <class Message, class Json, class Fields>
Message read(const Json& json, const Fields& fields) {
    Message message;
    for_each_field(fields, [&](const auto& field) {
        const auto found = json.find(field.key);
        if (field.presence == Presence::required) {
            ValueReader<Json>{json.at(field.key)}(field.of(message));
        } else if (found != json.end() && !found->is_null()) {
            ValueReader<Json>{*found}(field.of(message));
        }
    });
    return message;
}

template <class Message, class Json>
Message read(const Json& json) {
    return read<Message>(json, Message::fields());
}

}  // namespace crescendo::protocol
