#include "datasets/samples/conversion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "datasets/samples/sample_stream.hpp"
#include "datasets/samples/window_reader.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct Converted {
    std::vector<float> numbers;
    bool finite;
};

template <class T>
Converted converted(ElementType type, const std::vector<T>& sample, const std::vector<std::int64_t>& shape,
                    const Normalization& normalization) {
    const auto conversion =
        Conversion::to_float32({.path = "/inputs", .type = type, .num_samples = 1, .shape = shape}, normalization);
    REQUIRE(conversion.sample_bytes() == 4 * sample.size());
    std::vector<float> numbers(sample.size());
    const bool finite =
        conversion.convert(std::as_bytes(std::span(sample)), reinterpret_cast<std::byte*>(numbers.data()));
    return {numbers, finite};
}

/// Two data sets of a group: `inputs` {0, 1}, {2, 3} … of float32 in chunks of 4, and `targets`.
std::string write_floats(const std::filesystem::path& file, const std::vector<float>& targets) {
    std::vector<float> inputs(2 * targets.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i] = static_cast<float>(i);
    }
    Hdf5Writer writer(file);
    const hsize_t n = targets.size();
    writer.add("/inputs", {n, 2}, H5T_NATIVE_FLOAT, inputs, {.chunk = {4, 2}});
    writer.add("/targets", {n}, H5T_NATIVE_FLOAT, targets, {.chunk = {4}});
    return file.string() + ":/";
}

SampleStream::Options as_floats(const SampleSet& set, NonFinite non_finite) {
    return {.conversions = {Conversion::to_float32(set.inputs()[0], {}), Conversion::to_float32(set.targets()[0], {})},
            .non_finite = non_finite};
}

}  // namespace

TEST_CASE("every type becomes float32") {
    const std::vector<float> expected{0, 1, 2};
    const Normalization none;
    CHECK(converted<std::uint8_t>(ElementType::u8, {0, 1, 2}, {3}, none).numbers == expected);
    CHECK(converted<std::int8_t>(ElementType::i8, {-1, 1, 2}, {3}, none).numbers == std::vector<float>{-1, 1, 2});
    CHECK(converted<std::uint16_t>(ElementType::u16, {0, 1, 65535}, {3}, none).numbers[2] == 65535.0F);
    CHECK(converted<std::int64_t>(ElementType::i64, {0, 1, 2}, {3}, none).numbers == expected);
    CHECK(converted<double>(ElementType::f64, {0, 1, 2}, {3}, none).numbers == expected);
    CHECK(converted<float>(ElementType::f32, {0, 1, 2}, {3}, none).numbers == expected);
    // 1, -2, the largest, the smallest, infinity
    const auto half = converted<std::uint16_t>(ElementType::f16, {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00}, {5}, none);
    CHECK(half.numbers == std::vector<float>{1, -2, 65504, 0x1p-24F, std::numeric_limits<float>::infinity()});
    CHECK_FALSE(half.finite);
    CHECK(converted<std::uint16_t>(ElementType::bf16, {0x3F80, 0xC000}, {2}, none).numbers ==
          std::vector<float>{1, -2});
}

TEST_CASE("mean and spread apply to all numbers, per feature, per channel, or per feature of a window's rows") {
    const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
    CHECK(converted<float>(ElementType::f32, numbers, {6}, {{1}, {2}}).numbers ==
          std::vector<float>{0, 0.5F, 1, 1.5F, 2, 2.5F});
    CHECK(converted<float>(ElementType::f32, numbers, {6}, {{1, 2, 3, 4, 5, 6}, {1}}).numbers ==
          std::vector<float>(6, 0));
    CHECK(converted<float>(ElementType::f32, numbers, {2, 1, 3}, {{1, 4}, {1, 2}}).numbers ==
          std::vector<float>{0, 1, 2, 0, 0.5F, 1});

    const Field window{.path = "/inputs", .type = ElementType::f32, .num_samples = 1, .shape = {3, 2}, .window = 3};
    std::vector<float> out(6);
    Conversion::to_float32(window, {{1, 2}, {1}})
        .convert(std::as_bytes(std::span(numbers)), reinterpret_cast<std::byte*>(out.data()));
    CHECK(out == std::vector<float>{0, 0, 2, 2, 4, 4});
}

