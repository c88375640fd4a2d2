#include "datasets/inspection/statistics.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <limits>
#include <vector>

#include "core/spelling.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Approx;
using doctest::Contains;

namespace {

std::vector<ChannelStatistics> channels_of(const std::string& location, const std::string& data_set, int threads = 1) {
    const auto all = compute_statistics(location, {.data_sets = {data_set}, .threads = threads});
    REQUIRE(all.size() == 1);
    return all[0].channels;
}

}  // namespace

TEST_CASE("each channel has its own mean and spread") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/images", {2, 2, 1, 2}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{0, 2, 10, 10, 4, 6, 30, 30});
        writer.add("/features", {3, 2}, H5T_NATIVE_DOUBLE, std::vector<double>{1, 10, 2, 20, 3, 30});
        writer.add("/grey", {1, 2, 2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{-1, 1, -1, 1});
        writer.add("/numbers", {4}, H5T_NATIVE_FLOAT, std::vector<float>{1, 1, 3, 3});
    }
    const auto location = (folder / "set.h5").string() + ":/";

    const auto images = channels_of(location, "images");
    const auto features = channels_of(location, "features");

    REQUIRE(images.size() == 2);
    CHECK(images[0].mean == 3);
    CHECK(images[0].std == Approx(std::sqrt(5.0)));  // of 0, 2, 4, 6: (9 + 1 + 1 + 9) / 4
    CHECK(images[0].min == 0);
    CHECK(images[0].max == 6);
    CHECK(images[1].mean == 20);
    CHECK(images[1].std == 10);
    REQUIRE(features.size() == 2);
    CHECK(features[1].mean == 20);
    CHECK(channels_of(location, "grey").size() == 1);
    CHECK(channels_of(location, "numbers")[0].std == 1);
}

TEST_CASE("numbers that are not finite are counted and do not affect the others") {
    const TemporaryFolder folder;
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/some", {5}, H5T_NATIVE_DOUBLE, std::vector<double>{1, nan, 3, infinity, -infinity});
        writer.add("/none", {2}, H5T_NATIVE_DOUBLE, std::vector<double>{nan, nan});
    }
    const auto location = (folder / "set.h5").string() + ":/";

    const auto some = channels_of(location, "some")[0];
    const auto none = channels_of(location, "none")[0];

    CHECK(some.count == 2);
    CHECK(some.nan == 1);
    CHECK(some.infinite == 2);
    CHECK(some.mean == 2);
    CHECK(some.max == 3);
    CHECK(none.count == 0);
    CHECK(none.nan == 2);
    CHECK(std::isnan(none.mean));
}

TEST_CASE("a large offset does not cost the spread precision, and the number of threads changes nothing") {
    const TemporaryFolder folder;
    std::vector<double> numbers(100'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = 1e9 + static_cast<double>(i % 4);  // spread √1.25
    }
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/chunked", {numbers.size()}, H5T_NATIVE_DOUBLE, numbers, {.chunk = {1001}, .deflate = true});
        writer.add("/plain", {numbers.size()}, H5T_NATIVE_DOUBLE, numbers);
    }
    const auto location = (folder / "set.h5").string() + ":/";

    const auto one = compute_statistics(location, {.threads = 1});

    REQUIRE(one.size() == 2);
    for (const auto& [name, channels] : one) {
        CHECK(channels[0].mean == Approx(1e9 + 1.5).epsilon(1e-15));
        CHECK(channels[0].std == Approx(std::sqrt(1.25)).epsilon(1e-9));
    }
    for (const int threads : {2, 3, 7}) {
        CHECK(compute_statistics(location, {.threads = threads}) == one);
    }
}

