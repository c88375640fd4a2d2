#include "launch/system/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/check.hpp"

namespace crescendo::launch {

std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise) {
    const char* value = std::getenv(variable);
    if (value == nullptr) {
        return otherwise;
    }
    const std::string_view text(value);
    int seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    CRESCENDO_VALIDATE(error == std::errc{} && end == text.data() + text.size() && seconds >= 1, "",
                       "{}={}: is no number of seconds; set a whole one, like {}", variable, text, otherwise.count());
    return std::chrono::seconds(seconds);
}

}  // namespace crescendo::launch
