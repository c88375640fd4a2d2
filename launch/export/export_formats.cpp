#include "launch/export/export_formats.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "launch/export/dawnbench.hpp"
#include "launch/system/read_file.hpp"

namespace crescendo::launch {

namespace fs = std::filesystem;

const std::vector<ExportFormat>& export_formats() {
    static const std::vector<ExportFormat> formats{{"dawnbench", dawnbench_entry}};
    return formats;
}

void add_to_folder(const fs::path& folder, const Files& files) {
    for (const auto& [name, content] : files) {
        const auto path = folder / name;
        CRESCENDO_VALIDATE(!fs::exists(fs::symlink_status(path)) ||
                               (fs::is_regular_file(path) && read_file(path) == content),
                           "", "{}: is there already and says something else; remove it, or name another folder",
                           path.string());
    }
    for (const auto& [name, content] : files) {
        const auto path = folder / name;
        fs::create_directories(path.parent_path());
        replace_file(path, content);
    }
}

}  // namespace crescendo::launch