TEST_CASE("a constant channel has no spread although float64 rounds the sum of its numbers") {
    const TemporaryFolder folder;
    std::vector<double> pressures;
    for (int i = 0; i < 100'000; ++i) {
        pressures.insert(pressures.end(), {0.1, 1e9 + 0.1 * (i % 2)});
    }
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/both", {pressures.size() / 2, 2}, H5T_NATIVE_DOUBLE, pressures);
    }

    const auto channels = channels_of((folder / "set.h5").string() + ":/", "both");

    REQUIRE(channels.size() == 2);
    CHECK(channels[0].mean == 0.1);
    CHECK(channels[0].std == 0);
    CHECK(channels[0].is_constant());
    CHECK(channels[1].std == Approx(0.05).epsilon(1e-5));
    CHECK_FALSE(channels[1].is_constant());
    CHECK(ChannelStatistics{.count = 9, .mean = 0.1, .std = 1e-15, .min = 0.1, .max = 0.1 + 1e-16}.is_constant());
}

TEST_CASE("progress counts the samples of all data sets to the end") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 1000, 5);
    std::int64_t last = 0;
    const auto count = [&](std::int64_t done, std::int64_t total) {
        CHECK(total == 2000);
        CHECK(done > last);
        last = done;
    };

    compute_statistics(location, {.threads = 2, .progress = count});

    CHECK(last == 2000);
}

TEST_CASE("a file that changes once its samples are read, while others are read, causes an error") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {64, 64}, 4);
    const auto change_first = [&](std::int64_t done, std::int64_t) {
        if (done == 64) {
            std::filesystem::last_write_time(folder / "part-000.h5", std::filesystem::file_time_type::min());
        }
    };

    CHECK_THROWS_WITH(compute_statistics(location, {.data_sets = {"inputs"}, .threads = 1, .progress = change_first}),
                      Contains("part-000.h5:/train was written to while it was read"));
}

TEST_CASE("statistics are kept next to the file, per selection") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 100, 5);
    const auto whole = compute_statistics(location, {});
    const auto half = compute_statistics(location + "[0:50]", {});

    keep_statistics(location, whole);
    keep_statistics(location + "[0:50]", half);

    CHECK(kept_statistics(location) == whole);
    CHECK(kept_statistics(location + "[:50]") == half);
    CHECK(half[1].channels[0].max == 49);
}

TEST_CASE("a message about missing, stale or damaged statistics names the command to run") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 100, 5);
    const auto complaint = [&](const std::string& place) { return complaint_of([&] { kept_statistics(place); }); };
    const auto command = Contains(("run: crescendo data stats " + location).c_str());

    CHECK(complaint(location) == command);
    CHECK(complaint(location) == Contains("no mean and spread of"));

    keep_statistics(location, compute_statistics(location, {}));
    CHECK(complaint(location) == "");
    CHECK(complaint(location + "[0:50]") == Contains("no mean and spread of"));

    write_counting_set(folder / "set.h5", 101, 5);
    CHECK(complaint(location) == command);
    CHECK(complaint(location) == Contains("has changed since"));

    // Statistics of the former file are dropped.
    keep_statistics(location + "[0:50]", compute_statistics(location + "[0:50]", {}));
    CHECK(complaint(location) == Contains("no mean and spread of"));

    std::ofstream(folder / "set.h5.stats.json") << "{";
    CHECK(complaint(location) == Contains("no mean and spread of"));
}

TEST_CASE("the command for statistics is quoted for the shell") {
    CHECK(statistics_command("a.h5:/train", SampleLayout::chw) == "crescendo data stats a.h5:/train");
    CHECK(statistics_command("it's.h5:/[0:8]", SampleLayout::hwc, {"x", "t[:, 3]"}) ==
          R"(crescendo data stats 'it'\''s.h5:/[0:8]' --layout hwc --data-sets 'x,t[:, 3]')");
}

TEST_CASE("statistics written by another user are refused unless that user owns the file") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root makes files of other users");
        return;
    }
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 100, 5);
    const auto kept = folder / "set.h5.stats.json";
    const auto complaint = [&] { return complaint_of([&] { kept_statistics(location); }); };
    keep_statistics(location, compute_statistics(location, {}));

    REQUIRE(::chown(kept.c_str(), 12345, 12345) == 0);

    CHECK(complaint() == Contains("was written by user 12345, who owns neither the data nor this process; run: cresc"));
    REQUIRE(::chown((folder / "set.h5").c_str(), 12345, 12345) == 0);
    CHECK(complaint() == "");
    REQUIRE(::chown((folder / "set.h5").c_str(), 0, 0) == 0);
    keep_statistics(location + "[0:50]", compute_statistics(location + "[0:50]", {}));
    CHECK(complaint() == Contains("no mean and spread of"));  // the other user's statistics are gone
}

