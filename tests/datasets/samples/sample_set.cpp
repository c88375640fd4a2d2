#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

std::vector<std::int64_t> counting(std::int64_t begin, std::int64_t count) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), begin);
    return samples;
}

bool reads_counting_samples(const SampleSet& set, std::int64_t begin, std::int64_t count) {
    std::vector<std::byte> inputs(static_cast<std::size_t>(count) * 12);
    std::vector<std::byte> targets(static_cast<std::size_t>(count) * 2);
    set.read(begin, count, inputs, targets);
    return are_counting_samples(counting(begin, count), inputs, targets);
}

/// Writes two samples of `values` with the given type in the file and reads their bytes.
template <class T>
void check_round_trip(const std::vector<T>& values, hid_t memory_type, hid_t file_type, ElementType expected) {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {2, values.size() / 2}, memory_type, values, {.file_type = file_type});
        writer.add("/targets", {2}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>{7, 8}));
    }

    const auto set = SampleSet::open(file.string() + ":/");

    CHECK(set->inputs()[0].type == expected);
    CHECK(set->inputs().sample_bytes() == sizeof(T) * values.size() / 2);
    CHECK(read_all(*set).inputs == bytes_of(values));
}

doctest::String complaint_about(const std::string& location) {
    return complaint_of([&] { SampleSet::open(location); });
}

/// Writes FILE:/inputs, 64 x 128 int32 in chunks of four rows that `settle` gives more properties, and no number of it.
std::string write_unfilled(const std::filesystem::path& file, const std::function<void(hid_t creation)>& settle) {
    const Hdf5Writer writer(file);
    const std::array<hsize_t, 2> shape{64, 128};
    const std::array<hsize_t, 2> chunk{4, 128};
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk.data());
    settle(creation);
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    H5Dclose(H5Dcreate2(writer.id(), "/inputs", H5T_NATIVE_INT32, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
    return file.string() + ":/";
}

/// Writes zeros to the first four rows of such a file.
void write_first_chunk(const std::filesystem::path& file) {
    const std::array<hsize_t, 2> begin{0, 0};
    const std::array<hsize_t, 2> chunk{4, 128};
    const std::vector<std::int32_t> zeros(4 * 128);
    const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data_set = H5Dopen2(opened, "/inputs", H5P_DEFAULT);
    const hid_t space = H5Dget_space(data_set);
    const hid_t memory = H5Screate_simple(2, chunk.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, chunk.data(), nullptr);
    REQUIRE(H5Dwrite(data_set, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, zeros.data()) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(data_set);
    H5Fclose(opened);
}

/// Whether all 64 inputs are read as zeros into memory that held something else.
bool are_zeros(const std::string& location, Routes routes) {
    const auto set = SampleSet::open(location, {.routes = routes});
    std::vector<std::byte> inputs(set->inputs().bytes_of(64), std::byte{0xAB});
    set->read(0, 64, inputs, {});
    return inputs == std::vector<std::byte>(inputs.size());
}

}  // namespace

TEST_CASE("every sample's bytes are read, however the file is laid out") {
    const TemporaryFolder folder;
    struct Case {
        hsize_t chunk_samples;
        bool deflate;
    };
    for (const auto [chunk_samples, deflate] :
         {Case{0, false}, Case{1, false}, Case{4, false}, Case{4, true}, Case{11, false}, Case{64, true}}) {
        CAPTURE(chunk_samples);
        CAPTURE(deflate);
        const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 11, chunk_samples, deflate));

        CHECK(set->size() == 11);
        for (std::int64_t begin = 0; begin < 11; ++begin) {
            for (std::int64_t count = 1; count <= 11 - begin; ++count) {
                CHECK(reads_counting_samples(*set, begin, count));
            }
        }
    }
}

TEST_CASE("the rows of several files follow each other, sorted by name, however each is laid out") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 1, 9, 4}, 4);
    const auto set = SampleSet::open(location);

    CHECK(set->size() == 21);
    for (std::int64_t begin = 0; begin < 21; ++begin) {
        for (std::int64_t count = 1; count <= 21 - begin; ++count) {
            CHECK(reads_counting_samples(*set, begin, count));
        }
    }
    CHECK(set->row_of(8) == 0);
    CHECK(set->place_of(8) == (folder / "part-002.h5").string() + ":/train");
}

