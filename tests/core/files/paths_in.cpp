#include "core/files/paths_in.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cerrno>

#include "core/files/durable_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;

namespace {

int num_until_failure = -1;  ///< calls of readdir() that succeed before the disk fails; negative: it does not fail

}  // namespace

/// Replaces the system's function in this program.
extern "C" dirent* readdir(DIR* folder) {
    if (num_until_failure == 0) {
        errno = EIO;
        return nullptr;
    }
    --num_until_failure;
    return reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"))(folder);
}

TEST_CASE("a folder's paths are those of its files and folders, and there are none in a folder that is not there") {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");

    CHECK(paths_in(folder.path()) == std::vector{folder / "a"});
    CHECK(paths_in(folder / "b").empty());
}

TEST_CASE("a file is replaced although the disk fails in the middle of the list of its folder") {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");
    std::filesystem::create_directory(folder / "b");

    num_until_failure = 3;  // ".", ".." and one of the two
    CHECK_NOTHROW(replace_file(folder / "c", "content"));
    num_until_failure = -1;

    CHECK(paths_in(folder.path()).size() == 3);
}
