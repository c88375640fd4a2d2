/// `crescendo data` and `validate` on files that other programs wrote or damaged.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/datasets/files.hpp"
#include "tests/e2e/command.hpp"
#include "tests/e2e/preload.hpp"

using namespace crescendo::tests;
using doctest::Contains;

namespace {

doctest::String said(const Result& result) { return (result.out + result.err).c_str(); }

}  // namespace

TEST_CASE("every command names a file that crashes HDF5's library, and leaves no partial file") {
    const TemporaryFolder folder;
    write_counting_set(folder / "sound.h5", 20, 4);
    write_counting_set(folder / "crash.h5", 20, 4);
    const Preload preload("CRASH_IN", "crash.h5");
    const auto before = std::distance(fs::directory_iterator(folder.path()), {});

    const std::vector<std::vector<std::string>> commands{{"inspect", "crash.h5"},
                                                         {"stats", "crash.h5:/train"},
                                                         {"bench", "crash.h5:/train"},
                                                         {"rechunk", "crash.h5:/train", "new.h5:/train"},
                                                         {"rechunk", "sound.h5:/train", "crash.h5:/new"},
                                                         {"generate", "crash.h5:/new", "--sparse", "--samples", "2"}};
    for (auto command : commands) {
        command.insert(command.begin(), "data");
        CAPTURE(command[1]);
        const auto result = run_crescendo(folder.path(), command);

        CHECK(result.code == 2);
        CHECK(said(result) == Contains("HDF5 library crashed while reading "));
        CHECK(said(result) == Contains("crash.h5"));
        CHECK(said(result) == Contains("(Segmentation fault): the file is damaged"));
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            CHECK(entry.path().filename().string().find("part") == std::string::npos);
        }
    }
    CHECK(before >= 2);
}

TEST_CASE("a crash while a copy is written leaves no partial copy") {
    const TemporaryFolder folder;
    write_counting_set(folder / "old.h5", 20, 4);
    const Preload preload("CRASH_IN_READ", "1");

    const auto result = run_crescendo(folder.path(), {"data", "rechunk", "old.h5:/train", "new.h5:/train"});

    CHECK(result.code == 2);
    CHECK(said(result) == Contains("HDF5 library crashed while reading old.h5"));
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        CHECK(entry.path().filename().string().find("new.h5") == std::string::npos);
    }
}

TEST_CASE("a file is read without a lock if its file system refuses locks, but nothing is added to it") {
    const TemporaryFolder folder;
    write_counting_set(folder / "set.h5", 20, 4);
    for (const char* error : {"37", "30", "95", "524"}) {  // ENOLCK, EROFS, EOPNOTSUPP, and the kernel's ENOTSUPP
        CAPTURE(error);
        const Preload preload("FLOCK_ERRNO", error);

        CHECK(run_crescendo(folder.path(), {"data", "inspect", "set.h5"}).code == 0);
        CHECK(run_crescendo(folder.path(), {"data", "stats", "set.h5:/train"}).code == 0);
        const auto added =
            run_crescendo(folder.path(), {"data", "generate", "set.h5:/n", "--sparse", "--samples", "1"});
        CHECK(added.code == 2);
        CHECK(said(added) == Contains("its file system does not support locks"));
    }
    const Preload preload("FLOCK_ERRNO", "11");  // somebody else holds it
    CHECK(said(run_crescendo(folder.path(), {"data", "inspect", "set.h5"})) == Contains("in use by another program"));
}

TEST_CASE("packed numbers are listed and summarized by their meaning") {
    const TemporaryFolder folder;
    write_packed_set(folder / "packed.h5");

    CHECK(said(run_crescendo(folder.path(), {"data", "inspect", "packed.h5"})) ==
          Contains("x * 0.5 + 10, missing -9999, valid 0 to 5"));
    const auto stats = run_crescendo(folder.path(), {"data", "stats", "packed.h5:/", "--format", "json"}).json();
    CHECK(stats[0].at("mean") == 11.5);
    CHECK(stats[0].at("nan") == 1);
    CHECK(run_crescendo(folder.path(), {"data", "rechunk", "packed.h5:/", "copy.h5:/"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"data", "stats", "copy.h5:/", "--format", "json"}).json() == stats);
}

