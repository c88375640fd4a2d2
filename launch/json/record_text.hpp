#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>

namespace crescendo::launch {

// Writes and reads the text of journal records without a JSON value in between.

/// Appends a number. A whole number keeps its decimal point, so it reads back as the same type. A number that is not
/// finite becomes null.
void append_number(std::string& text, double number);

/// Appends a string in quotes. Bytes that are not UTF-8 are replaced.
void append_string(std::string& text, const std::string& string);

/// Reads the text of a record from its front. Text that differs from our own formatting makes it fail permanently; the
/// caller must then use a JSON parser.
class RecordScanner {
  public:
    explicit RecordScanner(std::string_view text) : text_(text) {}

    /// Skips `expected` if the text continues with it. Returns whether it does.
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
        // JSON has no "inf", which from_chars() accepts.
        failed_ = failed_ || error != std::errc{} || !std::isfinite(static_cast<double>(number));
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return number;
    }

    /// Reads a string without escapes.
    std::string_view string();

    /// The text up to the next comma or brace.
    std::string_view peek() const { return text_.substr(0, text_.find_first_of(",}")); }

    /// Whether all the text was read without a failure.
    bool is_done() const { return !failed_ && text_.empty(); }
    bool has_failed() const { return failed_; }

  private:
    std::string_view text_;
    bool failed_ = false;
};

}  // namespace crescendo::launch