TEST_CASE("a small spread around a large mean keeps its precision") {
    const auto result = converted<double>(ElementType::f64, {1e9, 1e9 + 0.5}, {1, 2}, {{1e9}, {1}});

    CHECK(result.numbers == std::vector<float>{0, 0.5F});
}

TEST_CASE("float32 numbers around a large mean are normalized by that mean, not by its float32 rounding") {
    // Air pressure: float32 numbers are 1/128 apart here, so 101325.3 would be rounded by 0.0031, 6 % of the std.
    const std::vector<float> pressures{101325.296875F, 101325.3515625F, 101325.25F, 0};
    const Normalization standard{{101325.3}, {0.05}};
    const auto expect = [](float got, float pressure) {
        CHECK(got == doctest::Approx((static_cast<double>(pressure) - 101325.3) / 0.05).epsilon(1e-6));
    };

    const auto alike = converted<float>(ElementType::f32, pressures, {1, 4}, standard);
    const auto each = converted<float>(ElementType::f32, pressures, {4}, {{101325.3, 101325.3, 101325.3, 0}, {0.05}});

    for (std::size_t i = 0; i < 3; ++i) {
        expect(alike.numbers[i], pressures[i]);
        expect(each.numbers[i], pressures[i]);
    }
    CHECK(each.numbers[3] == 0);
}

TEST_CASE("half precision is read exactly even if the processor flushes denormal numbers to 0") {
#ifdef __SSE__
    const auto before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U);
    const auto half = converted<std::uint16_t>(ElementType::f16, {0x0001, 0x8300, 0x0400, 0x7C00}, {4}, {});
    _mm_setcsr(before);

    CHECK(half.numbers == std::vector<float>{0x1p-24F, -0x3p-16F, 0x1p-14F, std::numeric_limits<float>::infinity()});
#else
    MESSAGE("skipped: only x86 has this switch");
#endif
}

TEST_CASE("NaN, infinity and numbers beyond float32 are noticed at every position") {
    for (std::size_t at = 0; at < 37; ++at) {
        for (const double bad : {std::nan(""), 1e300, -std::numeric_limits<double>::infinity()}) {
            std::vector<double> sample(37, 1.0);
            CHECK(converted(ElementType::f64, sample, {37}, {}).finite);

            sample[at] = bad;

            CHECK_FALSE(converted(ElementType::f64, sample, {37}, {}).finite);
        }
    }
}

TEST_CASE("a sample that is not finite causes an error that names it") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_floats(folder / "set.h5", {0, 1, 2, not_a_number, 4, 5, 6}) + "[1:]");
    SampleStream stream(set, as_floats(*set, NonFinite::error));
    stream.enter({.group_batch = 7});

    CHECK_THROWS_WITH_AS(stream.next(), Contains("set.h5:/[1:]: sample 3 of /targets has a number that is NaN"),
                         std::runtime_error);
    CHECK(stream.position() == 0);
}

TEST_CASE("skipped samples do not move the others, whatever the size of the group") {
    const TemporaryFolder folder;
    std::vector<float> targets(50);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        targets[i] = i % 7 == 3 ? not_a_number : static_cast<float>(i);
    }
    const auto set = SampleSet::open(write_floats(folder / "set.h5", targets));
    const auto one_epoch = [&](NonFinite non_finite, int size) {
        auto options = as_floats(*set, non_finite);
        options.memory_bytes = 2 * 12 * 24;
        std::vector<std::unique_ptr<SampleStream>> streams;
        for (int rank = 0; rank < size; ++rank) {
            streams.push_back(std::make_unique<SampleStream>(set, options));
            streams.back()->enter({.seed = 5, .group_batch = 9, .rank = rank, .size = size});
        }
        std::vector<std::vector<std::int64_t>> steps;
        while (streams[0]->position() < set->size()) {
            auto& samples = steps.emplace_back();
            for (auto& stream : streams) {
                const auto slice = stream->next();
                CHECK(slice->inputs.size() == 8 * slice->samples.size());
                CHECK(slice->targets.size() == 4 * slice->samples.size());
                CHECK(slice->group_samples() ==
                      std::min<std::int64_t>(9, 50 - (stream->position() - slice->group_samples())));
                for (std::size_t i = 0; i < slice->samples.size(); ++i) {
                    float target = 0;
                    std::memcpy(&target, slice->targets.data() + 4 * i, 4);
                    CHECK((std::isnan(target) || target == static_cast<float>(slice->samples[i])));
                }
                samples.insert(samples.end(), slice->samples.begin(), slice->samples.end());
            }
            std::sort(samples.begin(), samples.end());
        }
        return steps;
    };
    auto expected = one_epoch(NonFinite::keep, 1);
    CHECK(expected.size() == 6);
    for (auto& step : expected) {
        std::erase_if(step, [](std::int64_t sample) { return sample % 7 == 3; });
    }

    for (const int size : {1, 2, 3}) {
        CHECK(one_epoch(NonFinite::skip, size) == expected);
    }
}

