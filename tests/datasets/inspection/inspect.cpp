#include <doctest/doctest.h>

#include <vector>

#include "datasets/inspection/inspect.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("every data set of a file is listed with its shape and storage") {
    const TemporaryFolder folder;
    const std::vector<float> values(6);
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/b/deep/er", {6}, H5T_NATIVE_FLOAT, values, {.file_type = H5T_IEEE_F32BE});
        writer.add("/a", {3, 2}, H5T_NATIVE_FLOAT, values, {.chunk = {2, 2}, .deflate = true});
    }

    const auto found = inspect(folder / "set.h5");

    REQUIRE(found.size() == 2);
    CHECK(found[0].path == "/a");
    CHECK(found[0].type == "float32");
    CHECK(found[0].shape == std::vector<std::int64_t>{3, 2});
    CHECK(found[0].chunk == std::vector<std::int64_t>{2, 2});
    CHECK(found[0].filters == std::vector<std::string>{"deflate"});
    CHECK(found[0].bytes == 24);
    CHECK(found[0].stored_bytes > 0);
    CHECK(found[0].stored_bytes < 32);  // 2 chunks of 4 zeros, compressed
    CHECK(found[0].problem.empty());
    CHECK(found[1].path == "/b/deep/er");
    CHECK(found[1].type == "float32, big-endian");
    CHECK(found[1].chunk.empty());
    CHECK(found[1].filters.empty());
    CHECK(found[1].stored_bytes == 24);
}

TEST_CASE("links and data sets that cannot be samples are listed with their type or kind") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/scalar", {}, H5T_NATIVE_INT32, nullptr);
        writer.add("/text", {2}, H5T_C_S1, nullptr);
        writer.add("/long", {2}, H5T_NATIVE_LDOUBLE, nullptr);
        H5Lcreate_soft("/nowhere", writer.id(), "/dangling", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("other.h5", "/x", writer.id(), "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        const hid_t null = H5Screate(H5S_NULL);
        H5Dclose(H5Dcreate2(writer.id(), "/nothing", H5T_NATIVE_INT32, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(null);
        H5Lcreate_hard(writer.id(), "/", writer.id(), "/loop", H5P_DEFAULT, H5P_DEFAULT);
    }

    const auto found = inspect(folder / "set.h5");

    REQUIRE(found.size() == 6);
    CHECK(found[0].path == "/dangling");
    CHECK(found[0].type == "soft link");
    CHECK(found[0].link == "/nowhere");
    CHECK(found[1].type == "external link");
    CHECK(found[1].link == "other.h5:/x");
    CHECK(found[2].type == "float of 16 bytes");
    CHECK(found[3].path == "/nothing");
    CHECK(found[3].space == DataSetInfo::Space::null);
    CHECK(found[4].path == "/scalar");
    CHECK(found[4].space == DataSetInfo::Space::scalar);
    CHECK(found[4].shape.empty());
    CHECK(found[4].bytes == 4);
    CHECK(found[5].type == "string");
}

/// Writes the data sets a and b, and sets the version of a's header to one that does not exist.
void write_set_of_unknown_version(const std::filesystem::path& file) {
    {
        Hdf5Writer writer(file);
        writer.add("/a", {2}, H5T_NATIVE_INT32, nullptr);
        writer.add("/b", {2}, H5T_NATIVE_INT32, nullptr);
    }
    hobj_ref_t header = 0;  // an object reference is the address of the object's header
    {
        const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        H5Rcreate(&header, id, "/a", H5R_OBJECT, -1);
        H5Fclose(id);
    }
    auto bytes = read_bytes(file);
    bytes[header] = std::byte{0xFF};
    write_bytes(file, bytes);
}

TEST_CASE("a damaged data set does not hide the others") {
    const TemporaryFolder folder;
    write_set_of_unknown_version(folder / "set.h5");

    const auto found = inspect(folder / "set.h5");

    REQUIRE(found.size() == 2);
    CHECK(found[0].path == "/a");
    CHECK(doctest::String(found[0].problem.c_str()) == Contains("it cannot be opened"));
    CHECK(found[1].type == "int32");
    CHECK(found[1].problem.empty());
}

TEST_CASE("a header of an unknown version is reported with the way to write it for older HDF5") {
    const TemporaryFolder folder;
    write_set_of_unknown_version(folder / "set.h5");

    CHECK(doctest::String(inspect(folder / "set.h5")[0].problem.c_str()) == Contains("with h5py's libver='v110'"));
}

TEST_CASE("a data set that claims more bytes than can be counted is listed with its problem") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/huge", {hsize_t{1} << 62}, H5T_NATIVE_INT32, nullptr, {.chunk = {1 << 20}});  // 2^64 bytes
        writer.add("/small", {2}, H5T_NATIVE_INT32, nullptr);
    }

    const auto found = inspect(folder / "set.h5");

    REQUIRE(found.size() == 2);
    CHECK(doctest::String(found[0].problem.c_str()) == Contains("it claims to hold 2^63 bytes or more"));
    CHECK(found[1].problem.empty());
}

TEST_CASE("a file without data sets gives an empty list") {
    const TemporaryFolder folder;
    { const Hdf5Writer writer(folder / "set.h5"); }

    CHECK(inspect(folder / "set.h5").empty());
}

TEST_CASE("a file that is missing or is not HDF5 is refused") {
    const TemporaryFolder folder;
    write_bytes(folder / "text", bytes_of(std::vector<char>(100, 'x')));

    CHECK(complaint_of([&] { inspect(folder / "text"); }) == Contains("text is not an HDF5 file"));
    CHECK(complaint_of([&] { inspect(folder / "absent"); }) == Contains("absent: no such file"));
}

TEST_CASE("packed numbers are listed with their packing") {
    const TemporaryFolder folder;
    write_packed_set(folder / "packed.h5");

    const auto found = inspect(folder / "packed.h5");

    CHECK(found[0].packing == "x * 0.5 + 10, missing -9999, valid 0 to 5");
    CHECK(found[1].packing.empty());
}

TEST_CASE("a virtual data set is listed with its missing source") {
    const TemporaryFolder folder;
    write_virtual_set(folder / "virtual.h5");
    CHECK(inspect(folder / "virtual.h5")[0].problem.empty());

    std::filesystem::remove(folder / "part-1.hdf");

    const auto found = inspect(folder / "virtual.h5");
    CHECK(doctest::String(found[0].problem.c_str()) == Contains("its source part-1.hdf is missing"));
    CHECK(found[1].problem.empty());
}
