#include "launch/yaml/yaml_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/check.hpp"
#include "core/spelling.hpp"

namespace crescendo::launch {
namespace {

bool is_string(const OrderedJson& value) { return value.is_string(); }
bool is_number(const OrderedJson& value) { return value.is_number(); }
bool is_integer(const OrderedJson& value) { return value.is_number_integer(); }
bool is_object(const OrderedJson& value) { return value.is_object(); }
bool is_list(const OrderedJson& value) { return value.is_array(); }

/// What the parser could not read, it has told, and left as discarded.
const OrderedJson& readable(const OrderedJson& value) {
    const bool has_unreadable_items =
        value.is_array() && std::ranges::any_of(value, [](const auto& item) { return item.is_discarded(); });
    if (value.is_discarded() || has_unreadable_items) {
        throw AlreadyTold{};
    }
    return value;
}

}  // namespace

std::string describe(const OrderedJson& value) {
    switch (value.type()) {
        case OrderedJson::value_t::null:
            return "there is no value";
        case OrderedJson::value_t::boolean:
            return value.dump() + " is a boolean";
        case OrderedJson::value_t::number_integer:
        case OrderedJson::value_t::number_unsigned:
            return value.dump() + " is a whole number";
        case OrderedJson::value_t::number_float:
            return value.dump() + " is a number";
        case OrderedJson::value_t::string:
            return fmt::format("'{}' is text", value.get<std::string>());
        case OrderedJson::value_t::array:
            return "this is a list";
        default:
            return "this is a map";
    }
}

std::string YamlSection::key_of(std::string_view name) const {
    return fmt::format("{}{}{}", key_, key_.empty() || name.empty() ? "" : ".", name);
}

void YamlSection::fail(std::string_view name, std::string_view message) const {
    throw InvalidInput(std::string(message), key_of(name));
}

const OrderedJson& YamlSection::at(const std::string& name) const { return readable(map_.at(name)); }

bool YamlSection::allow(const std::vector<std::string>& names) const {
    bool all_known = true;
    for (const auto& [name, value] : map_.items()) {
        if (name == "<<") {
            mistakes_.add(key_of(name), "is YAML's merge key, which is not read here; write its keys out");
            all_known = false;
        } else if (std::find(names.begin(), names.end(), name) == names.end()) {
            if (const auto meant = nearest_word(name, names); meant && !has(*meant)) {
                mistakes_.excuse(key_of(*meant));
            }
            mistakes_.add(key_of(name),
                          fmt::format("unknown key{}; {} {}", did_you_mean(name, names),
                                      key_.empty() ? "this file takes" : key_ + " has", enumerate(names, " and ")));
            all_known = false;
        }
    }
    return all_known;
}

const OrderedJson* YamlSection::find(const std::string& name, bool (*fits)(const OrderedJson&),
                                     std::string_view expected) const {
    const auto found = map_.find(name);
    if (found == map_.end()) {
        return nullptr;
    }
    if (!fits(readable(*found))) {
        fail(name, fmt::format("{}; it takes {}", describe(*found), expected));
    }
    return &*found;
}

std::optional<std::string> YamlSection::string(const std::string& name) const {
    const auto* value = find(name, is_string, "text; put it in quotes if it looks like a number");
    return value == nullptr ? std::nullopt : std::optional(value->get<std::string>());
}

std::optional<double> YamlSection::number(const std::string& name) const {
    const auto* value = find(name, is_number, "a number, such as 0.5 or 1e-4, without quotes");
    return value == nullptr ? std::nullopt : std::optional(value->get<double>());
}

std::optional<std::int64_t> YamlSection::integer(const std::string& name) const {
    const auto* value = find(name, is_integer, "a whole number, such as 3, without quotes");
    return value == nullptr ? std::nullopt : std::optional(value->get<std::int64_t>());
}

std::optional<int> YamlSection::small_integer(const std::string& name) const {
    const auto value = integer(name);
    if (!value) {
        return {};
    }
    if (!std::in_range<int>(*value)) {
        fail(name, fmt::format("is {}; use a number from {} to {}", *value, std::numeric_limits<int>::min(),
                               std::numeric_limits<int>::max()));
    }
    return static_cast<int>(*value);
}

std::optional<int> YamlSection::integer_from(int min, const std::string& name) const {
    const auto value = small_integer(name);
    if (value && *value < min) {
        fail(name, fmt::format("is {}; use {} or more", *value, min));
    }
    return value;
}

std::optional<std::vector<std::string>> YamlSection::strings(const std::string& name, std::string_view example) const {
    const auto* value = find(name, is_list, fmt::format("a list of texts, such as {}", example));
    if (value == nullptr) {
        return {};
    }
    std::vector<std::string> texts;
    for (const auto& item : *value) {
        if (!item.is_string()) {
            const auto* remedy = item.is_null() ? "remove it, or write \"\" for an empty one" : "put it in quotes";
            mistakes_.add(fmt::format("{}[{}]", key_of(name), texts.size()),
                          fmt::format("{}, and an item of {} is text; {}", describe(item), key_of(name), remedy));
        }
        texts.push_back(item.is_string() ? item.get<std::string>() : "");
    }
    return texts;
}

std::optional<YamlSection> YamlSection::section(const std::string& name, std::string_view example) const {
    const auto* value = find(name, is_object, fmt::format("a map, such as {}: {}", name, example));
    return value == nullptr ? std::nullopt : std::optional(YamlSection(*value, key_of(name), mistakes_));
}

std::optional<std::string> YamlSection::word(const std::string& name, const std::vector<std::string>& words,
                                             const std::vector<UnsupportedWord>& unsupported) const {
    if (const auto found = map_.find(name); found != map_.end() && found->is_boolean()) {
        const std::string text = found->get<bool>() ? "on" : "off";
        if (std::find(words.begin(), words.end(), text) != words.end()) {
            return text;
        }
    }
    const auto* value = find(name, is_string, enumerate(words));
    if (value == nullptr) {
        return {};
    }
    auto chosen = value->get<std::string>();
    for (const auto& [text, remedy] : unsupported) {
        if (chosen == text) {
            fail(name, fmt::format("'{}' is not supported by this version; {}", chosen, remedy));
        }
    }
    if (std::find(words.begin(), words.end(), chosen) == words.end()) {
        fail(name,
             fmt::format("'{}' is unknown here{}; use {}", chosen, did_you_mean(chosen, words), enumerate(words)));
    }
    return chosen;
}

}  // namespace crescendo::launch
