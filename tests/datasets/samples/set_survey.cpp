#include "datasets/samples/set_survey.hpp"

#include <doctest/doctest.h>

#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

TEST_CASE("a range over several files takes rows of those that it reaches, and the others are no parts") {
    const TemporaryFolder folder;
    write_counting_set(folder / "1.h5", 4, 0);
    write_counting_set(folder / "2.h5", 4, 0);
    write_counting_set(folder / "3.h5", 4, 0);
    const auto location = (folder / "?.h5").string() + ":/train[5:11:2]";  // rows 5, 7 and 9 of all
    const SetOptions options;
    int opened = 0;

    const SetSurvey survey(location, options, [&] { ++opened; });

    CHECK(opened == 3);
    CHECK(survey.num_samples == 3);
    REQUIRE(survey.parts.size() == 2);
    CHECK(survey.open.size() == 2);
    CHECK(survey.parts[0].place.file == folder / "2.h5");
    CHECK(survey.parts[0].map.num_samples == 2);
    CHECK(survey.parts[0].map.row_of(1) == 3);
    CHECK(survey.parts[1].place.file == folder / "3.h5");
    CHECK(survey.parts[1].map.row_of(0) == 1);
}
