#include "launch/files/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "core/check.hpp"

namespace crescendo::launch {

namespace fs = std::filesystem;

bool is_own_folder(const fs::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

void require_own_folder(const fs::path& folder, std::string_view remedy) {
    CRESCENDO_VALIDATE(is_own_folder(fs::canonical(folder)), "",
                       "{}: is another user's folder, and a link in it could lead what is written to a file of yours; "
                       "{}",
                       folder.string(), remedy);
}

}  // namespace crescendo::launch
