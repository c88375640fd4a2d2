#include "launch/display/display_width.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

#include "core/utf8.hpp"

namespace crescendo::launch {
namespace {

/// Sets a UTF-8 locale for this thread while the object lives: the C library knows the widths of characters, but only
/// in such a locale. The program itself keeps the plain C locale, in which numbers are written as in files.
class Utf8Locale {
  public:
    Utf8Locale() {
        static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
        before_ = utf8 == nullptr ? nullptr : ::uselocale(utf8);
    }
    ~Utf8Locale() {
        if (before_ != nullptr) {
            ::uselocale(before_);
        }
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

  private:
    locale_t before_ = nullptr;
};

struct Character {
    std::size_t num_bytes;
    std::size_t width;
};

/// The first character of a text. Invalid UTF-8, or any text if there is no such locale, is taken byte by byte; bytes
/// that begin a character take one column.
Character first_character(std::string_view text) {
    wchar_t character = 0;
    ::mbstate_t state{};
    const auto num_bytes = ::mbrtowc(&character, text.data(), text.size(), &state);
    if (num_bytes == 0 || num_bytes > text.size()) {
        return {1, continues_character(text.front()) ? 0U : 1U};
    }
    const int width = ::wcwidth(character);
    return {num_bytes, static_cast<std::size_t>(std::max(width, 0))};
}

}  // namespace

std::size_t display_width(std::string_view text) {
    const Utf8Locale locale;
    std::size_t columns = 0;
    while (!text.empty()) {
        const auto next = first_character(text);
        columns += next.width;
        text.remove_prefix(next.num_bytes);
    }
    return columns;
}

std::string_view fitting(std::string_view text, std::size_t columns) {
    const Utf8Locale locale;
    std::size_t num_bytes = 0;
    while (num_bytes < text.size()) {
        const auto next = first_character(text.substr(num_bytes));
        if (next.width > columns) {
            break;
        }
        columns -= next.width;
        num_bytes += next.num_bytes;
    }
    return text.substr(0, num_bytes);
}

}  // namespace crescendo::launch