TEST_CASE("a missing source of a virtual data set is named, or filled on request") {
    const TemporaryFolder folder;
    write_virtual_set(folder / "virtual.h5");
    fs::remove(folder / "part-1.hdf");

    const std::vector<std::vector<std::string>> commands{{"data", "stats", "virtual.h5:/"},
                                                         {"data", "bench", "virtual.h5:/", "--threads", "1"},
                                                         {"data", "rechunk", "virtual.h5:/", "new.h5:/"}};
    for (auto command : commands) {
        CAPTURE(command[1]);
        const auto refused = run_crescendo(folder.path(), command);
        CHECK(refused.code == 2);
        CHECK(said(refused) == Contains("virtual.h5:/inputs is a virtual data set"));
        CHECK(said(refused) == Contains("its source part-1.hdf is missing"));
        command.insert(command.end(), {"--missing-sources", "fill"});
        CHECK(run_crescendo(folder.path(), command).code == 0);
    }
    const auto listed = run_crescendo(folder.path(), {"data", "inspect", "virtual.h5"});
    CHECK(listed.code == 2);
    CHECK(said(listed) == Contains("its source part-1.hdf is missing"));
}

TEST_CASE("images whose channels are stored last have statistics once their layout is given") {
    const TemporaryFolder folder;
    Hdf5Writer(folder / "images.h5")
        .add("/inputs", {2, 8, 8, 3}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(2 * 8 * 8 * 3, 7));

    const auto refused = run_crescendo(folder.path(), {"data", "stats", "images.h5:/"});
    CHECK(refused.code == 2);
    CHECK(said(refused) == Contains("use --layout hwc"));
    const auto stats =
        run_crescendo(folder.path(), {"data", "stats", "images.h5:/", "--layout", "hwc", "--format", "json"});
    CHECK(stats.json().size() == 3);
}

TEST_CASE("a message about a bad file names the file and the object, without control characters") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/red\x1b[31m/inputs", {2}, H5T_NATIVE_INT32, std::vector<std::int32_t>{1, 2});
    }
    const auto missing = run_crescendo(folder.path(), {"data", "stats", "set.h5:/absent"});
    CHECK(missing.code == 2);
    CHECK(said(missing) == Contains("red\\x1b[31m"));
    const auto listed = run_crescendo(folder.path(), {"data", "inspect", "set.h5", "--format", "csv"});
    CHECK(listed.code == 0);
    CHECK(said(listed) == Contains("/red\\x1b[31m/inputs,int32"));

    // Damages the group's list of members: "TREE" begins each node of its B-tree, and "HEAP" begins their names.
    auto bytes = content_of(folder / "set.h5");
    for (auto at = bytes.find("HEAP"); at != std::string::npos; at = bytes.find("HEAP", at + 1)) {
        bytes.replace(at, 4, "XXXX");
    }
    write_file(folder / "set.h5", bytes);
    for (const auto& command : std::vector<std::vector<std::string>>{{"data", "inspect", "set.h5"},
                                                                     {"data", "stats", "set.h5:/"},
                                                                     {"data", "rechunk", "set.h5:/", "new.h5:/"}}) {
        CAPTURE(command[1]);
        const auto damaged = run_crescendo(folder.path(), command);
        CHECK(damaged.code == 2);
        CHECK(said(damaged) == Contains("set.h5"));
        CHECK(said(damaged) == Contains("its members cannot be listed"));
    }
}

#ifdef CRESCENDO_TEST_TRAINER
namespace {

Result validate(const fs::path& folder, const std::string& data, const std::string& trainer = "") {
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: train_loss, goal: minimize}\nrun_cap: 1\nseed: 5\n"
               "parameters: {lr: {distribution: uniform, min: 0.001, max: 0.002}}\n"
               "scheduler: {type: fifo, max: 2}\n"
               "trainer:\n  batch_size: 2\n" +
                   trainer + "  data: {" + data + "}\n");
    return run_crescendo(folder, {"validate", "sweep.yaml"});
}

}  // namespace