TEST_CASE("whoever opens a set hears of every file") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 1, 9}, 4);
    int num_opened = 0;

    SampleSet::open(location, {}, [&] { ++num_opened; });

    CHECK(num_opened == 3);
}

TEST_CASE("a selection counts over the rows of all files") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 1, 9, 4}, 4);

    for (const auto& [range, begin, end] :
         {std::tuple{"[5:12]", 5, 12}, {"[8:]", 8, 21}, {"[:7]", 0, 7}, {"[9:11]", 9, 11}}) {
        const auto set = SampleSet::open(location + range);
        const auto [inputs, targets] = read_all(*set);
        CHECK(are_counting_samples(counting(begin, end - begin), inputs, targets));
    }
    const auto [inputs, targets] = read_all(*SampleSet::open(location + "[1:20:3]"));
    CHECK(are_counting_samples(std::vector<std::int64_t>{1, 4, 7, 10, 13, 16, 19}, inputs, targets));
    CHECK(complaint_about(location + "[21:]") == Contains("of all files holds samples [0, 21)"));
    CHECK(complaint_about(location + "[:22]") == Contains("of all files holds samples [0, 21)"));
}

TEST_CASE("each file has its own list of the rows that are selected") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 9}, 4);
    for (const auto& [name, row] : {std::pair{"part-000.h5", 3}, {"part-001.h5", 5}}) {
        const hid_t file = H5Fopen((folder / name).c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hsize_t one = 1;
        const hid_t space = H5Screate_simple(1, &one, nullptr);
        const hid_t list = H5Dcreate2(file, "list", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(list, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &row);
        H5Dclose(list);
        H5Sclose(space);
        H5Fclose(file);
    }

    const auto set = SampleSet::open(location + "[/list]");

    const auto [inputs, targets] = read_all(*set);
    CHECK(are_counting_samples(std::vector<std::int64_t>{3, 7 + 5}, inputs, targets));
}

TEST_CASE("a window has the rows of one file") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 2, 6}, 4);

    const auto set = SampleSet::open(location, {.window = {.length = 3, .horizon = 1}});

    REQUIRE(set->size() == 4 + 0 + 3);  // a window and its target take 4 rows
    std::vector<std::int32_t> inputs(9);
    std::vector<std::uint16_t> target(1);
    set->read(4, 1, std::as_writable_bytes(std::span(inputs)), std::as_writable_bytes(std::span(target)));
    CHECK(inputs.front() == 90);  // the first window of the third file, whose rows are 9 to 14
    CHECK(target.front() == 12);
    CHECK(complaint_of([&] { SampleSet::open(location, {.window = {.length = 8}}); }) ==
          Contains("does not fit in the rows of any of 3 files"));
}

TEST_CASE("a set describes its fields") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 11, 4);

    const auto set = SampleSet::open(location);

    CHECK(set->location() == location);
    CHECK(set->inputs()[0].path == "/train/inputs");
    CHECK(set->inputs()[0].type == ElementType::i32);
    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{3});
    CHECK(set->inputs()[0].chunk_samples == 4);
    CHECK(set->inputs().sample_bytes() == 12);
    CHECK(set->targets()[0].type == ElementType::u16);
    CHECK(set->targets()[0].shape.empty());
    CHECK(set->targets().sample_bytes() == 2);
    CHECK(set->chunk_samples() == 4);
}

TEST_CASE("a chunk larger than the set holds the set") {
    const TemporaryFolder folder;

    CHECK(SampleSet::open(write_counting_set(folder / "set.h5", 11, 64))->chunk_samples() == 11);
}

TEST_CASE("a set without chunks is read in blocks of about 256 KiB") {
    const TemporaryFolder folder;

    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 30000, 0));

    CHECK(set->inputs()[0].chunk_samples == 0);
    CHECK(set->chunk_samples() == 262144 / 12);
}

