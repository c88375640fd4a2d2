#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/value.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

enum class Format { table, json, csv };

/// The value of one cell. std::monostate: there is no value.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonValue>;

/// A cell with the number; without a value if the number is not finite.
inline Cell finite_cell(double number) { return std::isfinite(number) ? Cell{number} : Cell{}; }

/// A cell with the number; without a value if there is none.
inline Cell known_cell(std::optional<double> number) { return number ? Cell{*number} : Cell{}; }

/// A cell with a parameter's value.
inline Cell to_cell(const Value& value) {
    return std::visit([](const auto& each) -> Cell { return each; }, value);
}

/// The cell in JSON: null if it has no value or a number that is not finite.
OrderedJson cell_json(const Cell& cell);

/// The cell that `json` describes: no value for null. Throws InvalidInput as value_from_json() does.
Cell cell_from(const OrderedJson& json);

/// Rows under named columns as text in json or csv, as Table::print() writes them. It keeps no cells, which take
/// several times the memory of their text.
class TableText {
  public:
    TableText(std::vector<std::string> columns, Format format);

    /// Adds a row with one cell for each column.
    void add_row(const std::vector<Cell>& cells);

    /// The text of the whole table. Call it once, after the last row.
    std::string take() &&;

  private:
    std::vector<std::string> columns_;
    std::vector<std::size_t> distinct_;  ///< indices of columns with distinct names
    bool is_json_;
    std::string text_;
};

/// Rows under named columns, for people and for programs.
class Table {
  public:
    explicit Table(std::vector<std::string> columns);

    /// Adds a row with one cell for each column.
    void add_row(std::vector<Cell> cells);

    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<std::vector<Cell>>& rows() const { return rows_; }
    std::vector<std::vector<Cell>> take_rows() && { return std::move(rows_); }

    /// This table without columns that are empty in every row. People do not need these; programs need a stable set of
    /// columns.
    Table without_empty_columns() const;

    /// Prints the table as lines, each with a line feed.
    /// table: aligned columns, numbers to the right and as number_text() prints them, "-" for no value;
    /// json: a list of objects, null for no value and for numbers that are not finite;
    /// csv: a header and one line per row, quoted as RFC 4180 says, empty for no value.
    /// Numbers in json and csv read back bit for bit. Control characters in texts are escaped, as printable() does.
    std::string print(Format format) const;

    /// A list of objects, one per row, as print() writes them in JSON.
    OrderedJson rows_json() const;

  private:
    std::string aligned() const;

    std::vector<std::string> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace crescendo::launch
