#include "launch/directory/new_sweep.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/check.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a new sweep records its file, its seed, its working directory and its command") {
    const TemporaryFolder folder;
    const auto file = parse("seed: 7\nprogram: train.py\n");

    const auto directory = create_sweep(folder / "s", file);

    CHECK(read_first_file(directory, {}).text == file.text);
    const auto run = directory.read_run();
    CHECK(run.at("seed") == 7);
    CHECK(run.at("working_directory") == std::filesystem::current_path().string());
    CHECK(run.at("command") == Json(*file.command));  // derived from the script
}

TEST_CASE("a sweep of warm trainers does not start in a folder whose name is not UTF-8") {
    const TemporaryFolder folder;
    const auto file = parse("trainer: {model: cnn}\n");

    CHECK_THROWS_AS(create_sweep(folder / "\xff", file), InvalidInput);

    CHECK_FALSE(std::filesystem::exists(folder / "\xff"));
}

TEST_CASE("the copy of the sweep file and the journal get the permissions of the sweep file") {
    const TemporaryFolder folder;
    const auto path = folder / "s.yaml";
    std::ofstream(path) << parse("program: train.py\n").text;
    std::filesystem::permissions(path, for_owner);

    const auto directory = create_sweep(folder / "s", read_sweep_file(path));

    CHECK(std::filesystem::status(directory.sweep_file()).permissions() == for_owner);
    CHECK(std::filesystem::status(directory.journal()).permissions() == for_owner);
}