TEST_CASE("every type of number is read") {
    const auto le = H5I_INVALID_HID;  // as in memory
    check_round_trip<std::uint8_t>({1, 255}, H5T_NATIVE_UINT8, le, ElementType::u8);
    check_round_trip<std::int8_t>({1, -1}, H5T_NATIVE_INT8, le, ElementType::i8);
    check_round_trip<std::uint16_t>({1, 65535}, H5T_NATIVE_UINT16, le, ElementType::u16);
    check_round_trip<std::int16_t>({1, -300}, H5T_NATIVE_INT16, le, ElementType::i16);
    check_round_trip<std::uint32_t>({1, 4000000000U}, H5T_NATIVE_UINT32, le, ElementType::u32);
    check_round_trip<std::int32_t>({1, -70000}, H5T_NATIVE_INT32, le, ElementType::i32);
    check_round_trip<std::uint64_t>({1, ~std::uint64_t{0}}, H5T_NATIVE_UINT64, le, ElementType::u64);
    check_round_trip<std::int64_t>({1, -(std::int64_t{1} << 40)}, H5T_NATIVE_INT64, le, ElementType::i64);
    check_round_trip<float>({0.1F, -2e30F, 3, 4}, H5T_NATIVE_FLOAT, le, ElementType::f32);
    check_round_trip<double>({0.1, -2e300}, H5T_NATIVE_DOUBLE, le, ElementType::f64);
}

TEST_CASE("a big-endian file is read in the order of this machine") {
    check_round_trip<std::int16_t>({1, -300}, H5T_NATIVE_INT16, H5T_STD_I16BE, ElementType::i16);
    check_round_trip<std::uint64_t>({1, 1ULL << 60}, H5T_NATIVE_UINT64, H5T_STD_U64BE, ElementType::u64);
    check_round_trip<float>({0.1F, -2e30F}, H5T_NATIVE_FLOAT, H5T_IEEE_F32BE, ElementType::f32);
    check_round_trip<double>({0.1, -2e300}, H5T_NATIVE_DOUBLE, H5T_IEEE_F64BE, ElementType::f64);
}

TEST_CASE("floats of 16 bits are read as they are, of either byte order") {
    struct Kind {
        ElementType type;
        std::size_t exponent_bits;
        std::size_t bias;
        std::vector<std::uint16_t> numbers;  // 1, -2, the largest, the smallest
    };
    for (const auto& [type, exponent_bits, bias, numbers] :
         {Kind{ElementType::f16, 5, 15, {0x3C00, 0xC000, 0x7BFF, 0x0001}},
          Kind{ElementType::bf16, 8, 127, {0x3F80, 0xC000, 0x7F7F, 0x0001}}}) {
        for (const auto order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
            const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
            H5Tset_fields(half, 15, 15 - exponent_bits, exponent_bits, 0, 15 - exponent_bits);
            H5Tset_size(half, 2);
            H5Tset_ebias(half, bias);
            const hid_t stored = H5Tcopy(half);
            H5Tset_order(stored, order);

            check_round_trip(numbers, half, stored, type);

            H5Tclose(stored);
            H5Tclose(half);
        }
    }
}

TEST_CASE("an enumeration, such as h5py's bool, is read as its integers") {
    const hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t value = 0;
    H5Tenum_insert(boolean, "FALSE", &value);
    value = 1;
    H5Tenum_insert(boolean, "TRUE", &value);

    check_round_trip<std::int8_t>({0, 1, 1, 0}, boolean, boolean, ElementType::i8);

    H5Tclose(boolean);
}

TEST_CASE("chunks that split the samples, and targets with a shape, are read") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    std::vector<std::int32_t> inputs(7 * 5 * 4);
    std::iota(inputs.begin(), inputs.end(), 0);
    std::vector<std::int32_t> targets(7 * 2);
    std::iota(targets.begin(), targets.end(), 1000);
    {
        Hdf5Writer writer(file);
        writer.add("/a/b/inputs", {7, 5, 4}, H5T_NATIVE_INT32, inputs, {.chunk = {3, 2, 3}, .deflate = true});
        // Larger chunks than those of the inputs: a read takes a part of one.
        writer.add("/a/b/targets", {7, 2}, H5T_NATIVE_INT32, targets, {.chunk = {5, 2}, .deflate = true});
    }

    const auto set = SampleSet::open(file.string() + ":/a/b/");
    std::vector<std::byte> got_inputs(7 * 80);
    std::vector<std::byte> got_targets(7 * 8);
    for (const auto& [begin, count] : {std::pair{0, 3}, std::pair{3, 3}, std::pair{6, 1}}) {
        set->read(begin, count, std::span(got_inputs).subspan(80 * begin, 80 * count),
                  std::span(got_targets).subspan(8 * begin, 8 * count));
    }

    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{5, 4});
    CHECK(set->targets()[0].shape == std::vector<std::int64_t>{2});
    CHECK(set->chunk_samples() == 3);
    CHECK(got_inputs == bytes_of(inputs));
    CHECK(got_targets == bytes_of(targets));
}

