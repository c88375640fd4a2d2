#include "launch/system/environment.hpp"

#include <cstdlib>

#include "core/check.hpp"
#include "core/number_from.hpp"

namespace crescendo::launch {

std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise) {
    const char* value = std::getenv(variable);
    if (value == nullptr) {
        return otherwise;
    }
    const auto seconds = number_from<int>(value);
    CRESCENDO_VALIDATE(seconds && *seconds >= 1, "",
                       "{}={}: is not a number of seconds; set a whole number, such as {}", variable, value,
                       otherwise.count());
    return std::chrono::seconds(*seconds);
}

}  // namespace crescendo::launch