TEST_CASE("a data set that is both input and target is read once and held once") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const std::vector<std::uint8_t> bytes(1 << 20, 7);
    Hdf5Writer(file).add("/fields", {1 << 10, 1 << 10}, H5T_NATIVE_UINT8, bytes);
    const auto location = file.string() + ":/";
    const auto once = SampleSet::open(location, {.inputs = {"fields"}, .targets = {}});
    const auto twice = SampleSet::open(location, {.inputs = {"fields"}, .targets = {"fields"}});
    const auto ahead =
        SampleSet::open(location, {.inputs = {"fields"}, .targets = {"fields"}, .window = {.length = 1, .horizon = 1}});

    CHECK(twice->first_alike(1) == 0);
    CHECK(twice->chunk_bytes(10) == once->chunk_bytes(10));
    CHECK(ahead->first_alike(1) == 1);
    const std::size_t half = 600 << 10;
    CHECK(plan_windows(*twice, {0, twice->size()}, Shuffle::windowed, half).num_windows ==
          plan_windows(*once, {0, once->size()}, Shuffle::windowed, half).num_windows);

    SampleStream stream(twice, {.shuffle = Shuffle::none});
    const auto before = bytes_read_so_far();
    stream.enter({.group_batch = 1 << 10});
    const auto slice = stream.next();

    CHECK(bytes_read_so_far() - before < bytes.size() * 3 / 2);
    REQUIRE(slice->inputs.size() == bytes.size());
    CHECK(std::memcmp(slice->inputs.data(), bytes.data(), bytes.size()) == 0);
    CHECK(slice->targets == slice->inputs);
}

TEST_CASE("several data sets follow each other in a sample") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    {
        Hdf5Writer writer(file);
        writer.add("/images", {2, 2}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1, 2, 3, 4});
        writer.add("/fields", {2, 1}, H5T_NATIVE_DOUBLE, std::vector<double>{0.5, 1.5});
        writer.add("/shorter", {1}, H5T_NATIVE_DOUBLE, std::vector<double>{0.5});
    }
    const auto location = file.string() + ":/";
    const auto set = SampleSet::open(location, {.inputs = {"images", "fields"}, .targets = {"fields", "images"}});
    std::vector<Conversion> conversions;
    for (const auto* side : {&set->inputs(), &set->targets()}) {
        for (const auto& field : *side) {
            conversions.push_back(Conversion::to_float32(field, {}));
        }
    }
    SampleStream stream(set, {.shuffle = Shuffle::none, .conversions = conversions});
    stream.enter({.group_batch = 2});

    const auto slice = stream.next();

    const auto numbers = [](const Bytes& bytes) {
        std::vector<float> floats(bytes.size() / 4);
        std::memcpy(floats.data(), bytes.data(), bytes.size());
        return floats;
    };
    CHECK(numbers(slice->inputs) == std::vector<float>{1, 2, 0.5F, 3, 4, 1.5F});
    CHECK(numbers(slice->targets) == std::vector<float>{0.5F, 1, 2, 1.5F, 3, 4});
    CHECK(complaint_of([&] { SampleSet::open(location, {.inputs = {"images"}, .targets = {"shorter"}}); }) ==
          Contains("/images holds 2 samples but"));
}