namespace {

/// The elements of rows 0 to 5 of 5 x 4 x 3 numbers, which count from 0, with indices in these ranges.
std::vector<std::int32_t> part_of_rows(Range first, Range second, Range third) {
    std::vector<std::int32_t> numbers;
    for (std::int64_t row = 0; row < 6; ++row) {
        for (auto i = first.begin; i < first.end; ++i) {
            for (auto j = second.begin; j < second.end; ++j) {
                for (auto k = third.begin; k < third.end; ++k) {
                    numbers.push_back(static_cast<std::int32_t>(((row * 5 + i) * 4 + j) * 3 + k));
                }
            }
        }
    }
    return numbers;
}

}  // namespace

TEST_CASE("a part of each row is read from every layout, by every route") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    std::vector<std::int32_t> numbers(6 * 5 * 4 * 3);
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::vector<Layout> layouts{{},
                                      {.file_type = H5T_STD_I32BE},
                                      {.chunk = {2, 5, 4, 3}},
                                      {.chunk = {1, 2, 3, 3}, .deflate = true},
                                      {.file_type = H5T_STD_I32BE, .chunk = {4, 3, 2, 2}, .deflate = true}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        Hdf5Writer(folder / std::to_string(i)).add("/t", {6, 5, 4, 3}, H5T_NATIVE_INT32, numbers, layouts[i]);
        for (const auto routes : {Routes::fastest, Routes::library}) {
            for (const auto& [name, expected] : {std::pair{"t[:, 3]", part_of_rows({3, 4}, {0, 4}, {0, 3})},
                                                 {"t[:, 1:4, 2:]", part_of_rows({1, 4}, {2, 4}, {0, 3})},
                                                 {"t[:, :, 1:3, 1]", part_of_rows({0, 5}, {1, 3}, {1, 2})},
                                                 {"t[:, 4, 3, 2]", part_of_rows({4, 5}, {3, 4}, {2, 3})}}) {
                CAPTURE(i);
                CAPTURE(name);
                const auto set = SampleSet::open((folder / std::to_string(i)).string() + ":/",
                                                 {.inputs = {name}, .targets = {}, .routes = routes});
                const auto sample_bytes = set->inputs().sample_bytes();
                std::vector<std::byte> rows(6 * sample_bytes);

                for (const auto& [begin, count] : {std::pair{0, 4}, {4, 1}, {5, 1}}) {
                    set->read(begin, count, std::span(rows).subspan(begin * sample_bytes, count * sample_bytes), {});
                }

                CHECK(rows == bytes_of(expected));
            }
        }
    }
}

TEST_CASE("of rows that lie in one piece, little more is read than the part that is wanted") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    Hdf5Writer(file).add("/t", {16, 4, 65536}, H5T_NATIVE_FLOAT, std::vector<float>(16 * 4 * 65536));
    const auto set = SampleSet::open(file.string() + ":/", {.inputs = {"t[:, 1]", "t[:, 3]"}, .targets = {}});
    CHECK(set->first_alike(1) == 1);
    std::vector<std::byte> inputs(set->inputs().bytes_of(16));
    const auto before = bytes_read_so_far();

    set->read(0, 16, inputs, {});

    CHECK(static_cast<double>(bytes_read_so_far() - before) < 1.01 * static_cast<double>(inputs.size()));
}

