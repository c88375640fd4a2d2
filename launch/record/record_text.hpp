#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace crescendo::launch {

// The text of journal records, written and read without a JSON value in between.

/// A number that is whole keeps its point: it reads back as the same kind of number. What is not finite is null.
void append_number(std::string& text, double number);

/// In quotes. Bytes that are not UTF-8 are replaced.
void append_string(std::string& text, const std::string& string);

/// Reads such text from its front. What is written in any other way than ours makes it fail, once and for all: the
/// record is then for a JSON parser.
class RecordScanner {
  public:
    explicit RecordScanner(std::string_view text) : text_(text) {}

    /// Whether the text goes on so; passes over it if it does.
    bool skip(std::string_view expected) {
        const bool goes_on = text_.starts_with(expected);
        text_.remove_prefix(goes_on ? expected.size() : 0);
        return goes_on;
    }

    /// The same, and fails where it does not.
    void expect(std::string_view expected) { failed_ = !skip(expected) || failed_; }

    template <class Number>
    Number number() {
        Number number{};
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
        failed_ = failed_ || error != std::errc{};
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return number;
    }

    /// A string that needs no escapes.
    std::string_view string();

    /// How the text goes on, up to a comma or a brace.
    std::string_view peek() const { return text_.substr(0, text_.find_first_of(",}")); }

    /// Whether all of it was read, and as expected.
    bool is_done() const { return !failed_ && text_.empty(); }
    bool has_failed() const { return failed_; }

  private:
    std::string_view text_;
    bool failed_ = false;
};

}  // namespace crescendo::launch
