#include "datasets/writers/new_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "core/files/writing.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/writers/new_group.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using crescendo::own_name;
using crescendo::tests::complaint_of;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a new file gets its name when it is complete, and otherwise leaves nothing") {
    const TemporaryFolder folder;
    {
        const NewFile file(folder / "a");
        std::ofstream(file.temporary()) << "half";
    }
    CHECK(fs::is_empty(folder.path()));

    NewFile file(folder / "a");
    std::ofstream(file.temporary()) << "whole";
    file.publish();

    CHECK(fs::file_size(folder / "a") == 5);
    CHECK(complaint_of([&] { NewFile(folder / "none" / "a"); }) ==
          doctest::Contains("is not a folder; create it first"));
}

TEST_CASE("a new HDF5 file is not written through a link with the name of its temporary file") {
    const TemporaryFolder folder;
    std::ofstream(folder / "mine") << "mine";
    fs::create_symlink("mine", own_name(folder / "set.h5", "part"));

    NewGroup group(Location::parse((folder / "set.h5").string() + ":/"));
    group.publish();

    CHECK(fs::file_size(folder / "mine") == 4);
    CHECK(fs::exists(folder / "set.h5"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}
