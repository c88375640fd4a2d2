#include "scheduler/expressions/token.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "core/utf8.hpp"
#include "scheduler/expressions/expression_error.hpp"

namespace crescendo {
namespace {

constexpr std::size_t most_bytes = 4000;

// Longer signs come first, because `<=` begins with `<`.
constexpr std::array<std::string_view, 18> signs{"**", "//", "<=", ">=", "==", "!=", "<", ">", "+",
                                                 "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};
constexpr std::array<std::string_view, 6> sign_words{"and", "or", "not", "in", "if", "else"};

/// Signs of other languages, and the ones to use here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> foreign_signs{
    {{"&&", "and"}, {"||", "or"}, {"=", "=="}, {"!", "not"}, {"^", "**"}}};

// The functions of <cctype> depend on the locale, so they are not used.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class Container>
bool has(const Container& container, std::string_view word) {
    return std::find(container.begin(), container.end(), word) != container.end();
}

class Tokenizer {
  public:
    explicit Tokenizer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        if (text_.size() > most_bytes) {
            throw ExpressionError(
                crescendo::text("the expression has {} characters (the maximum is {}); split it, or write a shorter "
                                "one",
                                text_.size(), most_bytes),
                most_bytes);
        }
        for (skip_space(); at_ < text_.size(); skip_space()) {
            read_token();
        }
        add(Token::Kind::end, "", text_.size());
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void skip_space() {
        while (is_space(peek())) {
            ++at_;
        }
    }

    void add(Token::Kind kind, std::string_view text, std::size_t offset, Value value = false) {
        tokens_.push_back({kind, std::string(text), std::move(value), offset});
    }

    void read_token() {
        const char c = peek();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (is_letter(c)) {
            read_word();
        } else if (c == '"' || c == '\'') {
            read_text(c);
        } else if (c == '`') {
            read_quoted_name();
        } else {
            read_sign();
        }
    }

    void read_number() {
        const auto begin = at_;
        while (is_digit(peek()) || is_letter(peek()) || peek() == '.' || is_sign_of_exponent()) {
            ++at_;
        }
        const auto word = text_.substr(begin, at_ - begin);
        add(Token::Kind::literal, "", begin, number(word, begin));
    }

    bool is_sign_of_exponent() const {
        return (peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    }

    /// The number that all of `word` is.
    template <class Number>
    static std::optional<Number> parse(std::string_view word, std::size_t offset) {
        Number value{};
        const auto* const end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, value);
        if (stop != end || error == std::errc::invalid_argument) {
            return {};
        }
        if (error == std::errc::result_out_of_range) {
            throw ExpressionError(crescendo::text("{} does not fit into 64 bits; use a number that does", word),
                                  offset);
        }
        return value;
    }

    static Value number(std::string_view word, std::size_t offset) {
        if (const auto whole = parse<std::int64_t>(word, offset)) {
            return *whole;
        }
        if (const auto number = parse<double>(word, offset)) {
            return *number;
        }
        throw ExpressionError(
            crescendo::text("'{}' is neither a number nor a name; write 16, 0.1 or 1e-4, or a name in backticks", word),
            offset);
    }

    /// A name, which may have dots, a function, or a word with a meaning.
    void read_word() {
        const auto begin = at_;
        do {
            ++at_;
        } while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1))));
        const auto word = text_.substr(begin, at_ - begin);
        if (word == "true" || word == "True" || word == "false" || word == "False") {
            add(Token::Kind::literal, "", begin, word[0] == 't' || word[0] == 'T');
        } else if (has(sign_words, word)) {
            add(Token::Kind::sign, word, begin);
        } else {
            skip_space();
            add(peek() == '(' ? Token::Kind::function : Token::Kind::name, word, begin);
        }
    }

    void read_text(char quote) {
        const auto begin = at_++;
        std::string content;
        for (; peek() != quote; ++at_) {
            if (at_ >= text_.size()) {
                throw ExpressionError(crescendo::text("this text has no end; close it with {}", quote), begin);
            }
            if (peek() == '\\' && (peek(1) == quote || peek(1) == '\\')) {
                ++at_;
            }
            content += peek();
        }
        ++at_;
        add(Token::Kind::literal, "", begin, std::move(content));
    }

    void read_quoted_name() {
        const auto begin = at_;
        const auto end = text_.find('`', begin + 1);
        if (end == std::string_view::npos) {
            throw ExpressionError("this name has no end; close it with `", begin);
        }
        at_ = end + 1;
        add(Token::Kind::name, text_.substr(begin + 1, end - begin - 1), begin);
    }

    void read_sign() {
        const auto rest = text_.substr(at_);
        const auto begins_rest = [&](std::string_view sign) { return rest.starts_with(sign); };
        if (const auto sign = std::find_if(signs.begin(), signs.end(), begins_rest); sign != signs.end()) {
            add(Token::Kind::sign, *sign, at_);
            at_ += sign->size();
            return;
        }
        for (const auto& [sign, meant] : foreign_signs) {
            if (begins_rest(sign)) {
                throw ExpressionError(crescendo::text("'{}' has no meaning here; write {}", sign, meant), at_);
            }
        }
        std::size_t length = 1;  // all bytes of one character in UTF-8
        while (continues_character(peek(length))) {
            ++length;
        }
        throw ExpressionError(
            crescendo::text("'{}' has no meaning here; put text in quotes, and names with other characters than "
                            "letters, digits, _ and . in backticks",
                            rest.substr(0, length)),
            at_);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace crescendo
