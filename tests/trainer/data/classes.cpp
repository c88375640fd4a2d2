#include "trainer/data/classes.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "core/check.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/settings/settings.hpp"

using namespace crescendo::trainer;
using namespace crescendo::tests;
using crescendo::datasets::NonFinite;
using doctest::Contains;

namespace {

/// A set whose fill value for classes is 255.
struct FilledSet {
    TemporaryFolder folder;

    DataSettings settings(const std::vector<std::uint8_t>& classes, NonFinite nan) const {
        Hdf5Writer writer(folder / "set.h5");
        const hsize_t count = classes.size();
        writer.add("/train/inputs", {count}, H5T_NATIVE_FLOAT, std::vector<float>(count));
        writer.add("/train/targets", {count}, H5T_NATIVE_UINT8, classes);
        writer.attribute("/train/targets", "_FillValue", H5T_NATIVE_UINT8, std::vector<std::uint8_t>{255});
        return {.train = (folder / "set.h5").string() + ":/train",
                .nan = nan,
                .shuffle = crescendo::datasets::Shuffle::none};
    }
};

ClassCounts counts_of(const DataSettings& settings) {
    DataCache data;
    return data.classes(settings.train, settings);
}

}  // namespace

TEST_CASE("a missing class is not counted unless samples without a class are kept") {
    const FilledSet set;
    const std::vector<std::uint8_t> classes{1, 255, 0, 1};

    CHECK(counts_of(set.settings(classes, NonFinite::skip)) == ClassCounts{1, 2});
    CHECK(counts_of(set.settings(classes, NonFinite::error)) == ClassCounts{1, 2});
    CHECK(counts_of(set.settings(classes, NonFinite::keep)).size() == 256);
    CHECK_THROWS_WITH_AS(counts_of(set.settings({255, 255}, NonFinite::skip)),
                         Contains("/train/targets has no classes, because all its numbers are missing"),
                         crescendo::InvalidInput);
}

TEST_CASE("a class above 2^63 is reported as it is stored, not as a negative number") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_FLOAT, std::vector<float>(2));
        writer.add("/targets", {2}, H5T_NATIVE_UINT64, std::vector<std::uint64_t>{0, (1ULL << 63) + 2});
        writer.add("/signed", {2}, H5T_NATIVE_INT64, std::vector<std::int64_t>{0, -2});
    }
    const auto train = (folder / "set.h5").string() + ":/";

    CHECK_THROWS_WITH_AS(counts_of({.train = train}), Contains("has the class 9223372036854775810, but"),
                         crescendo::InvalidInput);
    CHECK_THROWS_WITH_AS(counts_of({.train = train, .targets = {"signed"}}), Contains("has the class -2, but"),
                         crescendo::InvalidInput);
}

TEST_CASE("a sample whose class is missing is skipped or causes an error that names it") {
    const FilledSet set;
    const auto first_step = [&](NonFinite nan) {
        DataCache data;
        auto& stream = data.training(set.settings({1, 255, 0, 1}, nan));
        stream.enter({.group_batch = 4});
        return *stream.next();
    };

    const auto skipped = first_step(NonFinite::skip);

    CHECK(skipped.samples == std::vector<std::int64_t>{0, 2, 3});
    CHECK(skipped.targets.size() == 3 * sizeof(std::int64_t));
    CHECK(first_step(NonFinite::keep).samples.size() == 4);
    CHECK_THROWS_WITH_AS(first_step(NonFinite::error),
                         Contains("sample 1 of /train/targets has a number that is missing, as its attributes say "
                                  "(missing 255); trainer.data.nan: skip"),
                         std::runtime_error);
}
