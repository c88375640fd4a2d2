#include "datasets/sources/csv.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "core/spelling.hpp"
#include "core/trimmed.hpp"

namespace crescendo::datasets {
namespace {

/// The byte order mark that Excel writes at the start of UTF-8 CSV files.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The content of a cell, without surrounding blanks and quotes.
std::string_view content_of(std::string_view cell) {
    cell = trimmed(cell, " \t\r");
    const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// Parses all of `cell` as a number, which may have a plus sign.
template <class Number>
std::optional<Number> parse(std::string_view cell) {
    if (cell.starts_with('+')) {
        cell.remove_prefix(1);
    }
    return number_from<Number>(cell);
}

/// Whether `cell` has the form of a number, even one that does not fit in 64 bits.
bool looks_like_number(std::string_view cell) {
    double value = 0;
    const auto from = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(from, cell.data() + cell.size(), value);
    return error != std::errc::invalid_argument && end == cell.data() + cell.size();
}

/// Whether the cells number the columns from 0, as pandas writes for unnamed columns. The cell above its index column,
/// before them, is empty. Fewer than three such cells may well be data.
bool counts_columns(const std::vector<std::string_view>& cells) {
    const std::size_t first = cells.front().empty() ? 1 : 0;
    for (std::size_t column = first; column < cells.size(); ++column) {
        if (cells[column] != std::to_string(column - first)) {
            return false;
        }
    }
    return cells.size() >= first + 3;
}

template <class Number>
void append(Number value, std::span<std::byte>& out) {
    std::memcpy(out.data(), &value, sizeof value);
    out = out.subspan(sizeof value);
}

}  // namespace

CsvSet::CsvSet(const std::filesystem::path& file, const CsvOptions& options)
    : name_(file.string()), file_(file, std::ios::binary) {
    CRESCENDO_VALIDATE(file_.good() && !std::filesystem::is_directory(file), "",
                       "{} cannot be opened: no such file, or no permission to read it", name_);
    CRESCENDO_VALIDATE(next_line(), "", "{} is empty", name_);
    CRESCENDO_VALIDATE(
        !counts_columns(cells_), "",
        "{}: the first line numbers the columns, as pandas does for columns without names, so it is not a sample; "
        "write the table with to_csv(header=False, index=False). If it is a sample, put a line of names before it",
        name_);
    // An empty cell may be a missing number.
    has_header_ =
        std::any_of(cells_.begin(), cells_.end(), [](auto cell) { return !cell.empty() && !looks_like_number(cell); });
    for (std::size_t column = 0; column < cells_.size(); ++column) {
        names_.push_back(has_header_ ? std::string(cells_[column]) : std::to_string(column));
    }
    find_targets(options.targets);

    rewind();
    CRESCENDO_VALIDATE(!file_.fail(), "", "{} is a pipe, but a table is read twice; write it to a file first", name_);
    bool integers = true;
    std::optional<std::int64_t> index = has_header_ && names_.front().empty() ? 0 : std::optional<std::int64_t>();
    for (; next_line(); ++num_samples_) {
        check_line(integers);
        const auto number = parse<std::int64_t>(cells_.front());
        const bool counts = index && number && (num_samples_ == 0 ? *number == 0 || *number == 1 : *number == *index);
        index = counts ? std::optional(*number + 1) : std::nullopt;
    }
    CRESCENDO_VALIDATE(!index || num_samples_ < 2, "",
                       "{}: the first column has no name and numbers the lines, like the index that pandas and R "
                       "write; a model would learn from it. Leave it out with to_csv(index=False) or row.names = "
                       "FALSE, or give it a name if it is an input",
                       name_);
    const auto num_targets = std::ssize(targets_of_line_);
    inputs_ = {options.type, {std::ssize(names_) - num_targets}};
    targets_.type = options.target_type.value_or(integers ? ElementType::i64 : options.type);
    if (num_targets > 1) {
        targets_.shape = {num_targets};
    }
    rewind();
}

/// Moves to the next non-blank line. Returns whether there was one.
bool CsvSet::next_line() {
    do {
        errno = 0;
        if (!std::getline(file_, line_)) {
            CRESCENDO_VALIDATE(!file_.bad(), "", "{} cannot be read beyond line {}: {}; convert it again", name_,
                               line_number_, std::generic_category().message(errno));
            return false;
        }
        if (++line_number_ == 1 && line_.starts_with(byte_order_mark)) {
            line_.erase(0, byte_order_mark.size());
        }
    } while (content_of(line_).empty());
    split();
    return true;
}

void CsvSet::split() {
    cells_.clear();
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t at = 0; at <= line_.size(); ++at) {
        if (at == line_.size() || (line_[at] == ',' && !quoted)) {
            cells_.push_back(content_of(std::string_view(line_).substr(begin, at - begin)));
            begin = at + 1;
        } else if (line_[at] == '"') {
            quoted = !quoted;
        }
    }
}

void CsvSet::rewind() {
    file_.clear();
    file_.seekg(0);
    line_number_ = 0;
    if (has_header_) {
        next_line();
    }
}

void CsvSet::find_targets(const std::vector<std::string>& wished) {
    CRESCENDO_VALIDATE(names_.size() >= 2, "",
                       "{} has one column; a set needs one of inputs and one of targets. Are its cells separated by {}",
                       name_, "commas?");
    is_target_.assign(names_.size(), false);
    if (wished.empty()) {
        is_target_.back() = true;
        targets_of_line_.push_back(names_.size() - 1);
    }
    for (const auto& wish : wished) {
        auto column = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), wish) - names_.begin());
        CRESCENDO_VALIDATE(
            std::count(names_.begin(), names_.end(), wish) <= 1, "--targets",
            "--targets {}: several columns of {} have this name; give the column's number, counted from 0", wish,
            name_);
        if (column == names_.size()) {
            column = parse<std::size_t>(wish).value_or(names_.size());
        }
        CRESCENDO_VALIDATE(column < names_.size(), "--targets", "--targets {}: {} has no such column; it has {}", wish,
                           name_, enumerate(names_, ", "));
        CRESCENDO_VALIDATE(!is_target_[column], "--targets", "--targets {}: this column is named twice; name it once",
                           wish);
        is_target_[column] = true;
        targets_of_line_.push_back(column);
    }
    CRESCENDO_VALIDATE(std::count(is_target_.begin(), is_target_.end(), false) > 0, "--targets",
                       "--targets: takes all columns of {}, and leaves none for the inputs", name_);
}