TEST_CASE("validate names the file that crashes HDF5's library, and the position of the data in the sweep file") {
    const TemporaryFolder folder;
    write_counting_set(folder / "sound.h5", 20, 4);
    write_counting_set(folder / "crash.h5", 20, 4);
    const Preload preload("CRASH_IN", "crash.h5");

    const auto result =
        validate(folder.path(), "train: sound.h5:/train, validation: crash.h5:/train", "  model: mlp\n");

    CHECK(result.code == 2);
    CHECK(said(result) == Contains("sweep.yaml:"));
    CHECK(said(result) == Contains("HDF5 library crashed while reading crash.h5"));
}

TEST_CASE("validate gives the position in the sweep file of invalid latitudes") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "era5.nc", /*latest=*/true);
        writer.add("/t", {4, 3, 4}, H5T_NATIVE_FLOAT, std::vector<float>(48));
        writer.add("/latitude", {3}, H5T_NATIVE_FLOAT, std::vector<float>{60, 0, -60});
        writer.add("/longitude", {4}, H5T_NATIVE_FLOAT, std::vector<float>{0, 90, 180, 270});
    }
    const std::string data = "train: \"era5.nc:/\", inputs: t, targets: t, latitude: ";

    const auto refused = validate(folder.path(), data + "longitude", "  model: mlp\n");

    CHECK(refused.code == 2);
    CHECK(said(refused) == Contains("sweep.yaml:10:"));
    CHECK(said(refused) == Contains("data.latitude: era5.nc:/longitude holds 180, which is not a latitude"));
    CHECK(validate(folder.path(), data + "latitude", "  model: mlp\n").code == 0);
}

TEST_CASE("a trial learns packed numbers by their meaning, and skips missing ones") {
    const TemporaryFolder folder;
    write_packed_set(folder / "packed.h5");

    CHECK(validate(folder.path(), "train: \"packed.h5:/\", nan: skip", "  model: mlp\n  width: 4\n").code == 0);
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(run.code == 0, run.err);
    const auto trials = run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json();
    CHECK_MESSAGE(trials[0].at("train_loss").is_number(), trials.dump());
    CHECK(validate(folder.path(), "train: \"packed.h5:/\"", "  model: mlp\n").code == 0);
    fs::remove_all(folder / "s");
    const auto refused = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    CHECK(refused.code == 1);
    CHECK(said(refused) == Contains("has a number that is NaN"));
}

TEST_CASE("validate refuses a virtual data set with a missing source, unless missing sources are filled") {
    const TemporaryFolder folder;
    write_virtual_set(folder / "virtual.h5");
    fs::remove(folder / "part-0.hdf");

    const auto refused = validate(folder.path(), "train: \"virtual.h5:/\"", "  model: mlp\n");
    CHECK(refused.code == 2);
    CHECK(said(refused) == Contains("its source part-0.hdf is missing"));
    CHECK(validate(folder.path(), "train: \"virtual.h5:/\", missing_sources: fill", "  model: mlp\n").code == 0);
}

TEST_CASE("validate asks for the layout of images, and a trial trains on images whose channels are stored last") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "images.h5");
        writer.add("/inputs", {4, 8, 8, 3}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(4 * 8 * 8 * 3, 7));
        writer.add("/targets", {4}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{0, 1, 0, 1});
    }

    const auto asked = validate(folder.path(), "train: \"images.h5:/\"", "  depth: 3\n");
    CHECK(asked.code == 2);
    CHECK(said(asked) == Contains("layout: missing"));
    CHECK(said(asked) == Contains("use `layout: hwc`"));
    // As channels first, 8 x 3 leaves nothing after two halvings.
    CHECK(validate(folder.path(), "train: \"images.h5:/\", layout: chw", "  depth: 3\n").code == 2);
    CHECK(validate(folder.path(), "train: \"images.h5:/\", layout: hwc", "  depth: 3\n").code == 0);
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    CHECK_MESSAGE(run.code == 0, run.err);
}
#endif