TEST_CASE("a statistics file that cannot be read causes an error and is not replaced") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 100, 5);
    const auto kept = folder / "set.h5.stats.json";
    std::filesystem::create_symlink("/proc/self/mem", kept);  // it can be opened, but reading its first byte fails

    const auto complaint = complaint_of([&] { keep_statistics(location, compute_statistics(location, {})); });

    CHECK(complaint ==
          Contains("set.h5.stats.json cannot be read (Input/output error); try again once it is readable, or remove "
                   "it with the statistics in it"));
    CHECK(complaint_of([&] { kept_statistics(location); }) == complaint);
    CHECK(std::filesystem::is_symlink(kept));
}

TEST_CASE("a pipe in place of the statistics is ignored, and a link is replaced without changing its target") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 100, 5);
    const auto kept = folder / "set.h5.stats.json";
    REQUIRE(::mkfifo(kept.c_str(), 0600) == 0);
    CHECK(complaint_of([&] { kept_statistics(location); }) == Contains("no mean and spread of"));
    std::filesystem::remove(kept);
    std::ofstream(folder / "mine") << "mine";
    std::filesystem::create_symlink("mine", kept);

    keep_statistics(location, compute_statistics(location, {}));

    CHECK(complaint_of([&] { kept_statistics(location); }) == "");
    CHECK(std::filesystem::file_size(folder / "mine") == 4);
}

TEST_CASE("statistics of packed numbers are those of the unpacked numbers") {
    const TemporaryFolder folder;

    const auto inputs = compute_statistics(write_packed_set(folder / "packed.h5"), {.data_sets = {"inputs"}})[0];

    REQUIRE(inputs.channels.size() == 2);  // 10.5, missing, 12.5 and 11, 12, missing
    CHECK(inputs.channels[0].mean == 11.5);
    CHECK(inputs.channels[0].std == 1.0);
    CHECK(inputs.channels[0].nan == 1);
    CHECK(inputs.channels[1].max == 12.0);
    CHECK(inputs.channels[1].nan == 1);
}

TEST_CASE("the default fill value of NetCDF is recognized") {
    const TemporaryFolder folder;
    Hdf5Writer(folder / "set.h5")
        .add("/inputs", {2, 2}, H5T_NATIVE_FLOAT, std::vector<float>{1, 9.9692099683868690e+36F, 2, 3});

    const auto channels = channels_of((folder / "set.h5").string() + ":/", "inputs");

    CHECK_FALSE(channels[0].ends_in_netcdf_fill());
    CHECK(channels[1].ends_in_netcdf_fill());
}

TEST_CASE("channels stored last have their own statistics if the layout is given") {
    const TemporaryFolder folder;
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 2 * 4 * 4; ++i) {
        pixels.insert(pixels.end(), {1, 2, 3});
    }
    Hdf5Writer(folder / "set.h5").add("/inputs", {2, 4, 4, 3}, H5T_NATIVE_UINT8, pixels);
    const auto location = (folder / "set.h5").string() + ":/";

    CHECK(complaint_of([&] { compute_statistics(location, {}); }) == Contains("use --layout hwc"));
    const auto last = compute_statistics(location, {.layout = SampleLayout::hwc});
    const auto first = compute_statistics(location, {.layout = SampleLayout::chw});
    keep_statistics(location, last, SampleLayout::hwc);

    REQUIRE(last[0].channels.size() == 3);
    CHECK(last[0].channels[2].mean == 3.0);
    CHECK(last[0].channels[2].std == 0.0);
    CHECK(first[0].channels.size() == 4);
    CHECK(kept_statistics(location, SampleLayout::hwc) == last);
    CHECK(complaint_of([&] { kept_statistics(location); }) == Contains("no mean and spread"));
}

