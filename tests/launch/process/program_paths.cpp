#include "launch/process/program_paths.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

using namespace crescendo::launch;

TEST_CASE("programs are next to our own executable, except for a trainer that the environment names") {
    const auto* given = std::getenv("CRESCENDO_TRAINER");
    const auto before = given != nullptr ? std::optional<std::string>(given) : std::nullopt;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();

    ::setenv("CRESCENDO_TRAINER", "/opt/trainer", 1);
    CHECK(ProgramPaths::find().trainer == "/opt/trainer");
    CHECK(ProgramPaths::find().guard == folder / "crescendo-guard");
    ::unsetenv("CRESCENDO_TRAINER");
    CHECK(ProgramPaths::find().trainer == folder / "crescendo-trainer");

    if (before) {
        ::setenv("CRESCENDO_TRAINER", before->c_str(), 1);
    }
}