TEST_CASE("rows that a step or a list takes of chunks which split them are read with each chunk once") {
    const TemporaryFolder folder;
    constexpr std::int32_t num_rows = 64;
    constexpr std::size_t row = 4 * 4096;
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < num_rows * static_cast<std::int32_t>(row); ++i) {
        numbers.push_back(i);
    }
    const std::vector<std::int32_t> list{1, 2, 3, 14, 17, 18, 31, 32, 40, 63};  // chunks have rows 0 to 15, 16 to 31 …
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {num_rows, 4, 4096}, H5T_NATIVE_INT32, numbers, {.chunk = {16, 2, 1024}});
        writer.add("/list", {list.size()}, H5T_NATIVE_INT32, list);
    }
    const auto location = (folder / "set.h5").string() + ":/";
    std::vector<std::int32_t> odd;
    for (std::int32_t i = 1; i < num_rows; i += 2) {
        odd.push_back(i);
    }
    for (const auto& [selection, rows] : {std::pair{"[1::2]", odd}, {"[/list]", list}}) {
        for (const auto routes : {Routes::fastest, Routes::library}) {
            const auto set = SampleSet::open(location + selection, {.targets = {}, .routes = routes});
            std::vector<std::int32_t> expected;
            for (const auto i : rows) {
                expected.insert(expected.end(), numbers.begin() + i * static_cast<std::ptrdiff_t>(row),
                                numbers.begin() + (i + 1) * static_cast<std::ptrdiff_t>(row));
            }
            std::vector<std::byte> inputs(set->inputs().bytes_of(set->size()));
            const auto before = bytes_read_so_far();

            set->read(0, set->size(), inputs, {});

            CHECK(inputs == bytes_of(expected));
            if (routes == Routes::fastest) {
                CHECK(set->inputs()[0].route == Route::chunks);
                CHECK(static_cast<double>(bytes_read_so_far() - before) < 1.05 * sizeof(float) * num_rows * row);
            }
        }
    }
}

TEST_CASE("two threads read the same set, and another set of the same file") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 1000, 10, /*deflate=*/true);
    const auto set = SampleSet::open(location);
    std::array<bool, 2> ok{true, true};

    {
        std::jthread other([&] {
            for (std::int64_t begin = 0; begin < 1000; begin += 10) {
                ok[0] = ok[0] && reads_counting_samples(*set, begin, 10);
            }
        });
        for (std::int64_t begin = 990; begin >= 0; begin -= 10) {
            ok[1] = ok[1] && reads_counting_samples(*set, begin, 10) &&
                    reads_counting_samples(*SampleSet::open(location), begin, 10);
        }
    }

    CHECK(ok[0]);
    CHECK(ok[1]);
}

TEST_CASE("a location that cannot be used is named with the reason") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    write_counting_set(file, 4, 0);

    CHECK(complaint_about("fashion.h5") == Contains("FILE:/GROUP"));
    CHECK(complaint_about((folder / "absent.h5").string() + ":/train") == Contains("absent.h5: no such file"));
    CHECK(complaint_about((folder / ".").string() + ":/train") == Contains("is a folder"));
    CHECK(complaint_about((folder / "*.nc").string() + ":/train") == Contains("no file matches"));
    CHECK(complaint_about(file + ":/trian") == Contains("set.h5 has no group /trian: / holds train"));
    CHECK(complaint_about(file + ":/train/inputs") == Contains("set.h5:/train/inputs is not a group"));
    CHECK(complaint_about(file + ":/") == Contains("set.h5 has no data set /inputs: / holds train"));
}

