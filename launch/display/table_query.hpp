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

/// The rows and columns of a table that the user wants to see.
struct TableQuery {
    std::string where;                 ///< a condition on the columns (docs/search-space.md); empty: every row
    std::vector<std::string> sort;     ///< "name", "name:asc" or "name:desc"; each breaks the ties of those before it
    std::vector<std::string> columns;  ///< in this order; empty: all
    std::optional<std::size_t> limit;  ///< maximum number of rows, counted after sorting
};

/// Facts about columns that their cells do not show.
struct ColumnFacts {
    std::map<std::string, std::vector<Value>> values;  ///< all values that a column can have, if they are few
    std::set<std::string> largest_first;               ///< columns whose usual order is descending
};

/// Indices of the rows that `query` selects, in its order. A row is left out if the condition depends on a value that
/// the row lacks. Missing values, and numbers that are not finite, sort last. Throws InvalidInput that names the option
/// and the problem and, for a condition, the character.
std::vector<std::size_t> find_rows(const Table& table, const TableQuery& query, const ColumnFacts& facts);

/// A table with only these rows, each listed once, and only these columns; no columns: all. Throws InvalidInput if a
/// column does not exist.
Table pick(Table table, const std::vector<std::size_t>& rows, const std::vector<std::string>& columns);

}  // namespace crescendo::launch
