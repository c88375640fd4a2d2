#include "trainer/models/layers/image_inputs.hpp"

#include <doctest/doctest.h>

#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using crescendo::datasets::SampleSet;

namespace {

std::vector<Problem> misfits_of(const std::string& location, const DataSettings& data = {}) {
    return misfits_of_images(*SampleSet::open(location), data, "trainer.data.train", "cnn", "use `model: mlp`");
}

}  // namespace

TEST_CASE("images fit a model of images, but rows of numbers do not") {
    const SweepFixture sweep;

    CHECK(misfits_of(sweep.train).empty());
    const auto problems = misfits_of(write_numbers(sweep.folder / "numbers.h5", "train", 10));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.data.train");
    CHECK(problems[0].message.find("a sample is 3, but the cnn takes height x width") != std::string::npos);
    CHECK(problems[0].message.ends_with("use `model: mlp`"));
}

TEST_CASE("the remedy for a grid of unsuitable size gives the settings to write") {
    CHECK(remedy_for_size({3, 721, 1440}, 16) ==
          "crop them with `data.crop: [720, 1440]`, or pad them with `data.pad: [736, 1440]`");
    CHECK(remedy_for_size({8, 8}, 16) == "pad them with `data.pad: [16, 16]`");
}
