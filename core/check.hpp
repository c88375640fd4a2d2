#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace crescendo {

/// Replaces each `{}` of `pattern` by the next argument, as operator<< prints it.
///
/// GCC 12 has no std::format, and core/ and scheduler/ use no library.
template <class... Args>
std::string text(std::string_view pattern, const Args&... args) {
    std::ostringstream out;
    [[maybe_unused]] auto up_to_next_brace = [&] {
        const auto brace = pattern.find("{}");
        out << pattern.substr(0, brace);
        pattern.remove_prefix(brace == std::string_view::npos ? pattern.size() : brace + 2);
    };
    ((up_to_next_brace(), out << args), ...);
    out << pattern;
    return out.str();
}

/// The user's input cannot be used. Ends a command with exit code 2.
class InvalidInput : public std::runtime_error {
  public:
    /// `key` is the dotted path of the offending entry ("scheduler.min"), empty where there is none;
    /// `message` gives the problem, why it is one, and the remedy.
    explicit InvalidInput(const std::string& message, std::string key = {})
        : std::runtime_error(message), key_(std::move(key)) {}

    const std::string& key() const { return key_; }

  private:
    std::string key_;
};

/// A file could be read but not made sense of. Ends a command with exit code 2; to a trial it is an error like others.
class DamagedFile : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] void expectation_failed(const char* condition, const char* file, int line);

}  // namespace crescendo

/// Our own invariant: a failure is a bug of Crescendo. Checked in every build, since a wrong
/// decision costs more than the comparison.
#define CRESCENDO_EXPECT(condition) \
    ((condition) ? void(0) : ::crescendo::expectation_failed(#condition, __FILE__, __LINE__))

/// The user's input at `key`: throws InvalidInput with the formatted message unless `condition` holds.
#define CRESCENDO_VALIDATE(condition, key, ...) \
    ((condition) ? void(0) : throw ::crescendo::InvalidInput(::crescendo::text(__VA_ARGS__), key))
