/// `crescendo data` as a user types it.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

std::string listed(const fs::path& folder, const std::string& file) {
    const auto result = run_crescendo(folder, {"data", "inspect", file, "--format", "csv"});
    CHECK(result.code == 0);
    return result.out;
}

void check_refused(const fs::path& folder, const std::vector<std::string>& arguments, const std::string& message) {
    const auto result = run_crescendo(folder, arguments);
    CHECK(result.code == 2);
    CHECK_MESSAGE((result.err + result.out).find(message) != std::string::npos, result.err);
}

}  // namespace

TEST_CASE("flows are generated, and copied into other chunks") {
    const TemporaryFolder folder;

    const auto made = run_crescendo(folder.path(), {"data", "generate", "flow.h5:/train", "--flow", "--samples", "6",
                                                    "--size", "16", "--seed", "3", "--target", "future"});
    CHECK(made.code == 0);
    CHECK(made.out == "flow.h5:/train: 6 samples\n");
    CHECK(listed(folder.path(), "flow.h5").find("/train/targets,float32,6,6 x 3 x 16 x 16,6 x 3 x 16 x 16,") !=
          std::string::npos);

    CHECK(run_crescendo(folder.path(), {"data", "rechunk", "flow.h5:/", "fast.h5:/", "--chunk", "2", "--compress", "4"})
              .code == 0);
    CHECK(listed(folder.path(), "fast.h5")
              .find("/train/inputs,float32,6,6 x 3 x 16 x 16,2 x 3 x 16 x 16,\"shuffle, deflate\",") !=
          std::string::npos);
}

TEST_CASE("a CSV file and bare numbers are converted") {
    const TemporaryFolder folder;
    write_file(folder / "table.csv", "a,b,price\n1,2,3.5\n4,5,6.5\n");
    write_file(folder / "numbers", std::string(12, '\1'));
    write_file(folder / "labels", "\1\2\3");

    CHECK(run_crescendo(folder.path(), {"data", "convert", "table.csv", "set.h5:/table", "--targets", "a"}).out ==
          "set.h5:/table: 2 samples\n");
    CHECK(run_crescendo(folder.path(), {"data", "convert", "numbers", "labels", "set.h5:/raw", "--type", "uint8",
                                        "--shape", "2,2", "--target-type", "int8", "--samples", "1:3"})
              .out == "set.h5:/raw: 2 samples\n");

    const auto list = listed(folder.path(), "set.h5");
    CHECK(list.find("/raw/inputs,uint8,2,2 x 2 x 2,") != std::string::npos);
    CHECK(list.find("/table/inputs,float32,2,2 x 2,") != std::string::npos);
    CHECK(list.find("/table/targets,int64,2,2,") != std::string::npos);
}

TEST_CASE("mistakes in data commands are explained, and leave no file") {
    const TemporaryFolder folder;
    write_file(folder / "table.csv", "1,two\n3,4\n5,six\n");
    write_file(folder / "sound.csv", "1,2\n");

    check_refused(folder.path(), {"data", "convert", "table.csv", "set.h5:/"},
                  "table.csv:3: column 1 (two): \"six\" is no number");
    check_refused(folder.path(), {"data", "convert", "table.csv"}, "LOCATION");
    check_refused(folder.path(), {"data", "convert", "sound.csv", "set.h5"}, "names no group");
    check_refused(folder.path(), {"data", "convert", "table.csv", "set.h5:/", "--type", "float"},
                  "float is no type of numbers");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2"}, "--flow");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--flow", "--sparse"}, "--sparse");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--flow", "--size", "48"},
                  "--size 48");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--sparse", "--size", "64"},
                  "--flow");
    check_refused(folder.path(), {"data", "rechunk", "absent.h5:/", "set.h5:/"}, "absent.h5: no such file");
    CHECK_FALSE(fs::exists(folder / "set.h5"));
}

TEST_CASE("every data command has an example in its help") {
    const TemporaryFolder folder;
    for (const char* command : {"convert", "rechunk", "generate", "inspect", "bench"}) {
        const auto help = run_crescendo(folder.path(), {"data", command, "--help"});

        CHECK(help.code == 0);
        CHECK_MESSAGE(help.out.find(std::string("\n  crescendo data ") + command) != std::string::npos, help.out);
    }
}
