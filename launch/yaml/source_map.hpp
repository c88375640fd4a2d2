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

/// A position in a text. Line and column count from 1.
struct Position {
    int line = 1;
    int column = 1;

    friend bool operator==(const Position&, const Position&) = default;
};

/// Whether `whole` is `key` or contains it: `scheduler` contains `scheduler.max`, `command` contains `command[1]`.
bool is_part_of(std::string_view key, std::string_view whole);

/// Positions of the keys of a file, so that messages can show where a key is.
class SourceMap {
  public:
    SourceMap() = default;

    /// `file` is the file's name in messages.
    explicit SourceMap(std::string file) : file_(std::move(file)) {}

    const std::string& file() const { return file_; }

    /// Sets the position of a key. `key` is dotted, with list items in brackets: "parameters.width.values[1]".
    void insert(std::string key, Position position) { positions_.insert_or_assign(std::move(key), position); }

    /// Sets the position from which the text of `key` appears literally in the file.
    void insert_text(std::string key, Position position) { texts_.insert_or_assign(std::move(key), position); }

    /// Notes that the value of `key` does not come from the file, but from the command line.
    void replace(std::string key) { replaced_.insert(std::move(key)); }

    bool has_text(std::string_view key) const { return texts_.contains(key); }

    bool has(std::string_view key) const { return positions_.contains(key); }

    /// The position of `key`, or of its nearest parent that is in the file; the start of the file if there is none.
    Position position_of(std::string_view key) const;

    /// The position of the character after the first `offset` bytes of the text of `key`. If the text does not appear
    /// literally in the file, the position of `key`.
    Position position_of(std::string_view key, std::size_t offset) const;

    /// "sweep.yaml:12:5: scheduler.min: <message>", without the place if the value does not come from the file. With an
    /// offset, the place is that of the character in the text of `key`.
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
