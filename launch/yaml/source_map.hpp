#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace crescendo::launch {

/// Position of something in a text. Line and column count from 1.
struct Position {
    int line = 1;
    int column = 1;

    friend bool operator==(const Position&, const Position&) = default;
};

/// Whether `whole` is the key or holds it: `scheduler` holds `scheduler.max`, `command` holds `command[1]`.
bool is_part_of(std::string_view key, std::string_view whole);

/// Positions of the keys of a file, so that a message about a key can name its place.
class SourceMap {
  public:
    SourceMap() = default;

    /// `file` is the file's name in messages.
    explicit SourceMap(std::string file) : file_(std::move(file)) {}

    const std::string& file() const { return file_; }

    /// `key` is dotted, items of a list in brackets: "parameters.width.values[1]".
    void insert(std::string key, Position position) { positions_.insert_or_assign(std::move(key), position); }

    /// `key` has text that stands in the file as it is, from this position on.
    void insert_text(std::string key, Position position) { texts_.insert_or_assign(std::move(key), position); }

    /// The value of `key` is not the file's, but was given to the command.
    void replace(std::string key) { replaced_.insert(std::move(key)); }

    bool has_text(std::string_view key) const { return texts_.contains(key); }

    bool has(std::string_view key) const { return positions_.contains(key); }

    /// The position of `key` or of its nearest parent that stands in the file; the start of the file if none does.
    Position position_of(std::string_view key) const;

    /// The position of a character in the text of `key`, which `offset` bytes precede; that of `key` if its text does
    /// not stand in the file as it is.
    Position position_of(std::string_view key, std::size_t offset) const;

    /// "sweep.yaml:12:5: scheduler.min: <message>", without the place if the value is not the file's. With an offset,
    /// the place is that of a character in the text of `key`.
    std::string located(std::string_view key, std::string_view message, std::optional<std::size_t> offset = {}) const;

    /// Throws InvalidInput with located(key, message).
    [[noreturn]] void fail(std::string_view key, std::string_view message) const;

  private:
    std::string file_;
    std::map<std::string, Position, std::less<>> positions_;
    std::map<std::string, Position, std::less<>> texts_;
    std::set<std::string, std::less<>> replaced_;
};

}  // namespace crescendo::launch
