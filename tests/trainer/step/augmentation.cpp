#include "trainer/step/augmentation.hpp"

#include <ATen/ATen.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/settings_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_samples = 200;

/// Images in which all numbers differ.
at::Tensor images() { return at::arange(1, 1 + num_samples * 2 * 5 * 6, at::kFloat).view({num_samples, 2, 5, 6}); }

at::Tensor keys(std::int64_t epoch = 0, std::int64_t first = 0, std::int64_t count = num_samples) {
    std::vector<std::int64_t> samples;
    for (std::int64_t i = 0; i < count; ++i) {
        samples.push_back(first + i);
    }
    return dropout_keys(/*seed=*/1, epoch, samples);
}

at::Tensor augmented(const AugmentationSettings& settings, const at::Tensor& inputs, const at::Tensor& keys) {
    return Augmentation(settings)({inputs, {}}, keys, Task::Kind::classification).inputs;
}

}  // namespace

TEST_CASE("half of the images are mirrored, independently on each axis") {
    const at::Tensor original = images();
    const at::Tensor changed = augmented({.flip = Flip::both}, original, keys());
    std::array<int, 4> count{};

    for (std::int64_t i = 0; i < num_samples; ++i) {
        const std::array<at::Tensor, 4> ways{original[i], original[i].flip(2), original[i].flip(1),
                                             original[i].flip({1, 2})};
        for (std::size_t way = 0; way < ways.size(); ++way) {
            count[way] += at::equal(changed[i], ways[way]) ? 1 : 0;
        }
    }

    CHECK(count[0] + count[1] + count[2] + count[3] == num_samples);
    for (const int each : count) {
        CHECK(each > num_samples / 4 / 2);
    }
    const at::Tensor horizontal = augmented({.flip = Flip::horizontal}, original, keys());
    CHECK(at::equal(horizontal.select(2, 0).sum(2), original.select(2, 0).sum(2)));  // rows stay where they are
    CHECK_FALSE(at::equal(horizontal, original));
}

TEST_CASE("a crop with padding shifts images by up to the padding and fills in zeros") {
    const at::Tensor original = images();

    const at::Tensor changed = augmented({.crop_padding = 1}, original, keys());

    const at::Tensor padded = at::constant_pad_nd(original, {1, 1, 1, 1});
    std::set<std::pair<int, int>> shifts;
    for (std::int64_t i = 0; i < num_samples; ++i) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                if (at::equal(changed[i], padded[i].narrow(1, row, 5).narrow(2, column, 6))) {
                    shifts.emplace(row, column);
                }
            }
        }
    }
    CHECK(shifts.size() == 9);
}

TEST_CASE("cutout covers a square of all channels, which the border may clip") {
    const at::Tensor original = images();

    const at::Tensor changed = augmented({.cutout = 3}, original, keys());

    const at::Tensor zeros = changed.eq(0);
    const at::Tensor counts = zeros.sum({1, 2, 3});
    CHECK(counts.max().item<std::int64_t>() == 2 * 3 * 3);
    CHECK(counts.min().item<std::int64_t>() == 2 * 2 * 2);
    CHECK(at::equal(zeros.select(1, 0), zeros.select(1, 1)));
    CHECK(at::equal(changed.masked_select(~zeros), original.masked_select(~zeros)));
}

TEST_CASE("noise is normal with the given deviation and different for each number") {
    const at::Tensor none = at::zeros({num_samples, 300});

    const at::Tensor noise = augmented({.noise = 0.5}, none, keys());

    // The mean of 60,000 numbers has the deviation 0.5 / 245; it must be within five of these.
    CHECK(noise.mean().item<double>() == doctest::Approx(0).epsilon(0.01));
    CHECK(noise.std().item<double>() == doctest::Approx(0.5).epsilon(0.02));
    CHECK(noise.abs().gt(1.0).to(at::kFloat).mean().item<double>() == doctest::Approx(0.0455).epsilon(0.1));
    const at::Tensor alike = at::corrcoef(noise.narrow(1, 0, 20).t()) - at::eye(20);
    CHECK(alike.abs().max().item<double>() < 0.35);  // 1 / sqrt(200) is 0.07
}

TEST_CASE("augmentation of a sample depends on the sample and the epoch, but not on its batch") {
    const AugmentationSettings all{.flip = Flip::both, .crop_padding = 2, .cutout = 2, .noise = 0.1};
    const at::Tensor original = images();

    const at::Tensor whole = augmented(all, original, keys());

    CHECK(at::equal(augmented(all, original.narrow(0, 50, 7), keys(0, 50, 7)), whole.narrow(0, 50, 7)));
    CHECK_FALSE(at::equal(augmented(all, original, keys(/*epoch=*/1)), whole));
    const at::Tensor grey = original.select(1, 0).contiguous();
    CHECK(augmented(all, grey, keys()).sizes() == grey.sizes());
}

TEST_CASE("reconstruction targets are mirrored and shifted, but have no cutout and no noise") {
    const at::Tensor original = images();
    const AugmentationSettings moves{.flip = Flip::both, .crop_padding = 2};
    AugmentationSettings all = moves;
    all.cutout = 2;
    all.noise = 0.1;

    const Batch batch =
        Augmentation(all)({original, original.flatten(1)}, keys(), Task::Kind::reconstruction);

    CHECK(at::equal(batch.targets, augmented(moves, original, keys()).flatten(1)));
    CHECK_FALSE(at::equal(batch.targets, batch.inputs.flatten(1)));
}

TEST_CASE("augmentation that needs images or would separate inputs from targets is refused with its key") {
    const SweepFixture sweep;
    const auto file = sweep.folder / "more.h5";
    const auto key_of = [](Json settings, const std::string& key, const Json& value) {
        settings[key] = value;
        const auto problems = check_settings({{"settings", settings}}, catalogue_with_normed());
        return problems.empty() ? std::string() : problems[0].key;
    };
    Json numbers = small_cnn(write_numbers(file, "numbers", 24));
    numbers["model"] = "mlp";
    const Json fields = small_autoencoder(write_waves(file, "waves", 24, /*seed=*/1));
    const Json pictures = small_cnn(sweep.train, sweep.validation);

    CHECK(key_of(pictures, "flip", "both").empty());
    CHECK(key_of(pictures, "flip", "up") == "trainer.flip");
    CHECK(key_of(pictures, "crop_padding", -1) == "trainer.crop_padding");
    CHECK(key_of(numbers, "input_noise", 0.1).empty());
    CHECK(key_of(numbers, "flip", "horizontal") == "trainer.flip");
    CHECK(key_of(numbers, "crop_padding", 2) == "trainer.crop_padding");
    CHECK(key_of(numbers, "cutout", 2) == "trainer.cutout");
    CHECK(key_of(fields, "cutout", 2).empty());
    CHECK(key_of(fields, "flip", "horizontal") == "trainer.flip");
    CHECK(key_of(fields, "crop_padding", 2) == "trainer.crop_padding");
    CHECK(key_of(small_autoencoder(sweep.train), "flip", "horizontal").empty());
}
