#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/sources/npy.hpp"
#include "datasets/sources/open_source.hpp"
#include "datasets/writers/convert.hpp"
#include "tests/datasets/files.hpp"
#include "tests/datasets/python.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& file, const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    write_bytes(file, bytes);
}

/// Writes a NumPy array file with this header and these bytes.
void write_npy(const fs::path& file, const std::string& header, std::span<const std::byte> elements) {
    auto bytes = bytes_of<char>({'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0});
    bytes.push_back(static_cast<std::byte>(header.size() & 0xFF));
    bytes.push_back(static_cast<std::byte>(header.size() >> 8));
    for (const char letter : header) {
        bytes.push_back(static_cast<std::byte>(letter));
    }
    bytes.insert(bytes.end(), elements.begin(), elements.end());
    write_bytes(file, bytes);
}

/// Converts `sources` to the set /train of a new file.
struct Converted {
    TemporaryFolder folder;

    std::string path(const std::string& name) const { return (folder / name).string(); }

    Content of(const std::vector<std::string>& sources, const SourceOptions& options = {},
               const SampleRange& range = {}) const {
        const auto file = folder / ("set" + std::to_string(++num_sets_) + ".h5");
        const auto source = open_source(sources, options);
        convert(*source, enter_range(*source, range), file.string() + ":/train", {.chunk_samples = 2});
        set = SampleSet::open(file.string() + ":/train");
        return read_all(*set);
    }

    doctest::String complaint(const std::vector<std::string>& sources, const SourceOptions& options = {}) const {
        return complaint_of([&] { of(sources, options); });
    }

    mutable std::shared_ptr<SampleSet> set;  ///< the last one

  private:
    mutable int num_sets_ = 0;
};

const std::vector<std::uint8_t> seven{0, 1, 2, 3, 4, 5, 6};

}  // namespace

TEST_CASE("NumPy arrays of every type, byte order and format version are converted") {
    if (!has_h5py()) {
        return;
    }
    const Converted converted;
    const auto arrays = run_python("write_sources.py", converted.folder.path());
    REQUIRE(arrays.size() == 19);
    for (const auto& [name, type] : arrays) {
        CAPTURE(name);
        const auto file = converted.path(name + ".npy");

        const auto content = converted.of({file, file});

        CHECK(content.inputs == read_bytes(converted.path(name + ".bin")));
        CHECK(content.targets == content.inputs);
        CHECK(std::string(to_string(converted.set->inputs()[0].type)) == type);
        CHECK(converted.set->size() == 7);
    }
}

TEST_CASE("NumPy booleans become h5py booleans, not bytes of brightness") {
    const Converted converted;
    const auto file = converted.path("mask.npy");
    write_npy(file, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }", bytes_of<char>({1, 0, 0, 1}));

    const auto content = converted.of({file});

    CHECK(content.inputs == bytes_of<std::int8_t>({1, 0, 0, 1}));
    CHECK(converted.set->inputs()[0].type == ElementType::i8);
    const hdf5::Session session;
    const auto set = hdf5::open_file(converted.folder / "set1.h5", hdf5::Access::read);
    const auto data_set = hdf5::open_data_set(set.get(), "/train/inputs", "set1.h5");
    const auto type = hdf5::own(H5Dget_type(data_set.get()), "no type");
    std::int8_t value = 0;
    CHECK(H5Tget_class(type.get()) == H5T_ENUM);
    CHECK(H5Tenum_valueof(type.get(), "TRUE", &value) >= 0);
    CHECK(value == 1);
}

TEST_CASE("arrays in NumPy archives are converted, whether stored or deflated") {
    if (!has_h5py()) {
        return;
    }
    const Converted converted;
    run_python("write_sources.py", converted.folder.path());
    std::vector<std::int32_t> counting(42);
    std::iota(counting.begin(), counting.end(), 0);
    for (const std::string name : {"stored.npz", "packed.npz"}) {
        CAPTURE(name);
        const auto file = converted.path(name);

        const auto content = converted.of({file + ":x", file + ":y"});

        CHECK(content.inputs == bytes_of(counting));
        CHECK(content.targets == bytes_of(seven));
        CHECK(converted.set->inputs()[0].shape == std::vector<std::int64_t>{2, 3});
        CHECK(converted.of({file + ":x", file + ":y"}, {}, {3, 5}).targets == bytes_of<std::uint8_t>({3, 4}));
        CHECK(converted.complaint({file + ":z", file + ":y"}) ==
              Contains("has no readable array \"z\"; it holds x, y"));
        CHECK(converted.complaint({file, file + ":y"}) == Contains("is an archive of arrays; name one"));
    }
    const auto stored = read_bytes(converted.path("stored.npz"));
    const auto shape = bytes_of<char>({'(', '7', ',', ' ', '2', ',', ' ', '3', ')'});
    const auto digit = std::ranges::search(stored, shape).begin() - stored.begin() + 1;
    for (const auto at : {digit, std::ptrdiff_t{200}}) {  // the number of samples of x, which becomes 6; an element
        auto damaged = stored;
        damaged[static_cast<std::size_t>(at)] ^= std::byte{1};
        write_bytes(converted.path("damaged.npz"), damaged);
        CHECK(converted.complaint({converted.path("damaged.npz:x")}) ==
              Contains("damaged.npz:x is truncated or damaged"));
    }
    CHECK(converted.complaint({converted.path("absent.npz:x"), converted.path("absent.npz:y")}) ==
          Contains("absent.npz cannot be opened"));
}

TEST_CASE("arrays that cannot be samples are refused with the reason") {
    const Converted converted;
    const auto complaint = [&](const std::string& header) {
        write_npy(converted.path("a.npy"), header, std::vector<std::byte>(64));
        return converted.complaint({converted.path("a.npy"), converted.path("a.npy")});
    };

    CHECK(complaint("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }") ==
          Contains("is stored in Fortran order"));
    CHECK(complaint("{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }") == Contains("NumPy type '<c8'"));
    CHECK(complaint("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }") == Contains("numpy.unique("));
    CHECK(complaint("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }") ==
          Contains("records of several fields"));
    CHECK(complaint("{'descr': '<f4', 'fortran_order': False, 'shape': (), }") == Contains("is a single number"));
    CHECK(complaint("{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }") ==
          Contains("an invalid shape in its header"));
    CHECK(complaint("{'descr': '<f4', 'fortran_order': False, }") == Contains("no shape in its header"));
    CHECK(complaint("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }") ==
          Contains("claims samples of 0 bytes"));
    CHECK(complaint("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2), }") ==
          Contains("claims 4611686018427387904 samples, more than a file can hold"));
    CHECK(complaint("{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }") ==
          Contains("a.npy is truncated or damaged"));
    write_text(converted.path("a.npy"), "not an array of NumPy");
    CHECK(converted.complaint({converted.path("a.npy"), converted.path("a.npy")}) == Contains("is not a NumPy file"));
}

TEST_CASE("a NumPy file that is cut off anywhere is named") {
    const Converted converted;
    const auto file = converted.path("a.npy");
    write_npy(file, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }",
              bytes_of<std::int16_t>({1, 2, 3, 4}));
    const auto whole = read_bytes(file);
    CHECK(converted.of({file, file}).inputs == bytes_of<std::int16_t>({1, 2, 3, 4}));

    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        write_bytes(file, std::span(whole).first(size));
        CHECK(converted.complaint({file, file}) == Contains("a.npy is truncated or damaged"));
    }
}

