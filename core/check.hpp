#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace crescendo {

/// A literal with one `{}` for each of Args, which the compiler counts.
template <class... Args>
class TextPattern {
  public:
    // Implicit, so that a literal is a pattern.
    consteval TextPattern(const char* pattern) : pattern_(pattern) {
        std::size_t count = 0;
        for (auto at = pattern_.find("{}"); at != std::string_view::npos; at = pattern_.find("{}", at + 2)) {
            ++count;
        }
        if (count != sizeof...(Args)) {
            throw "the pattern has another number of {} than there are arguments";
        }
    }

    std::string_view get() const { return pattern_; }

  private:
    std::string_view pattern_;
};

/// Replaces each `{}` of `pattern` by the next argument, as operator<< prints it.
///
/// GCC 12 has no std::format, and core/ and scheduler/ use no library.
template <class... Args>
std::string text(TextPattern<std::type_identity_t<Args>...> pattern, const Args&... args) {
    auto rest = pattern.get();
    std::ostringstream out;
    [[maybe_unused]] auto up_to_next_brace = [&] {
        const auto brace = rest.find("{}");
        out << rest.substr(0, brace);
        rest.remove_prefix(brace + 2);
    };
    ((up_to_next_brace(), out << args), ...);
    out << rest;
    return out.str();
}

/// The user's input cannot be used. The command then exits with code 2.
class InvalidInput : public std::runtime_error {
  public:
    /// `key` is the dotted path of the offending entry ("scheduler.min"), empty if there is none. `message` states the
    /// problem, the reason, and the remedy.
    explicit InvalidInput(const std::string& message, std::string key = {})
        : std::runtime_error(message), key_(std::move(key)) {}

    const std::string& key() const { return key_; }

  private:
    std::string key_;
};

/// A file can be read, but its content makes no sense. A command then exits with code 2; in a trial it is an ordinary
/// error.
class DamagedFile : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] void expectation_failed(const char* condition, const char* file, int line);

}  // namespace crescendo

/// Checks an invariant of our own: a failure is a bug in Crescendo, and aborts. Every build checks it, because a wrong
/// decision costs more than the comparison.
#define CRESCENDO_EXPECT(condition) \
    ((condition) ? void(0) : ::crescendo::expectation_failed(#condition, __FILE__, __LINE__))

/// Checks the user's input at `key`: throws InvalidInput with the formatted message unless `condition` holds.
#define CRESCENDO_VALIDATE(condition, key, ...) \
    ((condition) ? void(0) : throw ::crescendo::InvalidInput(::crescendo::text(__VA_ARGS__), key))
