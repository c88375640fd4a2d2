#include "launch/yaml/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace crescendo::launch {
void Mistakes::add(std::string key, std::string message, std::optional<std::size_t> offset) {
    if (std::ranges::find(excused_, key) == excused_.end()) {
        all_.push_back({std::move(key), std::move(message), offset});
    }
}

bool Mistakes::concern(std::string_view key) const {
    return std::ranges::any_of(all_, [&](const auto& each) { return is_part_of(key, each.key); }) ||
           std::ranges::any_of(excused_, [&](const auto& each) { return is_part_of(key, each); });
}

bool Mistakes::lie_in(std::string_view key) const {
    return std::ranges::any_of(all_, [&](const auto& each) { return is_part_of(each.key, key); });
}

void Mistakes::throw_if_any(const SourceMap& source) const {
    if (all_.empty()) {
        return;
    }
    auto sorted = all_;
    std::ranges::stable_sort(sorted, {}, [&](const auto& each) {
        const auto [line, column] = source.position_of(each.key);
        return std::pair(line, column);
    });
    std::string text;
    for (const auto& [key, message, offset] : sorted) {
        text += (text.empty() ? "" : "\n") + source.located(key, message, offset);
    }
    if (sorted.size() > 1) {
        text += fmt::format("\n{} mistakes", sorted.size());
    }
    throw InvalidInput(text, sorted.front().key);
}

}  // namespace crescendo::launch
