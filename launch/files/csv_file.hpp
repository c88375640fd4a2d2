#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// A CSV file whose first line names its columns, read row by row (RFC 4180).
///
/// A quoted field may hold commas, line ends, and doubled quotes. Lines end in LF or CRLF. A byte order mark and empty
/// lines are skipped. The whole file is in memory. All errors are InvalidInput with file and line.
class CsvFile {
  public:
    /// Reads the file and its first row. Throws InvalidInput if the file cannot be read or names a column twice.
    explicit CsvFile(const std::filesystem::path& path);
    CsvFile(const CsvFile&) = delete;  // fields are views of this object's text
    CsvFile& operator=(const CsvFile&) = delete;

    /// The index of a column. If none has this name, throws InvalidInput that lists the existing columns.
    std::size_t column(std::string_view name) const;

    /// The index of a column; nothing if none has this name.
    std::optional<std::size_t> find_column(std::string_view name) const;

    /// The index of the column of a metric or parameter, which our tables call KIND.NAME if another column has its
    /// name.
    std::size_t column(std::string_view kind, std::string_view name) const;
    std::optional<std::size_t> find_column(std::string_view kind, std::string_view name) const;

    /// Moves to the next row. Returns false at the end of the file. Throws InvalidInput if the row and the first row
    /// differ in their number of fields.
    bool next();

    /// A field of the current row. The view is valid as long as this object.
    std::string_view text(std::size_t column) const { return fields_[column]; }

    /// A field of the row as a number, which may be "inf" or "nan". Spaces around it are skipped.
    double number(std::size_t column) const;

    /// A field of the row as a finite number.
    double finite_number(std::size_t column) const;

    /// A field of the row as a whole number. Spaces around it are skipped.
    std::int64_t whole_number(std::size_t column) const;

    /// Throws InvalidInput "FILE:LINE: message" for the current row.
    [[noreturn]] void fail(std::string_view message) const;

    /// The line where the row begins, from 1.
    std::int64_t line() const { return line_; }

    std::size_t num_bytes() const { return content_.size(); }
    std::size_t num_bytes_read() const { return at_; }

  private:
    bool read_row();
    std::string_view read_field();
    std::string_view read_quoted_field();
    template <class Number>
    Number parsed(std::size_t column, std::string_view kind) const;
    [[noreturn]] void fail_at(std::size_t column, std::string_view kind) const;

    std::filesystem::path path_;
    std::string content_;  ///< quoted fields are unescaped in place
    std::size_t at_ = 0;
    std::int64_t line_ = 1;       ///< where the current row begins
    std::int64_t next_line_ = 1;  ///< line at `at_`
    std::vector<std::string> names_;
    std::vector<std::string_view> fields_;
};

}  // namespace crescendo::launch
