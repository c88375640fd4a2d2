#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace crescendo::tests {

/// Addresses, in the kernel's hexadecimal ("0100007F" is 127.0.0.1), at which these processes listen by TCP.
inline std::multiset<std::string> listening_addresses(const std::vector<long>& processes) {
    namespace fs = std::filesystem;
    std::set<std::string> sockets;
    for (const long process : processes) {
        std::error_code gone;
        for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone)) {
            const auto target = fs::read_symlink(entry.path(), gone).string();
            if (target.starts_with("socket:[")) {
                sockets.insert(target.substr(8, target.size() - 9));
            }
        }
    }
    std::multiset<std::string> addresses;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream lines(table);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
            words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >> inode;
            if (state == "0A" && sockets.contains(inode)) {
                addresses.insert(local.substr(0, local.find(':')));
            }
        }
    }
    return addresses;
}

}  // namespace crescendo::tests