TEST_CASE("a link that leads nowhere is named with its target, not taken for a name that is missing") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    {
        Hdf5Writer writer(file);
        writer.add("/a/targets", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        H5Lcreate_external("gone.h5", "/x", writer.id(), "/a/inputs", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/nowhere", writer.id(), "/b", H5P_DEFAULT, H5P_DEFAULT);
        writer.add("/c/inputs", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        H5Lcreate_external("gone.h5", "/x", writer.id(), "/c/targets", H5P_DEFAULT, H5P_DEFAULT);
    }

    CHECK(complaint_about(file + ":/a") == Contains("set.h5:/a/inputs (external link) leads to gone.h5:/x, which"));
    CHECK(complaint_about(file + ":/b") == Contains("set.h5:/b (soft link) leads to /nowhere, which cannot be opened"));
    CHECK(complaint_about(file + ":/c") == Contains("/c/targets (external link) leads to gone.h5:/x"));
}

TEST_CASE("of a group with very many members, a message names some") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    {
        Hdf5Writer writer(file);
        for (int run = 100; run < 125; ++run) {
            writer.add("/" + std::to_string(run) + "/data", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        }
    }

    CHECK(complaint_about(file + ":/") == Contains("/ holds 100, 101, 102, "));
    CHECK(complaint_about(file + ":/") == Contains(", 118, 119 and 5 more"));
}

TEST_CASE("a file that is not HDF5, or cut off, is named") {
    const TemporaryFolder folder;
    write_bytes(folder / "text.h5", bytes_of(std::vector<char>(4096, 'x')));
    write_bytes(folder / "empty.h5", {});
    const auto location = write_counting_set(folder / "cut.h5", 1000, 0);
    std::filesystem::resize_file(folder / "cut.h5", 6000);

    CHECK(complaint_about((folder / "text.h5").string() + ":/train") == Contains("text.h5 is not an HDF5 file"));
    CHECK(complaint_about((folder / "empty.h5").string() + ":/train") == Contains("empty.h5 is not an HDF5 file"));
    CHECK(complaint_about(location) == Contains("cut.h5 cannot be opened for reading"));
    CHECK(complaint_about(location) == Contains("truncated file"));
}

TEST_CASE("inputs without targets are a set") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    const std::vector<std::uint8_t> values{1, 2, 3, 4};
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {4}, H5T_NATIVE_UINT8, values, {.chunk = {2}});
    }

    const auto set = SampleSet::open(file + ":/");

    CHECK(set->targets().size() == 0);
    CHECK(read_all(*set).inputs == bytes_of(values));
    CHECK(read_all(*set).targets.empty());
}

TEST_CASE("a data set that holds no samples is named") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    const std::vector<std::uint8_t> values{1, 2, 3, 4};
    {
        Hdf5Writer writer(file);
        writer.add("/uneven/inputs", {2}, H5T_NATIVE_UINT8, values);
        writer.add("/uneven/targets", {3}, H5T_NATIVE_UINT8, values);
        writer.add("/reversed/inputs", {1, 4}, H5T_NATIVE_UINT8, values);
        writer.add("/reversed/targets", {2, 4}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/none/inputs", {0}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/flat/inputs", {2, 0}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/scalar/inputs", {}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/text/inputs", {1}, H5T_C_S1, nullptr);
        writer.add("/long/inputs", {1}, H5T_NATIVE_LDOUBLE, nullptr);
    }

    CHECK(complaint_about(file + ":/uneven") == Contains("/uneven/inputs holds 2 samples but"));
    CHECK(complaint_about(file + ":/uneven") == Contains("/uneven/targets 3"));
    CHECK(complaint_about(file + ":/uneven") != Contains("MATLAB"));
    CHECK(complaint_about(file + ":/reversed") ==
          Contains("MATLAB and Fortran write, write the arrays with their axes"));
    CHECK(complaint_about(file + ":/none") == Contains("/none/inputs holds no samples"));
    CHECK(complaint_about(file + ":/flat") == Contains("/flat/inputs has samples without elements"));
    CHECK(complaint_about(file + ":/scalar") == Contains("/scalar/inputs is a scalar"));
    CHECK(complaint_about(file + ":/text") == Contains("/text/inputs is of type string"));
    CHECK(complaint_about(file + ":/text") == Contains("write the numbers of the classes, which numpy.unique("));
    CHECK(complaint_about(file + ":/long") == Contains("/long/inputs is of type float of 16 bytes"));
}