TEST_CASE("packed numbers are unpacked by their attributes, and missing numbers become NaN") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_packed_set(folder / "packed.h5"));
    const auto& field = set->inputs()[0];
    REQUIRE(field.packing.has_value());
    CHECK(field.is_real());
    CHECK_FALSE(set->targets()[0].is_real());
    const auto stored = read_all(*set).inputs;

    const auto convert = [&](const Normalization& normalization) {
        const auto conversion = Conversion::to_float32(field, normalization);
        std::vector<float> numbers(6);
        CHECK_FALSE(conversion.convert(stored, reinterpret_cast<std::byte*>(numbers.data())));
        return numbers;
    };

    const auto plain = convert({});  // 10 + x / 2 of {1, 2}, {-9999, 4}, {5, 6}: 6 is beyond the valid range
    CHECK(plain[0] == 10.5F);
    CHECK(plain[1] == 11.0F);
    CHECK(std::isnan(plain[2]));
    CHECK(plain[3] == 12.0F);
    CHECK(plain[4] == 12.5F);
    CHECK(std::isnan(plain[5]));
    const auto by_feature = convert({{10.0, 12.0}, {0.5, 2.0}});
    CHECK(by_feature[0] == 1.0F);
    CHECK(by_feature[1] == -0.5F);
    CHECK(by_feature[3] == 0.0F);
}

TEST_CASE("classes that the attributes mark as missing are noticed and keep their numbers") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {4}, H5T_NATIVE_FLOAT, std::vector<float>{0, 1, 2, 3});
        writer.add("/targets", {4}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1, 255, 0, 9});
        writer.attribute("/targets", "_FillValue", H5T_NATIVE_UINT8, std::vector<std::uint8_t>{255});
        writer.attribute("/targets", "valid_max", H5T_NATIVE_UINT8, std::vector<std::uint8_t>{8});
    }
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/");
    const auto to_class = Conversion::to_int64(set->targets()[0]);
    const auto stored = read_all(*set).targets;
    std::vector<bool> known;
    std::vector<std::int64_t> numbers(4);

    for (std::size_t i = 0; i < 4; ++i) {
        const auto sample = std::span(stored).subspan(i, 1);
        known.push_back(to_class.convert(sample, reinterpret_cast<std::byte*>(&numbers[i])));
    }

    CHECK(known == std::vector{true, false, true, false});
    CHECK(numbers == std::vector<std::int64_t>{1, 255, 0, 9});
    std::vector<std::int64_t> together(4);
    CHECK_FALSE(to_class.convert(stored, reinterpret_cast<std::byte*>(together.data())));
    CHECK(together == numbers);
}

TEST_CASE("a fill value is rounded to the type of the numbers, and several values may mean missing") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {4}, H5T_NATIVE_FLOAT, std::vector<float>{1e20F, -1.0F, -2.0F, 3.0F});
        writer.attribute("/inputs", "_FillValue", H5T_NATIVE_DOUBLE, std::vector{1e20});
        writer.attribute("/inputs", "missing_value", H5T_NATIVE_FLOAT, std::vector{-1.0F, -2.0F});
    }
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/");
    std::vector<float> numbers(4);

    const auto stored = read_all(*set).inputs;
    Conversion::to_float32(set->inputs()[0], {}).convert(stored, reinterpret_cast<std::byte*>(numbers.data()));

    CHECK(std::isnan(numbers[0]));
    CHECK(std::isnan(numbers[1]));
    CHECK(std::isnan(numbers[2]));
    CHECK(numbers[3] == 3.0F);
    CHECK_FALSE(set->inputs()[0].packing->scaled);
}

TEST_CASE("bounds of an unpacked type are bounds of the unpacked numbers") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{100, 300});
        writer.attribute("/inputs", "scale_factor", H5T_NATIVE_FLOAT, std::vector{-0.5F});
        writer.attribute("/inputs", "valid_min", H5T_NATIVE_FLOAT, std::vector{-100.0F});  // 200 packed
    }

    const auto packing = *SampleSet::open((folder / "set.h5").string() + ":/")->inputs()[0].packing;

    CHECK(packing.valid_max == 200);
    CHECK(std::isinf(packing.valid_min));
}

TEST_CASE("a bound is rounded to the type of the numbers, and so includes itself") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_FLOAT, std::vector{0.1F, 0.2F});
        writer.attribute("/inputs", "valid_max", H5T_NATIVE_DOUBLE, std::vector{0.1});  // a little less than 0.1F
        writer.add("/targets", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{57, 58});
        writer.attribute("/targets", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.01});
        writer.attribute("/targets", "valid_max", H5T_NATIVE_DOUBLE, std::vector{0.57});  // 56.99999999999999 packed
    }
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/");

    CHECK(set->inputs()[0].packing->valid_max == static_cast<double>(0.1F));
    CHECK(set->targets()[0].packing->valid_max == 57);
}

