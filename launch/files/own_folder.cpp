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
                       "{}: is another user's folder, so a link in it could redirect output to one of your files; {}",
                       folder.string(), remedy);
}

}  // namespace crescendo::launch