TEST_CASE("files of bare numbers are samples in the order of their names") {
    const Converted converted;
    fs::create_directories(converted.folder / "fields/more");
    write_bytes(converted.folder / "fields/b.bin", bytes_of<float>({5, 6, 7, 8}));
    write_bytes(converted.folder / "fields/a.bin", bytes_of<float>({1, 2, 3, 4, -1, -2, -3, -4}));
    write_bytes(converted.folder / "fields/more/c", bytes_of<float>({9, 10, 11, 12}));
    write_bytes(converted.folder / "fields/.hidden", bytes_of<char>({'x'}));
    write_bytes(converted.folder / "labels", bytes_of<std::uint8_t>({1, 2, 3, 4}));
    const SourceOptions options{.type = ElementType::f32, .shape = {2, 2}, .target_type = ElementType::u8};
    const std::vector<std::string> sources{converted.path("fields"), converted.path("labels")};

    const auto content = converted.of(sources, options);

    CHECK(content.inputs == bytes_of<float>({1, 2, 3, 4, -1, -2, -3, -4, 5, 6, 7, 8, 9, 10, 11, 12}));
    CHECK(content.targets == bytes_of<std::uint8_t>({1, 2, 3, 4}));
    CHECK(converted.set->inputs()[0].shape == std::vector<std::int64_t>{2, 2});
    CHECK(converted.of(sources, options, {1, 3}).inputs == bytes_of<float>({-1, -2, -3, -4, 5, 6, 7, 8}));
    CHECK(converted.of(sources, options, {3, {}}).inputs == bytes_of<float>({9, 10, 11, 12}));

    write_bytes(converted.folder / "fields/b.bin", bytes_of<float>({5, 6, 7}));
    CHECK(converted.complaint(sources, options) ==
          Contains("b.bin has 12 bytes, which cannot be whole samples of 16 bytes"));
    CHECK(converted.complaint({converted.path("fields"), converted.path("labels")}) == Contains("fields is a folder"));
    CHECK(converted.complaint({converted.path("absent"), converted.path("labels")}, options) ==
          Contains("absent: no such file or folder"));
}