TEST_CASE("a filter that this HDF5 lacks is named when the set is opened") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    // A filter of a number for private use, known while the file is written and forgotten after.
    constexpr H5Z_filter_t number = 300;
    const auto pass = [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
        return bytes;
    };
    const H5Z_class2_t filter{H5Z_CLASS_T_VERS, number, 1, 1, "squeeze", nullptr, nullptr, pass};
    REQUIRE(H5Zregister(&filter) >= 0);
    {
        Hdf5Writer writer(file);
        writer.add("/targets", {4}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>(4)));
        const hsize_t length = 4;
        const hid_t space = H5Screate_simple(1, &length, nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(creation, 1, &length);
        H5Pset_filter(creation, number, H5Z_FLAG_MANDATORY, 0, nullptr);
        H5Dclose(H5Dcreate2(writer.id(), "inputs", H5T_NATIVE_UINT8, space, H5P_DEFAULT, creation, H5P_DEFAULT));
        H5Pclose(creation);
        H5Sclose(space);
    }
    H5Zunregister(number);

    CHECK(complaint_about(file + ":/") == Contains("/inputs is stored with the filter squeeze, which this HDF5 lacks"));
}

TEST_CASE("a damaged chunk is an error that names file, data set and samples") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto location = write_counting_set(file, 100, 10, /*deflate=*/true);
    auto bytes = read_bytes(file);
    // zlib's streams begin with 78 5E at this level; the first is that of the first chunk written.
    const std::array magic{std::byte{0x78}, std::byte{0x5E}};
    const auto stream = std::search(bytes.begin(), bytes.end(), magic.begin(), magic.end());
    REQUIRE(stream != bytes.end());
    std::fill(stream, stream + 8, std::byte{0xFF});
    write_bytes(file, bytes);
    const auto set = SampleSet::open(location);
    std::vector<std::byte> inputs(120);
    std::vector<std::byte> targets(20);

    CHECK_THROWS_WITH_AS(set->read(0, 10, inputs, targets), Contains("set.h5:/train/inputs: samples 0 to 9 cannot"),
                         std::runtime_error);
    CHECK(reads_counting_samples(*set, 10, 10));
}

TEST_CASE("a virtual data set is refused while a source is missing, unless it is to be filled") {
    const TemporaryFolder folder;
    const auto location = write_virtual_set(folder / "virtual.h5");
    const auto complete = read_all(*SampleSet::open(location)).inputs;
    std::vector<float> values(12, 1.0F);
    std::fill(values.begin() + 6, values.end(), 2.0F);
    CHECK(complete == bytes_of(values));
    std::filesystem::rename(folder / "part-1.hdf", folder / "away");

    CHECK(complaint_about(location) == Contains("its source part-1.hdf is missing: there is no such file"));
    const auto filled = read_all(*SampleSet::open(location, {.missing_sources = MissingSources::fill})).inputs;

    std::fill(values.begin() + 6, values.end(), 0.0F);
    CHECK(filled == bytes_of(values));
    Hdf5Writer(folder / "part-1.hdf").add("/other", {1}, H5T_NATIVE_FLOAT, std::vector{1.0F});
    CHECK(complaint_about(location) == Contains("part-1.hdf:/piece is missing: there is no such data set"));
}

