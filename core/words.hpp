#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/spelling.hpp"

namespace crescendo {

/// The words for the values of an enum in files and messages: one table, which is read in both directions.
template <class Enum, std::size_t Count>
class Words {
  public:
    constexpr explicit Words(const std::pair<Enum, const char*> (&table)[Count]) : table_(std::to_array(table)) {}

    constexpr bool has(Enum value) const {
        return std::any_of(table_.begin(), table_.end(), [&](const auto& row) { return row.first == value; });
    }

    /// The word of a value. Every value must be in the table.
    constexpr const char* of(Enum value) const {
        const auto found =
            std::find_if(table_.begin(), table_.end(), [&](const auto& row) { return row.first == value; });
        CRESCENDO_EXPECT(found != table_.end());
        return found->second;
    }

    /// The value with this word; nothing if there is none.
    constexpr std::optional<Enum> find(std::string_view word) const {
        const auto found =
            std::find_if(table_.begin(), table_.end(), [&](const auto& row) { return row.second == word; });
        return found == table_.end() ? std::nullopt : std::optional(found->first);
    }

    /// The rows of the table: pairs of a value and its word.
    constexpr auto begin() const { return table_.begin(); }
    constexpr auto end() const { return table_.end(); }

    std::vector<std::string> all() const {
        return mapped(table_, [](const auto& row) { return std::string(row.second); });
    }

    /// All words, for messages: "new, checkpoint or memory".
    std::string list() const { return enumerate(all()); }

  private:
    std::array<std::pair<Enum, const char*>, Count> table_;
};

}  // namespace crescendo
