#include "datasets/hdf5/hdf5.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// From now on, every read of the file fails: its descriptor leads to a folder.
void break_reads(const hdf5::Handle& file, const TemporaryFolder& folder) {
    const crescendo::FileDescriptor other(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::dup2(other.get(), hdf5::descriptor(file.get())) >= 0);
}

}  // namespace

TEST_CASE("a filter's switch to flush denormal numbers to 0 ends with the session") {
#ifdef __SSE__
    const auto before = _mm_getcsr();
    {
        const hdf5::Session session;
        _mm_setcsr(before | 0x8040U);  // as loading a library built with -ffast-math does
    }

    CHECK(_mm_getcsr() == before);
#else
    MESSAGE("skipped: it knows only the switch of x86");
#endif
}

TEST_CASE("an object that cannot be looked up because reads fail is an error, not a missing object") {
    const TemporaryFolder folder;
    const auto set = write_counting_set(folder / "set.h5", 4, 0);
    for (const auto access : {hdf5::Access::read, hdf5::Access::find}) {
        const hdf5::Session session;
        const auto file = hdf5::open_file(folder / "set.h5", access);
        break_reads(file, folder);

        CHECK_THROWS_WITH_AS(hdf5::exists(file.get(), "/train/inputs"),
                             "/train/inputs cannot be looked up (HDF5: Is a directory)", std::runtime_error);
        CHECK_THROWS_WITH_AS(hdf5::open_data_set(file.get(), "/train/inputs", "set.h5"),
                             "set.h5: /train/inputs cannot be looked up (HDF5: Is a directory)", std::runtime_error);
    }
}

TEST_CASE("an attribute that cannot be looked up because reads fail is an error, not a missing attribute") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "a.h5", /*latest=*/true);
        writer.add("/x", {1}, H5T_NATIVE_INT, std::vector{1});
        for (int i = 0; i < 20; ++i) {  // so many are not in the data set's header, which is read first
            writer.attribute("/x", std::to_string(i).c_str(), H5T_NATIVE_INT, std::vector{i});
        }
    }
    const hdf5::Session session;
    const auto file = hdf5::open_file(folder / "a.h5", hdf5::Access::read);
    const auto data_set = hdf5::open_data_set(file.get(), "/x", "a.h5");
    break_reads(file, folder);

    CHECK_THROWS_WITH_AS(hdf5::has_attribute(data_set.get(), "7"), Contains("its attribute 7 cannot be looked up"),
                         std::runtime_error);
}
