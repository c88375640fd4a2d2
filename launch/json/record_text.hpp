#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace crescendo::launch {

// The text of journal records, written and read without a JSON value in between.

/// Appends a number. A whole number keeps its point, so it reads back as the same kind of number. A number that is not
/// finite becomes null.
void append_number(std::string& text, double number);

/// Appends a string in quotes. Bytes that are not UTF-8 are replaced.
void append_string(std::string& text, const std::string& string);

/// Reads the text of a record from its front. Text that is written in any other way than ours makes it fail for good;
/// then a JSON parser must read the record.
class RecordScanner {
  public:
    explicit RecordScanner(std::string_view text) : text_(text) {}

    /// Whether the text continues with `expected`; if so, skips it.
    bool skip(std::string_view expected) {
        const bool goes_on = text_.starts_with(expected);
        text_.remove_prefix(goes_on ? expected.size() : 0);
        return goes_on;
    }

    /// Skips `expected`; fails if the text does not continue with it.
    void expect(std::string_view expected) { failed_ = !skip(expected) || failed_; }

    template <class Number>
    Number number() {
        Number number{};
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
        failed_ = failed_ || error != std::errc{};
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return number;
    }

    /// Reads a string that needs no escapes.
    std::string_view string();

    /// The text that follows, up to a comma or a brace.
    std::string_view peek() const { return text_.substr(0, text_.find_first_of(",}")); }

    /// Whether all of the text was read without a failure.
    bool is_done() const { return !failed_ && text_.empty(); }
    bool has_failed() const { return failed_; }

  private:
    std::string_view text_;
    bool failed_ = false;
};

}  // namespace crescendo::launch
