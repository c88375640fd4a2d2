#include "launch/compare/report_folder.hpp"

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/writing.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// "report/" names the folder "report".
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

}  // namespace

void require_place_for_folder(const fs::path& path) {
    const auto folder = without_slash(path);
    const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    CRESCENDO_VALIDATE(fs::is_directory(parent), "", "{}: its parent folder {} does not exist; create it first",
                       path.string(), parent.string());
    CRESCENDO_VALIDATE(!fs::exists(fs::symlink_status(folder)) || (fs::is_directory(folder) && fs::is_empty(folder)),
                       "", "{}: already exists and would be overwritten; remove it, or give another name",
                       path.string());
}

void write_folder(const fs::path& path, const Files& files) {
    require_place_for_folder(path);
    const auto folder = without_slash(path);
    const auto temporary = own_name(folder, "partial");
    CRESCENDO_VALIDATE(fs::create_directory(temporary), "", "{}: already exists; remove it", temporary.string());
    try {
        for (const auto& [name, content] : files) {
            replace_file(temporary / name, content);
        }
        fs::rename(temporary, folder);  // rename() replaces an empty folder
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(temporary, ignored);
        throw;
    }
}

}  // namespace crescendo::launch