std::string CsvSet::place(std::size_t column) const {
    return text("{}:{}: column {}{}", name_, line_number_, column,
                has_header_ && column < names_.size() ? " (" + names_[column] + ")" : "");
}

double CsvSet::number(std::size_t column) const {
    const auto cell = cells_[column];
    const auto value = parse<double>(cell);
    CRESCENDO_VALIDATE(value || !looks_like_number(cell), "",
                       "{}: {} is too large, or too close to 0, for a 64-bit number; write inf, or 0", place(column),
                       cell);
    if (!value) {
        throw InvalidInput(text("{}: \"{}\" is not a number{}", place(column), cell,
                                cell.empty() ? "; fill it in, or write nan for a missing value"
                                             : "; replace words with numbers, or leave out the column"));
    }
    return *value;
}

std::int64_t CsvSet::integer(std::size_t column) const {
    const auto value = parse<std::int64_t>(cells_[column]);
    CRESCENDO_VALIDATE(value.has_value(), "", "{}: {} is not a 64-bit integer; use --target-type float32",
                       place(column), cells_[column]);
    return *value;
}

void CsvSet::check_line(bool& integers) const {
    CRESCENDO_VALIDATE(cells_.size() == names_.size(), "", "{}: the line has {} cells, but the first line has {}",
                       place(std::min(cells_.size(), names_.size())), cells_.size(), names_.size());
    for (std::size_t column = 0; column < cells_.size(); ++column) {
        number(column);
        integers = integers && (!is_target_[column] || parse<std::int64_t>(cells_[column]).has_value());
    }
}

void CsvSet::skip(std::int64_t num_samples) {
    while (num_samples-- > 0 && next_line()) {}
}

void CsvSet::read(std::span<std::byte> inputs, std::span<std::byte> targets) {
    while (!inputs.empty()) {
        CRESCENDO_VALIDATE(next_line() && cells_.size() == names_.size(), "",
                           "{}:{}: the file changed while it was read; convert it again", name_, line_number_);
        for (std::size_t column = 0; column < cells_.size(); ++column) {
            if (!is_target_[column]) {
                store(inputs_.type, column, inputs);
            }
        }
        for (const auto column : targets_of_line_) {
            store(targets_.type, column, targets);
        }
    }
}

void CsvSet::store(ElementType type, std::size_t column, std::span<std::byte>& out) const {
    switch (type) {
        case ElementType::i64:
            return append(integer(column), out);
        case ElementType::f32:
            return append(static_cast<float>(number(column)), out);
        case ElementType::f64:
            return append(number(column), out);
        default:
            throw InvalidInput(
                text("{} is not supported for CSV; use float32, float64 or, for targets, int64", to_string(type)));
    }
}

}  // namespace crescendo::datasets