TEST_CASE("lines of a CSV file are samples, with the last column as targets") {
    const Converted converted;
    const auto file = converted.path("t.csv");
    write_text(file, "a,\"b\",class\r\n1, 2.5 ,0\r\n\r\n+3,-4e1,2\r\n\"5\",nan,1");

    const auto content = converted.of({file});

    const auto nan = std::nanf("");
    CHECK(content.inputs == bytes_of<float>({1, 2.5F, 3, -40, 5, nan}));
    CHECK(content.targets == bytes_of<std::int64_t>({0, 2, 1}));
    CHECK(converted.set->inputs()[0].shape == std::vector<std::int64_t>{2});
    CHECK(converted.set->targets()[0].shape.empty());
    CHECK(converted.of({file}, {}, {1, 2}).inputs == bytes_of<float>({3, -40}));
}

TEST_CASE("a comma between quotes does not end a cell of a CSV file") {
    const Converted converted;
    const auto file = converted.path("t.csv");
    write_text(file, "\"length, in m\",class\n1,2\n");

    CHECK(converted.of({file}, {.target_columns = {"length, in m"}}).targets == bytes_of<std::int64_t>({1}));
}

TEST_CASE("columns of a CSV file are chosen by name or number, and have types") {
    const Converted converted;
    const auto file = converted.path("t.csv");
    write_text(file, "1,2,3.5\n4,5,6.5\n");

    CHECK(converted.of({file}).targets == bytes_of<float>({3.5F, 6.5F}));
    CHECK(converted.of({file}, {.target_columns = {"0"}}).targets == bytes_of<std::int64_t>({1, 4}));
    CHECK(converted.of({file}, {.type = ElementType::f64, .target_columns = {"0"}}).inputs ==
          bytes_of<double>({2, 3.5, 5, 6.5}));
    CHECK(converted.of({file}, {.target_type = ElementType::f32, .target_columns = {"0"}}).targets ==
          bytes_of<float>({1, 4}));
    CHECK(converted.of({file}, {.target_columns = {"0", "2"}}).targets == bytes_of<float>({1, 3.5F, 4, 6.5F}));
    CHECK(converted.set->targets()[0].shape == std::vector<std::int64_t>{2});

    CHECK(converted.complaint({file}, {.target_columns = {"price"}}) == Contains("--targets price: "));
    CHECK(converted.complaint({file}, {.target_columns = {"2", "2"}}) == Contains("--targets 2: this column is named"));
    CHECK(converted.complaint({file}, {.target_columns = {"3"}}) == Contains("has no such column; it has 0, 1, 2"));
    CHECK(converted.complaint({file}, {.target_columns = {"0", "1", "2"}}) == Contains("leaves none for the inputs"));
    CHECK(converted.complaint({file}, {.type = ElementType::u8}) == Contains("uint8 is not supported for CSV"));
    CHECK(converted.complaint({file}, {.target_type = ElementType::i64}) ==
          Contains("t.csv:1: column 2: 3.5 is not a 64-bit integer"));
}

TEST_CASE("targets of a CSV file are in the order in which they are named, not in file order") {
    const Converted converted;
    const auto file = converted.path("t.csv");
    write_text(file, "a,b,c\n1,2,3.5\n4,5,6.5\n");

    const auto content = converted.of({file}, {.target_columns = {"c", "a"}});

    CHECK(content.targets == bytes_of<float>({3.5F, 1, 6.5F, 4}));
    CHECK(content.inputs == bytes_of<float>({2, 5}));
}

TEST_CASE("a name that several CSV columns share is refused as a target") {
    const Converted converted;
    const auto file = converted.path("t.csv");
    write_text(file, "x,y,y\n1,2,3\n");

    CHECK(converted.complaint({file}, {.target_columns = {"y"}}) ==
          Contains("t.csv have this name; give the column's"));
    CHECK(converted.of({file}, {.target_columns = {"2"}}).targets == bytes_of<std::int64_t>({3}));
}

