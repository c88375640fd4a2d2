#include "launch/process/program_paths.hpp"

#include <cstdlib>
#include <filesystem>

namespace crescendo::launch {

ProgramPaths ProgramPaths::find() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const char* trainer = std::getenv("CRESCENDO_TRAINER");
    return {trainer != nullptr ? trainer : (folder / "crescendo-trainer").string(),
            (folder / "crescendo-guard").string(), (folder / "crescendo-plugin-host").string()};
}

}  // namespace crescendo::launch