TEST_CASE("a shape looks channels-last if its first two axes are equal, but not if all three differ") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    {
        Hdf5Writer writer(file);
        writer.add("/bands", {1, 6, 6, 5}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(180, 1));
        writer.add("/levels", {1, 7, 6, 5}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(210, 1));
    }
    const auto looks_last = [&](const std::string& name) {
        return SampleSet::open(file.string() + ":/", {.inputs = {name}, .targets = {}})
            ->inputs()[0]
            .looks_channels_last();
    };

    CHECK(looks_last("bands"));
    CHECK_FALSE(looks_last("levels"));
}

TEST_CASE("statistics of a virtual data set become stale when a source is written to") {
    const TemporaryFolder folder;
    const auto location = write_virtual_set(folder / "virtual.h5");
    keep_statistics(location, compute_statistics(location, {}));
    CHECK(kept_statistics(location).size() == 2);

    Hdf5Writer(folder / "part-1.hdf").add("/piece", {3, 2}, H5T_NATIVE_FLOAT, std::vector<float>(6, 9.0F));

    CHECK(complaint_of([&] { kept_statistics(location); }) == Contains("or one of its sources, has changed"));
}

TEST_CASE("statistics of a virtual data set become stale when a source is added or a missing one returns") {
    const TemporaryFolder folder;
    const auto add = [&](const char* file) {
        Hdf5Writer(folder / file).add("/piece", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2});
    };
    const auto complaint = [](const std::string& place) { return complaint_of([&] { kept_statistics(place); }); };
    add("b-0.hdf");
    const auto numbered = write_numbered_set(folder / "numbered.h5", "b-%b.hdf", "/piece");
    keep_statistics(numbered, compute_statistics(numbered, {}));
    CHECK(complaint(numbered) == "");

    add("b-1.hdf");

    CHECK(complaint(numbered) == Contains("inputs of "));
    CHECK(complaint(numbered) == Contains("numbered.h5 has other source files or rows than when"));
    keep_statistics(numbered, compute_statistics(numbered, {}));
    CHECK(complaint(numbered) == "");

    const auto halves = write_virtual_set(folder / "halves.h5");
    std::filesystem::rename(folder / "part-1.hdf", folder / "away");
    keep_statistics(halves, compute_statistics(halves, {.missing_sources = MissingSources::fill}));
    CHECK(complaint(halves) == "");
    std::filesystem::rename(folder / "away", folder / "part-1.hdf");
    CHECK(complaint(halves) == Contains("halves.h5 has other source files"));
}

TEST_CASE("statistics of one data set can be renewed while others are stale for the same reason") {
    const TemporaryFolder folder;
    const auto add = [&](const char* file) {
        Hdf5Writer(folder / file).add("/piece", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2});
    };
    add("b-0.hdf");
    const auto location = write_numbered_set(folder / "numbered.h5", "b-%b.hdf", "/piece");
    REQUIRE(H5Lcreate_soft("/inputs", Hdf5Writer::reopened(folder / "numbered.h5").id(), "targets", H5P_DEFAULT,
                           H5P_DEFAULT) >= 0);
    keep_statistics(location, compute_statistics(location, {}));
    REQUIRE(kept_statistics(location).size() == 2);
    add("b-1.hdf");

    keep_statistics(location, compute_statistics(location, {.data_sets = {"inputs"}}));

    const auto kept = kept_statistics(location);
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].name == "inputs");
    CHECK(kept[0].channels[0].count == 4);
}

TEST_CASE("statistics of a virtual data set kept by an older version are usable while its sources are unchanged") {
    const TemporaryFolder folder;
    const auto location = write_virtual_set(folder / "virtual.h5");
    const auto statistics = compute_statistics(location, {});
    keep_statistics(location, statistics);
    const auto kept = folder / "virtual.h5.stats.json";
    std::ifstream in(kept);
    std::string content(std::istreambuf_iterator<char>(in), {});
    REQUIRE(content.find("\"origins\"") != std::string::npos);
    content.replace(content.find("\"origins\""), 9, "\"no_more\"");
    std::ofstream(kept) << content;

    CHECK(kept_statistics(location) == statistics);
}