TEST_CASE("a NaN bound is ignored") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_FLOAT, std::vector{1.0F, 3.0F});
        writer.attribute("/inputs", "valid_range", H5T_NATIVE_DOUBLE, std::vector{std::nan(""), 2.0});
    }

    const auto packing = *SampleSet::open((folder / "set.h5").string() + ":/")->inputs()[0].packing;

    CHECK(std::isinf(packing.valid_min));
    CHECK(packing.valid_max == 2);
}

TEST_CASE("a CF attribute that is not a number is refused") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2});
        writer.attribute("/inputs", "scale_factor", H5T_C_S1, std::vector{'2'});
    }

    CHECK(complaint_of([&] { SampleSet::open((folder / "set.h5").string() + ":/"); }) ==
          Contains("set.h5:/inputs has an attribute scale_factor of type string"));
}

TEST_CASE("channels stored last come first in the batch, packed or not, also in windows") {
    // Two rows of 2 x 2 pixels and 3 channels: pixel p of row r has the channels 100·r + 10·c + p.
    std::vector<std::int16_t> stored;
    std::vector<float> expected(24);
    for (int row = 0; row < 2; ++row) {
        for (int pixel = 0; pixel < 4; ++pixel) {
            for (int channel = 0; channel < 3; ++channel) {
                const int value = 100 * row + 10 * channel + pixel;
                const auto place = static_cast<std::size_t>(12 * row + 4 * channel + pixel);
                stored.push_back(static_cast<std::int16_t>(value));
                expected[place] = static_cast<float>(value - channel);  // the mean of channel c is to be c
            }
        }
    }
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2, 2, 2, 3}, H5T_NATIVE_INT16, stored);
    }
    const auto location = (folder / "set.h5").string() + ":/";
    for (const bool window : {false, true}) {
        for (const bool packed : {false, true}) {
            CAPTURE(window);
            CAPTURE(packed);
            const TimeWindow time{.length = window ? 2 : 0};
            const auto set = SampleSet::open(location, {.window = time, .layout = SampleLayout::hwc});
            auto field = set->inputs()[0];
            const std::vector<std::int64_t> image{3, 2, 2};
            CHECK(std::vector(field.shape.end() - 3, field.shape.end()) == image);
            CHECK(field.channels().count == 3);
            if (packed) {
                field.packing = Packing{.scaled = true, .missing = {-1}};
            }
            std::vector<float> numbers(24);

            const auto conversion = Conversion::to_float32(field, {{0.0, 1.0, 2.0}, {1.0}});
            const auto half = std::span<const std::byte>(std::as_bytes(std::span(stored)));
            auto* out = reinterpret_cast<std::byte*>(numbers.data());
            conversion.convert(window ? half : half.first(24), out);
            if (!window) {
                conversion.convert(half.last(24), out + conversion.sample_bytes());
            }

            CHECK(numbers == expected);
        }
    }
}

TEST_CASE("one-pixel images with channels last can be scaled by one mean for all channels") {
    const TemporaryFolder folder;
    const std::vector<float> stored{1, 2, 3, 4, 5, 6};
    Hdf5Writer(folder / "set.h5").add("/inputs", {2, 1, 1, 3}, H5T_NATIVE_FLOAT, stored);
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/", {.targets = {}, .layout = SampleLayout::hwc});
    const auto conversion = Conversion::to_float32(set->inputs()[0], {{1}, {2}});
    std::vector<float> numbers(3);
    CHECK(conversion.convert(std::as_bytes(std::span(stored).first(3)), reinterpret_cast<std::byte*>(numbers.data())));
    CHECK(numbers == std::vector<float>{0, 0.5, 1});
}

