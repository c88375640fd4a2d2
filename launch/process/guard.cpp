#include "launch/process/guard.hpp"

namespace crescendo::launch {

std::vector<std::string> guarded(const std::string& guard, std::chrono::milliseconds grace,
                                 const std::vector<std::string>& command) {
    std::vector<std::string> result{guard, std::to_string(grace.count())};
    result.insert(result.end(), command.begin(), command.end());
    return result;
}

}  // namespace crescendo::launch
