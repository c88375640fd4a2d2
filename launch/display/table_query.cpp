#include "launch/display/table_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "core/utf8.hpp"
#include "scheduler/expressions/expression.hpp"

namespace crescendo::launch {
namespace {

struct ToValue {
    std::optional<Value> operator()(std::monostate) const { return {}; }
    std::optional<Value> operator()(double number) const {
        return std::isfinite(number) ? std::optional<Value>(number) : std::nullopt;
    }
    std::optional<Value> operator()(const auto& value) const { return Value(value); }
};

/// The value of a cell; nothing if it is missing, or is a number that is not finite.
std::optional<Value> value_of(const Cell& cell) { return std::visit(ToValue{}, cell); }

std::size_t column_of(const Table& table, const std::string& name, const char* option) {
    const auto& names = table.columns();
    const auto found = std::ranges::find(names, name);
    CRESCENDO_VALIDATE(found != names.end(), "", "{}: there is no column '{}'{}; the columns are {}", option, name,
                       did_you_mean(name, names), enumerate(names, " and "));
    return static_cast<std::size_t>(found - names.begin());
}

/// The symbols of a condition. If two columns have the same name, it means the first.
Symbols symbols_of(const Table& table, const ColumnFacts& facts) {
    Symbols symbols;
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
        const auto& name = table.columns()[i];
        const auto known = facts.values.find(name);
        Symbol symbol{i, Type::number, known == facts.values.end() ? std::vector<Value>{} : known->second};
        std::optional<Type> type;
        const auto take = [&](const Value& value) {
            type = type ? common_type(*type, type_of(value)) : type_of(value);
        };
        std::ranges::for_each(symbol.values, take);
        for (const auto& row : table.rows()) {
            if (const auto value = value_of(row[i])) {
                take(*value);
            }
        }
        symbol.type = type.value_or(Type::number);
        symbols.emplace(name, std::move(symbol));
    }
    return symbols;
}

/// Throws the error, followed by the expression with a mark below the character.
[[noreturn]] void fail(const std::string& where, const ExpressionError& error, const std::vector<std::string>& names) {
    const auto advice = error.unknown_name().empty() ? "" : did_you_mean(error.unknown_name(), names);
    const auto before = where.substr(0, error.offset());
    const auto column = num_characters(before);
    throw InvalidInput(fmt::format("--where, character {}: {}{}\n  {}\n  {:>{}}", column + 1, error.what(), advice,
                                   where, "^", column + 1));
}

std::vector<std::size_t> rows_where(const Table& table, const std::string& where, const ColumnFacts& facts) {
    std::vector<std::size_t> rows(table.rows().size());
    std::iota(rows.begin(), rows.end(), 0U);
    if (where.empty()) {
        return rows;
    }
    try {
        const auto symbols = symbols_of(table, facts);
        const Expression condition(where, symbols);
        if (condition.type() != Type::boolean) {
            throw ExpressionError(fmt::format("this is {}, but a condition is true or false; compare it with something",
                                              describe(condition.type())),
                                  0);
        }
        std::vector<bool> is_number(table.columns().size());
        for (const auto& [name, symbol] : symbols) {
            is_number[symbol.index] = symbol.type == Type::number;
        }
        std::erase_if(rows, [&](std::size_t row) {
            const auto values = mapped(table.rows()[row], value_of);
            std::vector<Datum> data;
            for (std::size_t i = 0; i < values.size(); ++i) {
                auto datum = values[i] ? to_datum(*values[i]) : Datum{};
                if (const auto* whole = std::get_if<std::int64_t>(&datum); whole != nullptr && is_number[i]) {
                    datum = static_cast<double>(*whole);
                }
                data.push_back(datum);
            }
            const auto holds = condition.evaluate(data);
            return is_absent(holds) || !std::get<bool>(holds);
        });
    } catch (const ExpressionError& error) {
        fail(where, error, table.columns());
    }
    return rows;
}

struct SortKey {
    std::size_t column;
    bool is_descending;
};

SortKey read_sort_key(const Table& table, const std::string& text, const ColumnFacts& facts) {
    const auto colon = text.rfind(':');
    const auto order = colon == std::string::npos ? "" : text.substr(colon + 1);
    const auto is_column = [&](const std::string& name) {
        return std::ranges::find(table.columns(), name) != table.columns().end();
    };
    const bool is_whole = is_column(text);
    const bool is_ordered = order == "asc" || order == "desc";
    CRESCENDO_VALIDATE(is_whole || is_ordered || colon == std::string::npos || !is_column(text.substr(0, colon)),
                       "", "--sort: {} ends in :{}; write :asc or :desc", text, order);
    if (is_whole || !is_ordered) {
        return {column_of(table, text, "--sort"), facts.largest_first.contains(text)};
    }
    return {column_of(table, text.substr(0, colon), "--sort"), order == "desc"};
}

/// Whether `a` comes before `b` in ascending order. Whole and floating-point numbers share one order; other types are
/// ordered as in Value.
bool is_less(const Value& a, const Value& b) {
    const auto number = [](const Value& value) -> std::optional<double> {
        if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            return static_cast<double>(*whole);
        }
        const auto* real = std::get_if<double>(&value);
        return real != nullptr ? std::optional(*real) : std::nullopt;
    };
    const auto x = number(a), y = number(b);
    return x && y ? *x < *y : a < b;
}

}  // namespace

std::vector<std::size_t> find_rows(const Table& table, const TableQuery& query, const ColumnFacts& facts) {
    auto rows = rows_where(table, query.where, facts);
    const auto keys = mapped(query.sort, [&](const auto& text) { return read_sort_key(table, text, facts); });
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
        std::ranges::stable_sort(rows, [&](std::size_t left, std::size_t right) {
            const auto a = value_of(table.rows()[left][key->column]);
            const auto b = value_of(table.rows()[right][key->column]);
            if (!a || !b) {
                return a.has_value() && !b;
            }
            return key->is_descending ? is_less(*b, *a) : is_less(*a, *b);
        });
    }
    rows.resize(std::min(rows.size(), query.limit.value_or(rows.size())));
    return rows;
}

Table pick(Table table, const std::vector<std::size_t>& rows, const std::vector<std::string>& columns) {
    const auto indices = mapped(columns, [&](const auto& name) { return column_of(table, name, "--columns"); });
    Table result(columns.empty() ? table.columns() : columns);
    auto all = std::move(table).take_rows();
    for (const auto row : rows) {
        auto cells = std::move(all[row]);
        if (!columns.empty()) {
            cells = mapped(indices, [&](std::size_t i) { return cells[i]; });
        }
        result.add_row(std::move(cells));
    }
    return result;
}

}  // namespace crescendo::launch