TEST_CASE("a cell that is not a number causes an error with line and column before anything is written") {
    const Converted converted;
    const auto complaint = [&](const std::string& text) {
        write_text(converted.path("t.csv"), text);
        return converted.complaint({converted.path("t.csv")});
    };

    CHECK(complaint("a,b\n1,2\n\n3,four\n") == Contains("t.csv:4: column 1 (b): \"four\" is not a number"));
    CHECK(complaint("1,2\n3,\n") == Contains("t.csv:2: column 1: \"\" is not a number; fill it in"));
    CHECK(complaint("1,\n3,4\n") == Contains("t.csv:1: column 1: \"\" is not a number; fill it in"));
    CHECK(complaint(",\n3,4\n") == Contains("t.csv:1: column 0: \"\" is not a number; fill it in"));
    CHECK(complaint("1,2\n3,1e400\n") == Contains("t.csv:2: column 1: 1e400 is too large, or too close to 0"));
    CHECK(complaint("+1e-400,2\n3,4\n") == Contains("t.csv:1: column 0: +1e-400 is too large, or too close to 0"));
    CHECK(complaint("1,2\n3,4,5\n") == Contains("t.csv:2: column 2: the line has 3 cells, but the first line has 2"));
    CHECK(complaint("1,2\n3\n") == Contains("the line has 1 cells, but the first line has 2"));
    CHECK(complaint("1;2\n3;4\n") == Contains("has one column"));
    CHECK(complaint("") == Contains("t.csv is empty"));
    CHECK(complaint("a,b\n") == Contains("t.csv holds no samples"));
    CHECK_FALSE(fs::exists(converted.folder / "set1.h5"));
}

TEST_CASE("a CSV file that cannot be read to its end is refused, not taken for a shorter one") {
    const Converted converted;
    fs::create_symlink("/proc/self/mem", converted.path("t.csv"));  // reading its first bytes fails

    CHECK(converted.complaint({converted.path("t.csv")}) == Contains("cannot be read beyond line 0: Input/output"));
}

TEST_CASE("the first line of a CSV file is a header if at least one of its cells is a name") {
    const Converted converted;
    write_text(converted.path("t.csv"), ",class\n1,2\n3,4\n");

    CHECK(converted.of({converted.path("t.csv")}, {.target_columns = {"class"}}).inputs == bytes_of<float>({1, 3}));
}

TEST_CASE("default column numbers and row indices, as pandas writes them, are refused as samples") {
    const Converted converted;
    const auto complaint = [&](const std::string& text) {
        write_text(converted.path("t.csv"), text);
        return converted.complaint({converted.path("t.csv")});
    };

    CHECK(complaint("0,1,2\n0.5,1.5,1\n") == Contains("t.csv: the first line numbers the columns"));
    CHECK(complaint(",0,1,2\n0,0.5,1.5,1\n") == Contains("the first line numbers the columns"));
    CHECK(complaint(",a,class\n0,0.5,1\n1,1.5,0\n") == Contains("the first column has no name and numbers the lines"));
    CHECK(complaint("\"\",\"a\",\"class\"\n\"1\",0.5,1\n\"2\",1.5,0\n") == Contains("row.names = FALSE"));
    write_text(converted.path("t.csv"), "line,a,class\n0,0.5,1\n1,1.5,0\n");
    CHECK(converted.of({converted.path("t.csv")}).inputs == bytes_of<float>({0, 0.5F, 1, 1.5F}));
    write_text(converted.path("t.csv"), "0,1\n1,2\n");
    CHECK(converted.of({converted.path("t.csv")}).inputs == bytes_of<float>({0, 1}));
}

TEST_CASE("the byte order mark that Excel writes before CSV does not belong to any cell") {
    const Converted converted;
    write_text(converted.path("t.csv"),
               "\xEF\xBB\xBF"
               "1,2\r\n3,4\r\n");

    CHECK(converted.of({converted.path("t.csv")}).inputs == bytes_of<float>({1, 3}));
}

TEST_CASE("inputs alone become a set without targets") {
    const Converted converted;
    write_bytes(converted.path("fields.bin"), bytes_of<float>({1, 2, 3, 4, 5, 6}));

    const auto content = converted.of({converted.path("fields.bin")}, {.type = ElementType::f32, .shape = {2}}, {1, 3});

    CHECK(content.inputs == bytes_of<float>({3, 4, 5, 6}));
    CHECK(converted.set->targets().size() == 0);
}

