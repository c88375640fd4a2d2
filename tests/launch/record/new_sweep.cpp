#include "launch/record/new_sweep.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/check.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a sweep whose reports would have to be counted in a file does not begin") {
    const TemporaryFolder folder;
    const auto begin = [&](const std::string& report) {
        return create_sweep(folder / "s", parse("command: [train]\nreport: " + report + "\n"));
    };

    CHECK_THROWS_WITH_AS(begin("{pattern: '(?P<val_loss>.*)', file: log}"),
                         doctest::Contains("sweep.yaml:11:10: report.pattern: has no group 'resource', and reports in "
                                           "a file (report.file) cannot be counted: "),
                         InvalidInput);
    CHECK_FALSE(std::filesystem::exists(folder / "s"));
    for (const auto* sound : {"{pattern: '(?P<val_loss>.*)'}", "{file: log}",
                              "{pattern: '(?P<resource>.*): (?P<val_loss>.*)', file: log}"}) {
        CAPTURE(sound);
        CHECK_NOTHROW(begin(sound).discard());
    }
}
