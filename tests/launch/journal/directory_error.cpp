#include "launch/journal/directory_error.hpp"

#include <doctest/doctest.h>

#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

void fail_with(int error, const std::filesystem::path& file) {
    errno = error;
    cannot_open(file);
}

}  // namespace

TEST_CASE("a user's own read-only sweep is not mistaken for another user's sweep or for a full disk") {
    const tests::TemporaryFolder folder;
    const auto journal = folder / "journal.jsonl";

    CHECK_THROWS_WITH_AS(fail_with(EACCES, journal), doctest::Contains("`chmod -R u+w "), InvalidInput);
    CHECK_THROWS_WITH_AS(fail_with(EACCES, "/no/such/sweep/journal.jsonl"), doctest::Contains("another user"),
                         InvalidInput);
    CHECK_THROWS_WITH_AS(fail_with(ENOSPC, journal), doctest::Contains("free some space"), DirectoryError);
}

TEST_CASE("a disk mounted read-only is not mistaken for a full one") {
    errno = EROFS;

    CHECK_THROWS_WITH_AS(cannot_open("s/lock"), doctest::Contains("mount the file system for writing"), DirectoryError);
}

TEST_CASE("an expired permission and a moved folder are not mistaken for a full disk") {
    const auto remedy = [](std::errc error) { return std::string(DirectoryError(make_error_code(error)).what()); };

    CHECK(remedy(std::errc::permission_denied).find("kinit") != std::string::npos);
    CHECK(remedy(std::errc::no_such_file_or_directory).find("restore what was there") != std::string::npos);
}

TEST_CASE("the error for a folder without room for it names the folder and the reason") {
    const std::filesystem::filesystem_error error("cannot create directories", "s/trials/000004",
                                                  make_error_code(std::errc::no_space_on_device));

    CHECK(DirectoryError(error).problem() == "cannot write s/trials/000004: No space left on device");
}