TEST_CASE("options that do not apply to a source are refused, not ignored") {
    const Converted converted;
    write_text(converted.path("t.csv"), "1,2\n");
    write_npy(converted.path("x.npy"), "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }",
              bytes_of<std::uint8_t>({1, 2}));
    const auto csv = converted.path("t.csv");
    const auto npy = converted.path("x.npy");

    CHECK(converted.complaint({csv}, {.shape = {3}}) == Contains("--shape is for bare numbers"));
    CHECK(converted.complaint({csv}, {.images = {.gray = true}}) == Contains("--gray is for"));
    CHECK(converted.complaint({npy, npy}, {.target_columns = {"a"}}) == Contains("--targets is for CSV"));
    CHECK(converted.complaint({npy, npy}, {.type = ElementType::f32}) == Contains("leave out --type and --shape"));
    CHECK(converted.complaint({npy, npy}, {.target_shape = {1}}) == Contains("leave out --target-type"));
    CHECK(converted.complaint({npy}, {.target_type = ElementType::f32}) == Contains("--target-type is for"));
}

TEST_CASE("files of another format are not taken for bare numbers") {
    const Converted converted;
    const SourceOptions bytes{.type = ElementType::u8};
    fs::create_directories(converted.folder / "images/cat");
    for (const char* name : {"images/cat/a.PNG", "x.npy", "t.csv", "x.gz", "x.h5"}) {
        write_text(converted.path(name), "1,2\n");
    }
    write_bytes(converted.path("idx"), idx_bytes(0x08, {3, 2}, bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6})));
    write_bytes(converted.path("like-idx"), idx_bytes(0x08, {3, 2}, bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6, 7})));
    fs::create_directory(converted.folder / "arrays");
    fs::copy(converted.path("x.npy"), converted.path("arrays/x.npy"));

    CHECK(converted.complaint({converted.path("images")}, bytes) == Contains("a.PNG is an image, but --type"));
    CHECK(converted.complaint({converted.path("idx")}, bytes) == Contains("idx is IDX, but --type"));
    CHECK(converted.complaint({converted.path("x.gz")}, bytes) == Contains("unpack any other file first"));
    CHECK(converted.complaint({converted.path("x.h5")}, bytes) == Contains("crescendo data rechunk copies it"));
    CHECK(converted.complaint({converted.path("arrays")}, bytes) == Contains("x.npy is a NumPy file"));
    CHECK(converted.complaint({converted.path("idx"), converted.path("idx")}, {.target_type = ElementType::u8}) ==
          Contains("idx is IDX"));
    CHECK(converted.of({converted.path("like-idx")}, bytes).inputs == read_bytes(converted.path("like-idx")));
}

TEST_CASE("sources that do not go together are refused, and the message says what does") {
    const Converted converted;
    fs::create_directories(converted.folder / "images/cat");
    for (const char* name : {"images/cat/a.png", "a.csv", "b.csv"}) {
        write_text(converted.path(name), "1,2\n");
    }
    const auto images = converted.path("images");

    CHECK(converted.complaint({converted.path("a.csv"), converted.path("b.csv")}) ==
          Contains("a.csv is CSV, which has inputs and targets in its columns and must be the only source"));
    CHECK(converted.complaint({converted.path("a.csv"), converted.path("b.csv")}, {.type = ElementType::u8}) ==
          Contains("a.csv is CSV, which"));
    CHECK(converted.complaint({images, converted.path("b.csv")}) == Contains("folder per class, leave out TARGETS"));
    CHECK(converted.complaint({images}, {.shape = {3, 8, 8}}) ==
          Contains("--shape is for bare numbers and needs --type"));
    CHECK(converted.complaint({images}, {.type = ElementType::u8, .images = {.gray = true}}) ==
          Contains("--size and --gray are for images"));
    CHECK(converted.complaint({converted.path("set.h5:/train")}) ==
          Contains("is already HDF5; crescendo data rechunk"));
    write_text(converted.path("era5.nc"), "\x89HDF\r\n\x1a\n and more");
    write_text(converted.path("fields.mat"), "MATLAB 7.3" + std::string(502, ' ') + "\x89HDF\r\n\x1a\n and more");
    CHECK(converted.complaint({converted.path("era5.nc")}) == Contains("era5.nc is already HDF5"));
    CHECK(converted.complaint({converted.path("fields.mat")}) == Contains("fields.mat is already HDF5"));
}

TEST_CASE("a source of unknown format is refused") {
    const Converted converted;
    write_text(converted.path("t.txt"), "1,2\n3,4\n");

    CHECK(converted.complaint({converted.path("t.txt")}) == Contains("t.txt is not an IDX file"));
    CHECK(complaint_of([] { element_type_named("float"); }) ==
          Contains("float is not a number type; use one of uint8, "));
    CHECK(element_type_named("bfloat16") == ElementType::bf16);
}
