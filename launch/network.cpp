#include "launch/network.hpp"

#include <fstream>
#include <limits>

namespace crescendo::launch {

std::string outward_interface() {
    std::ifstream routes("/proc/net/route");
    const auto skip_line = [&] { routes.ignore(std::numeric_limits<std::streamsize>::max(), '\n'); };
    skip_line();  // the headings
    for (std::string interface, destination; routes >> interface >> destination; skip_line()) {
        if (destination == "00000000") {
            return interface;
        }
    }
    return {};
}

}  // namespace crescendo::launch
