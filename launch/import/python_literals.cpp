#include "launch/import/python_literals.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

namespace crescendo::launch {
namespace {

/// Writes Python's literals as JSON. Anything else, such as a name, is kept unchanged, so that it is not valid JSON.
class LiteralReader {
  public:
    explicit LiteralReader(std::string_view text) : text_(text) {}

    std::string json() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\'' || c == '"') {
                read_text();
            } else if (is_of_word(c)) {
                read_word();
            } else {
                read_sign(c);
            }
        }
        return std::move(json_);
    }

  private:
    static bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

    void read_text() {
        const char quote = text_[at_++];
        std::string content;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size() &&
                std::string_view("\\'\"").find(text_[at_ + 1]) != npos) {
                ++at_;
            }
            content += text_[at_];
        }
        json_ += at_ < text_.size() ? one_line(OrderedJson(content)) : std::string(1, quote);  // not closed
        ++at_;
    }

    /// Reads a name or a number. Python also allows .5, 1. and 1_000.
    void read_word() {
        std::string word;
        for (; at_ < text_.size() && (is_of_word(text_[at_]) || is_sign_of_exponent(word)); ++at_) {
            word += text_[at_];
        }
        if (word == "True" || word == "False") {
            word[0] = static_cast<char>(std::tolower(word[0]));
        } else if (word == "None") {
            word = "null";
        } else if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '.') {
            std::erase(word, '_');
            word = (word[0] == '.' ? "0" : "") + word + (word.ends_with('.') ? "0" : "");
        }
        json_ += word;
    }

    bool is_sign_of_exponent(const std::string& word) const {
        const bool has_exponent = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) == 0 &&
                                  (word.back() == 'e' || word.back() == 'E');
        return has_exponent && (text_[at_] == '-' || text_[at_] == '+');
    }

    /// Reads a sign. Tuples become lists, and a comma after the last item is dropped.
    void read_sign(char c) {
        if (c == ')' || c == ']' || c == '}') {
            json_.erase(json_.find_last_not_of(" \t\n") + 1);
            if (json_.ends_with(',')) {
                json_.pop_back();
            }
        }
        json_ += c == '(' ? '[' : c == ')' ? ']' : c;
        ++at_;
    }

    static constexpr auto npos = std::string_view::npos;

    std::string_view text_;
    std::size_t at_ = 0;
    std::string json_;
};

}  // namespace

OrderedJson python_literals(const std::string& text) {
    return OrderedJson::parse(LiteralReader("(" + text + ")").json(), nullptr, false);
}

}  // namespace crescendo::launch
