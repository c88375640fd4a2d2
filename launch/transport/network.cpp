#include "launch/transport/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "core/check.hpp"
#include "launch/slots/node_resources.hpp"

namespace crescendo::launch {
namespace {

void require(const std::string& name, const char* source, bool there, const std::vector<std::string>& all) {
    CRESCENDO_VALIDATE(there, "",
                       "{}: node {} has no network interface '{}', so its workers could not meet others; it has {}",
                       source, host_name(), name, fmt::format("{}", fmt::join(all, ", ")));
}

}  // namespace

std::vector<std::string> interfaces() {
    ifaddrs* list = nullptr;
    std::set<std::string> names;
    if (::getifaddrs(&list) == 0) {
        for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
            if ((each->ifa_flags & IFF_UP) != 0) {
                names.insert(each->ifa_name);
            }
        }
        ::freeifaddrs(list);
    }
    return {names.begin(), names.end()};
}

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

void require_interface(const std::string& chosen) {
    const auto all = interfaces();
    const auto exists = [&](const std::string& name) { return std::ranges::find(all, name) != all.end(); };
    if (!chosen.empty()) {
        require(chosen, "--interface", exists(chosen), all);
    }
    if (const char* gloo = std::getenv("GLOO_SOCKET_IFNAME")) {
        require(gloo, "GLOO_SOCKET_IFNAME", exists(gloo), all);
    }
    // NCCL takes a list of beginnings; "^…" excludes and "=…" is exact.
    const std::string nccl = std::getenv("NCCL_SOCKET_IFNAME") != nullptr ? std::getenv("NCCL_SOCKET_IFNAME") : "";
    if (nccl.empty() || nccl.front() == '^') {
        return;
    }
    const bool is_exact = nccl.front() == '=';
    std::istringstream names(is_exact ? nccl.substr(1) : nccl);
    bool any = false;
    for (std::string name; std::getline(names, name, ',');) {
        any = any || (is_exact ? exists(name)
                               : std::ranges::any_of(all, [&](const auto& each) { return each.starts_with(name); }));
    }
    require(nccl, "NCCL_SOCKET_IFNAME", any, all);
}

}  // namespace crescendo::launch
