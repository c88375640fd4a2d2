#include "launch/yaml/source_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::launch {

bool is_part_of(std::string_view key, std::string_view whole) {
    return key.starts_with(whole) &&
           (key.size() == whole.size() || whole.empty() || key[whole.size()] == '.' || key[whole.size()] == '[');
}

Position SourceMap::position_of(std::string_view key) const {
    while (!key.empty()) {
        if (const auto found = positions_.find(key); found != positions_.end()) {
            return found->second;
        }
        const auto separator = key.find_last_of(".[");
        key = key.substr(0, separator == std::string_view::npos ? 0 : separator);
    }
    return {};
}

Position SourceMap::position_of(std::string_view key, std::size_t offset) const {
    const auto text = texts_.find(key);
    return text == texts_.end() ? position_of(key)
                                : Position{text->second.line, text->second.column + static_cast<int>(offset)};
}

std::string SourceMap::located(std::string_view key, std::string_view message,
                               std::optional<std::size_t> offset) const {
    if (std::ranges::any_of(replaced_, [&](const auto& each) { return is_part_of(key, each); })) {
        return fmt::format("{}: {}", key, message);
    }
    const auto [line, column] = offset ? position_of(key, *offset) : position_of(key);
    return fmt::format("{}:{}:{}: {}{}{}", file_, line, column, key, key.empty() ? "" : ": ", message);
}

void SourceMap::fail(std::string_view key, std::string_view message) const {
    throw InvalidInput(located(key, message), std::string(key));
}

}  // namespace crescendo::launch