TEST_CASE("statistics of a linked data set become stale when its file is written to") {
    const TemporaryFolder folder;
    write_counting_set(folder / "data.h5", 10, 0);
    {
        const Hdf5Writer writer(folder / "links.h5");
        H5Gclose(H5Gcreate2(writer.id(), "train", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        REQUIRE(H5Lcreate_external("data.h5", "/train/inputs", writer.id(), "train/inputs", H5P_DEFAULT, H5P_DEFAULT) >=
                0);
    }
    const auto location = (folder / "links.h5").string() + ":/train";
    keep_statistics(location, compute_statistics(location, {.data_sets = {"inputs"}}));
    CHECK(kept_statistics(location).size() == 1);

    write_counting_set(folder / "data.h5", 11, 0);

    CHECK(complaint_of([&] { kept_statistics(location); }) == Contains("or one of its sources, has changed"));
}

TEST_CASE("by default, statistics cover all data sets that the selection fits, including linked ones") {
    const TemporaryFolder folder;
    const auto location = (folder / "era.nc").string() + ":/";
    {
        Hdf5Writer writer(folder / "era.nc");
        writer.add("/latitude", {4}, H5T_NATIVE_FLOAT, std::vector<float>{60, 50, 40, 30});
        writer.add("/t", {6, 4}, H5T_NATIVE_FLOAT, std::vector<float>(24, 1.0F));
        writer.add("/time", {6}, H5T_NATIVE_INT, std::vector{0, 1, 2, 3, 4, 5});
        writer.add("/T[K]", {6}, H5T_NATIVE_INT, std::vector{0, 1, 2, 3, 4, 5});  // no setting can name it
        writer.add("/wind/u", {6, 4}, H5T_NATIVE_FLOAT, std::vector<float>(24, 2.0F));
        REQUIRE(H5Lcreate_soft("/wind/u", writer.id(), "u", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        REQUIRE(H5Lcreate_soft("/wind/w", writer.id(), "w", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        REQUIRE(H5Lcreate_external("none.h5", "/x", writer.id(), "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    const auto names = [](const std::string& of) { return crescendo::names_of(compute_statistics(of, {})); };

    CHECK(names(location) == std::vector<std::string>{"latitude", "t", "time", "u"});
    CHECK(names(location + "[0:5]") == std::vector<std::string>{"t", "time", "u"});
    CHECK(compute_statistics(location + "[0:5]", {})[2].channels[0].mean == 2.0);
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_INT, std::vector{1, 2});
        writer.add("/others", {9}, H5T_NATIVE_INT, std::vector<int>(9));
    }
    CHECK(names((folder / "set.h5").string() + ":/[1:]") == std::vector<std::string>{"inputs"});
}

TEST_CASE("the command in the message names the requested layout and data sets") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 10, 5);

    CHECK(complaint_of([&] {
              kept_statistics(location, SampleLayout::hwc, {"t[:, 3]", "z"});
          }) == Contains((location + " --layout hwc --data-sets 't[:, 3],z'").c_str()));
}

TEST_CASE("statistics of several files cover all rows and become stale when a file is added") {
    const TemporaryFolder folder;
    const auto one = write_counting_set(folder / "whole.h5", 20, 5);
    const auto several = write_counting_files(folder.path(), {7, 9, 4}, 5);
    const auto statistics = compute_statistics(several, {});

    keep_statistics(several, statistics);

    CHECK(channels_of(several, "inputs")[1].mean == Approx(channels_of(one, "inputs")[1].mean));
    CHECK(channels_of(several, "inputs")[1].std == Approx(channels_of(one, "inputs")[1].std));
    CHECK(kept_statistics(several) == statistics);
    CHECK(std::filesystem::exists(folder / "part-_.h5.stats.json"));
    const auto seen_from_here = std::filesystem::relative(folder.path()).string() + "/";
    const auto name = several.substr(folder.path().string().size() + 1);
    CHECK(kept_statistics(seen_from_here + name) == statistics);
    write_counting_set(folder / "part-003.h5", 4, 0);  // one more file
    CHECK(complaint_of([&] { kept_statistics(several); }) == Contains("has changed since"));
}
