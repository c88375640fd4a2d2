#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// Which rows and columns of a table somebody wants to see.
struct TableQuery {
    std::string where;                 ///< a condition on the columns (docs/search-space.md); empty: every row
    std::vector<std::string> sort;     ///< "name", "name:asc" or "name:desc": the first decides, the next at equality
    std::vector<std::string> columns;  ///< in this order; none: all
    std::optional<std::size_t> limit;  ///< most rows, after sorting
};

/// What the columns hold, beyond what their cells tell.
struct ColumnFacts {
    std::map<std::string, std::vector<Value>> values;  ///< all that a column can have, where they are few
    std::set<std::string> largest_first;               ///< columns whose usual order is descending
};

/// Indices of the rows that `query` wants, in its order. A row for which the condition depends on a missing value is
/// left out; missing values and NaN sort last. Throws InvalidInput that names the option and what is wrong: for a
/// condition with the character.
std::vector<std::size_t> find_rows(const Table& table, const TableQuery& query, const ColumnFacts& facts);

/// A table with these rows, each of them once, and columns only; no columns: all. Throws InvalidInput on a column that
/// is not there.
Table pick(Table table, const std::vector<std::size_t>& rows, const std::vector<std::string>& columns);

}  // namespace crescendo::launch
