#include "launch/files/csv_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "core/trimmed.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t";

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& path) : path_(path), content_(read_file(path)) {
    if (content_.starts_with(byte_order_mark)) {
        at_ = byte_order_mark.size();
    }
    if (!read_row()) {
        fail("the file is empty; its first line must name the columns");
    }
    for (const auto field : fields_) {
        if (find_column(trimmed(field, blanks))) {
            fail(fmt::format("two columns have the name '{}'; rename one", trimmed(field, blanks)));
        }
        names_.emplace_back(trimmed(field, blanks));
    }
}

std::optional<std::size_t> CsvFile::find_column(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names_.begin()));
}

std::size_t CsvFile::column(std::string_view name) const {
    const auto found = find_column(name);
    if (!found) {
        const bool has_semicolons = names_.size() == 1 && names_.front().find(';') != std::string::npos;
        throw InvalidInput(fmt::format(
            "{}:1: there is no column '{}'; the first line must name it, but names {}{}", path_.string(), name,
            fmt::join(names_, ", "), has_semicolons ? "; separate fields with commas, and use points in numbers" : ""));
    }
    return *found;
}

std::optional<std::size_t> CsvFile::find_column(std::string_view kind, std::string_view name) const {
    const auto longer = find_column(fmt::format("{}.{}", kind, name));
    return longer ? longer : find_column(name);
}

std::size_t CsvFile::column(std::string_view kind, std::string_view name) const {
    const auto found = find_column(kind, name);
    return found ? *found : column(name);  // throws, and says what is missing
}

bool CsvFile::next() {
    if (!read_row()) {
        return false;
    }
    if (fields_.size() != names_.size()) {
        fail(fmt::format("the line has {} fields but the first line has {}; put fields that contain commas in quotes",
                         fields_.size(), names_.size()));
    }
    return true;
}

bool CsvFile::read_row() {
    while (at_ < content_.size() && (content_[at_] == '\n' || content_.compare(at_, 2, "\r\n") == 0)) {
        at_ += content_[at_] == '\n' ? 1 : 2;
        ++next_line_;
    }
    if (at_ >= content_.size()) {
        return false;
    }
    line_ = next_line_;
    fields_.clear();
    for (;;) {
        fields_.push_back(content_[at_] == '"' ? read_quoted_field() : read_field());
        if (at_ >= content_.size()) {
            return true;
        }
        const char separator = content_[at_];
        ++at_;
        if (separator == '\n') {
            ++next_line_;
            return true;
        }
        if (at_ == content_.size()) {  // the file ends in a comma
            fields_.emplace_back();
            return true;
        }
    }
}

/// Leaves `at_` at the comma or line feed after the field, or at the end.
std::string_view CsvFile::read_field() {
    const auto begin = at_;
    at_ = std::min(content_.find_first_of(",\n", begin), content_.size());
    auto end = at_;
    if (end > begin && content_[end - 1] == '\r' && (end == content_.size() || content_[end] == '\n')) {
        --end;
    }
    return std::string_view(content_).substr(begin, end - begin);
}

std::string_view CsvFile::read_quoted_field() {
    const auto begin = at_;
    auto end = begin;  // end of the unescaped text, which overwrites the field from its opening quote on
    for (++at_;; ++at_) {
        if (at_ >= content_.size()) {
            fail("a quote is not closed; double the quotes inside a field");
        }
        if (content_[at_] == '"') {
            ++at_;
            if (at_ >= content_.size() || content_[at_] != '"') {
                break;
            }
        } else if (content_[at_] == '\n') {
            ++next_line_;
        }
        content_[end++] = content_[at_];
    }
    if (content_.compare(at_, 2, "\r\n") == 0 || content_.compare(at_, std::string::npos, "\r") == 0) {
        ++at_;
    }
    if (at_ < content_.size() && content_[at_] != ',' && content_[at_] != '\n') {
        fail("text follows the closing quote of a field; double the quotes inside a field");
    }
    return std::string_view(content_).substr(begin, end - begin);
}

template <class Number>
Number CsvFile::parsed(std::size_t column, std::string_view kind) const {
    const auto value = number_from<Number>(trimmed(fields_[column], blanks));
    if (!value) {
        fail_at(column, kind);
    }
    return *value;
}

double CsvFile::number(std::size_t column) const { return parsed<double>(column, "number"); }

double CsvFile::finite_number(std::size_t column) const {
    const double value = number(column);
    if (!std::isfinite(value)) {
        fail_at(column, "finite number");
    }
    return value;
}

std::int64_t CsvFile::whole_number(std::size_t column) const { return parsed<std::int64_t>(column, "whole number"); }

void CsvFile::fail_at(std::size_t column, std::string_view kind) const {
    fail(fmt::format("'{}' in the column '{}' is not a {}; correct it, or remove the line", fields_[column],
                     names_[column], kind));
}

void CsvFile::fail(std::string_view message) const {
    throw InvalidInput(fmt::format("{}:{}: {}", path_.string(), line_, message));
}

}  // namespace crescendo::launch