namespace {

/// The first sample of a batch from two rows of 2 x 3 x 4 numbers that count from 0, or 3 x 4 x 2 with channels last.
std::vector<float> fitted(const SampleSet::Options& options, const std::vector<std::int64_t>& expected_shape) {
    const TemporaryFolder folder;
    std::vector<std::int16_t> numbers(2 * 24);
    for (int row = 0; row < 2; ++row) {
        for (int channel = 0; channel < 2; ++channel) {
            for (int at = 0; at < 12; ++at) {
                const bool last = options.layout == SampleLayout::hwc;
                numbers[row * 24 + (last ? at * 2 + channel : channel * 12 + at)] =
                    static_cast<std::int16_t>(row * 24 + channel * 12 + at);
            }
        }
    }
    const std::vector<hsize_t> shape =
        options.layout == SampleLayout::hwc ? std::vector<hsize_t>{2, 3, 4, 2} : std::vector<hsize_t>{2, 2, 3, 4};
    Hdf5Writer(folder / "set.h5").add("/inputs", shape, H5T_NATIVE_INT16, numbers);
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/", options);
    CHECK(set->inputs()[0].shape == expected_shape);
    SampleStream stream(
        set, {.shuffle = Shuffle::none, .conversions = {Conversion::to_float32(set->inputs()[0], {{1, 2}, {1, 1}})}});
    stream.enter({.group_batch = 2});
    const auto slice = stream.next();
    REQUIRE(slice);
    std::vector<float> result(slice->inputs.size() / sizeof(float));
    std::memcpy(result.data(), slice->inputs.data(), slice->inputs.size());
    return {result.begin(), result.begin() + std::ssize(result) / std::ssize(slice->samples)};
}

}  // namespace

TEST_CASE("images are cropped and padded on the way into a batch, with channels first or last") {
    for (const auto layout : {SampleLayout::chw, SampleLayout::hwc}) {
        SampleSet::Options options{.targets = {}, .layout = layout};
        options.crop = Crop{{1, 2}};
        // The middle of the second line, minus the channel means 1 and 2.
        CHECK(fitted(options, {2, 1, 2}) == std::vector<float>{5 - 1, 6 - 1, 17 - 2, 18 - 2});
        options.crop = Crop{{1, 2}, CropFrom::begin};
        CHECK(fitted(options, {2, 1, 2}) == std::vector<float>{0 - 1, 1 - 1, 12 - 2, 13 - 2});
        options.pad = Pad{{2, 5}};  // one column on the left, two on the right; one line below
        CHECK(fitted(options, {2, 2, 5}) == std::vector<float>{0, -1, 0,  0, 0, 0, 0, 0, 0, 0,  //
                                                               0, 10, 11, 0, 0, 0, 0, 0, 0, 0});
        options.pad = Pad{{3, 4}, PadWith::edge};
        CHECK(fitted(options, {2, 3, 4}) == std::vector<float>{-1, -1, 0,  0,  -1, -1, 0,  0,  -1, -1, 0,  0,  //
                                                               10, 10, 11, 11, 10, 10, 11, 11, 10, 10, 11, 11});
        options.window.length = 2;
        const auto window = fitted(options, {2, 2, 3, 4});
        CHECK(window.size() == 48);
        CHECK(window[24 + 12] == 36 - 2);  // the second row's second channel
    }
}

TEST_CASE("a crop larger or a padding smaller than the images is refused") {
    const auto complaint = [](const SampleSet::Options& options) { return complaint_of([&] { fitted(options, {}); }); };
    SampleSet::Options options{.targets = {}};
    options.crop = Crop{{4, 4}};
    CHECK(complaint(options) == Contains("has images of 3 x 4, too small to be cropped to 4 x 4"));
    options.crop.reset();
    options.pad = Pad{{3, 3}};
    CHECK(complaint(options) == Contains("images of 3 x 4, too large to be padded to 3 x 3"));
}

TEST_CASE("a part of each row can be cropped") {
    SampleSet::Options options{.inputs = {"inputs[:, 1:2]"}, .targets = {}};
    options.crop = Crop{{2, 2}, CropFrom::begin};
    const TemporaryFolder folder;
    std::vector<float> numbers(24);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    Hdf5Writer(folder / "set.h5").add("/inputs", {1, 2, 3, 4}, H5T_NATIVE_FLOAT, numbers);
    const auto set = SampleSet::open((folder / "set.h5").string() + ":/", options);

    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{1, 2, 2});
    CHECK(read_all(*set).inputs == bytes_of(std::vector<float>{12, 13, 16, 17}));
}
