#include "launch/display/table.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "launch/display/display_width.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

bool is_number(const Cell& cell) {
    return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

bool is_missing(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

struct Exact {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(const auto& value) const { return to_string(Value(value)); }
};

struct ForPeople : Exact {
    using Exact::operator();
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(double value) const { return number_text(value, 5); }
    std::string operator()(const JsonValue& value) const { return printable(value.text); }
    std::string operator()(const std::string& value) const { return printable_line(value); }
};

struct ToJson {
    OrderedJson operator()(std::monostate) const { return nullptr; }
    OrderedJson operator()(double value) const { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(); }
    OrderedJson operator()(const JsonValue& value) const { return OrderedJson::parse(value.text); }
    OrderedJson operator()(const auto& value) const { return value; }
};

/// Indices of columns with distinct names: the first of each name. A user may ask for a column twice.
std::vector<std::size_t> distinct(const std::vector<std::string>& columns) {
    std::set<std::string_view> names;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (names.insert(columns[i]).second) {
            indices.push_back(i);
        }
    }
    return indices;
}

/// A row as an object with these columns, whose names differ. Appends without a search for duplicates, because there
/// may be a thousand columns.
OrderedJson object_of(const std::vector<std::string>& columns, const std::vector<std::size_t>& indices,
                      const std::vector<Cell>& row) {
    OrderedJson::object_t object;
    object.reserve(indices.size());
    for (const auto i : indices) {
        object.emplace_back(columns[i], cell_json(row[i]));
    }
    return object;
}

std::string quoted(std::string field) {
    field = printable(field);
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
        return field;
    }
    for (std::size_t i = 0; (i = field.find('"', i)) != std::string::npos; i += 2) {
        field.insert(i, 1, '"');
    }
    return '"' + field + '"';
}

std::string csv_line(const auto& fields, const auto& text_of) {
    std::string line;
    const char* separator = "";
    for (const auto& field : fields) {
        line += separator + quoted(text_of(field));
        separator = ",";
    }
    return line + '\n';
}

/// Aligns texts in columns, each as wide as its widest text, two spaces apart.
std::string align(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& to_the_right) {
    std::vector<std::size_t> widths(to_the_right.size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(line[i]));
        }
    }
    std::string result;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string padding(widths[i] - display_width(line[i]), ' ');
            result += (i == 0 ? "" : "  ") + (to_the_right[i] ? padding + line[i] : line[i] + padding);
        }
        result.erase(result.find_last_not_of(' ') + 1);
        result += '\n';
    }
    return result;
}

}  // namespace

OrderedJson cell_json(const Cell& cell) { return std::visit(ToJson{}, cell); }

Cell cell_from(const OrderedJson& json) { return json.is_null() ? Cell{} : to_cell(value_from_json(json)); }

Table::Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<Cell> cells) {
    CRESCENDO_EXPECT(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

Table Table::without_empty_columns() const {
    std::vector<std::size_t> kept;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (rows_.empty() || !std::ranges::all_of(rows_, [i](const auto& row) { return is_missing(row[i]); })) {
            kept.push_back(i);
            names.push_back(columns_[i]);
        }
    }
    Table table(std::move(names));
    for (const auto& row : rows_) {
        table.add_row(mapped(kept, [&](std::size_t i) { return row[i]; }));
    }
    return table;
}

std::string Table::print(Format format) const {
    if (format == Format::table) {
        return aligned();
    }
    TableText text(columns_, format);
    for (const auto& row : rows_) {
        text.add_row(row);
    }
    return std::move(text).take();
}

OrderedJson Table::rows_json() const {
    const auto indices = distinct(columns_);
    return mapped(rows_, [&](const auto& row) { return object_of(columns_, indices, row); });
}

std::string Table::aligned() const {
    std::vector<bool> to_the_right;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        to_the_right.push_back(
            std::all_of(rows_.begin(), rows_.end(),
                        [&](const auto& row) { return is_number(row[i]) || is_missing(row[i]); }) &&
            std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return is_number(row[i]); }));
    }
    std::vector<std::vector<std::string>> lines{mapped(columns_, ForPeople{})};
    for (const auto& row : rows_) {
        lines.push_back(mapped(row, [](const Cell& cell) { return std::visit(ForPeople{}, cell); }));
    }
    return align(lines, to_the_right);
}

TableText::TableText(std::vector<std::string> columns, Format format)
    : columns_(std::move(columns)),
      distinct_(distinct(columns_)),
      is_json_(format == Format::json),
      text_(is_json_ ? "[" : csv_line(columns_, [](const std::string& name) { return name; })) {
    CRESCENDO_EXPECT(format != Format::table);
}

void TableText::add_row(const std::vector<Cell>& cells) {
    CRESCENDO_EXPECT(cells.size() == columns_.size());
    if (is_json_) {
        text_ += text_.size() > 1 ? ",\n  " : "\n  ";
        text_ += one_line(object_of(columns_, distinct_, cells));
    } else {
        text_ += csv_line(cells, [](const Cell& cell) { return std::visit(Exact{}, cell); });
    }
}

std::string TableText::take() && {
    if (is_json_) {
        text_ += text_.size() > 1 ? "\n]\n" : "]\n";
    }
    return std::move(text_);
}

}  // namespace crescendo::launch