TEST_CASE("a source of a virtual data set that changes, or goes, is an error of the next read") {
    for (const char* change : {"written", "replaced", "removed"}) {
        CAPTURE(change);
        const TemporaryFolder folder;
        const auto source = folder / "part-0.hdf";
        const auto set = SampleSet::open(write_virtual_set(folder / "virtual.h5"));
        read_all(*set);
        if (change == std::string("written")) {
            std::filesystem::last_write_time(source,
                                             std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
        } else if (change == std::string("replaced")) {
            write_bytes(folder / "new", read_bytes(source));
            std::filesystem::rename(folder / "new", source);
        } else {
            std::filesystem::remove(source);
        }

        CHECK_THROWS_WITH_AS(read_all(*set), Contains("part-0.hdf"), std::runtime_error);
    }
}

TEST_CASE(
    "a file behind a link that changes is an error of the next read, and another set for those who share chunks") {
    const TemporaryFolder folder;
    write_counting_set(folder / "data.h5", 10, 0);
    {
        const Hdf5Writer writer(folder / "links.h5");
        REQUIRE(H5Lcreate_external("data.h5", "/train", writer.id(), "train", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    const auto location = (folder / "links.h5").string() + ":/train";
    const auto set = SampleSet::open(location);
    CHECK(SampleSet::open(location)->identity() == set->identity());
    CHECK_FALSE(set->is_compressed());
    read_all(*set);

    std::filesystem::last_write_time(folder / "data.h5",
                                     std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));

    CHECK_THROWS_WITH_AS(read_all(*set), Contains("data.h5 was written to"), std::runtime_error);
    CHECK(SampleSet::open(location)->identity() != set->identity());
}

TEST_CASE("samples that were never written, and are never filled, are zeros by every route") {
    const TemporaryFolder folder;
    const auto location =
        write_unfilled(folder / "set.h5", [](hid_t creation) { H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER); });

    CHECK(are_zeros(location, Routes::fastest));
    CHECK(are_zeros(location, Routes::library));
}

TEST_CASE("samples that a source never wrote and never fills are zeros in a virtual data set, not the rows before") {
    const TemporaryFolder folder;
    write_unfilled(folder / "source.h5", [](hid_t creation) { H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER); });
    const std::array<hsize_t, 2> shape{64, 128};
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    REQUIRE(H5Pset_virtual(creation, space, "source.h5", "/inputs", space) >= 0);
    {
        const Hdf5Writer writer(folder / "set.h5", /*latest=*/true);
        H5Dclose(H5Dcreate2(writer.id(), "/inputs", H5T_NATIVE_INT32, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    }
    H5Pclose(creation);
    H5Sclose(space);

    CHECK(are_zeros((folder / "set.h5").string() + ":/", Routes::fastest));
}

TEST_CASE("samples that were never written are zeros by every route where the fill value is undefined") {
    const TemporaryFolder folder;
    const auto location = write_unfilled(
        folder / "set.h5", [](hid_t creation) { H5Pset_fill_value(creation, H5T_NATIVE_INT32, nullptr); });
    write_first_chunk(folder / "set.h5");  // of one without any, HDF5 reads nothing

    CHECK(are_zeros(location, Routes::fastest));
    CHECK(are_zeros(location, Routes::library));
}

TEST_CASE("each file of a set is unpacked by its own factors, however it is stored") {
    const TemporaryFolder folder;
    for (const auto routes : {Routes::fastest, Routes::library}) {
        const auto set = SampleSet::open(write_differently_packed_files(folder.path()), {.routes = routes});
        CHECK(set->inputs()[0].type == ElementType::f32);
        CHECK(set->inputs()[0].is_real());
        CHECK_FALSE(set->inputs()[0].packing);
        CHECK(set->targets()[0].type == ElementType::f32);

        const auto bytes = read_all(*set).inputs;

        std::vector<float> numbers(30);
        REQUIRE(bytes.size() == numbers.size() * sizeof(float));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (std::size_t file = 0; file < 3; ++file) {
            for (std::size_t i = 0; i < 10; ++i) {
                const float number = numbers[10 * file + i];
                const auto expected = static_cast<float>(100 * file) + static_cast<float>(i) / 2;
                CHECK((file > 0 && i == 9 ? std::isnan(number) : number == expected));
            }
        }
    }
}

TEST_CASE("windows and parts of rows are unpacked by the factors of their file") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_differently_packed_files(folder.path()),
                                     {.inputs = {"inputs[:, 1]"}, .window = {.length = 2, .horizon = 0}});

    std::array<float, 2> window{};
    std::array<float, 1> target{};
    set->read(9, 1, std::as_writable_bytes(std::span(window)), std::as_writable_bytes(std::span(target)));

    CHECK(window == std::array{201.5F, 202.5F});  // each file has four windows: this is the second of file 2
    CHECK(target[0] == 2.0F);
}

TEST_CASE("files whose numbers mean different classes are no set, and the longest list names those of a set") {
    using Names = std::vector<std::string>;
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {4, 4, 4}, 2);
    name_classes(folder / "part-001.h5", "/train/targets", {"cat", "dog"});
    name_classes(folder / "part-002.h5", "/train/targets", {"cat", "dog", "horse"});
    CHECK(SampleSet::open(location)->targets()[0].classes == Names{"cat", "dog", "horse"});

    name_classes(folder / "part-002.h5", "/train/targets", {"dog", "horse"});

    CHECK(complaint_about(location) == Contains("class 0 is dog in "));
    CHECK(complaint_about(location) == Contains("part-002.h5:/train/targets and cat in "));
    CHECK(complaint_about(location) == Contains("part-001.h5:/train/targets, so the same number means two classes; "));
}
