#include "datasets/readers/file_bytes.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <fstream>
#include <string>

#include "core/files/file_descriptor.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using tests::TemporaryFolder;

TEST_CASE("bytes are read at an offset, and a read beyond the end of the file fails with its offset") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "0123456789";
    const FileDescriptor file(::open((folder / "file").c_str(), O_RDONLY));
    std::string bytes(4, ' ');
    const auto out = std::as_writable_bytes(std::span(bytes));

    announce_bytes(file.get(), 3, 7);
    read_bytes(file.get(), 3, out);
    CHECK(bytes == "3456");
    read_bytes(file.get(), 10, {});
    CHECK_THROWS_WITH_AS(read_bytes(file.get(), 8, out), "2 bytes at offset 10: the file ends there; it is truncated",
                         DamagedFile);
    CHECK_THROWS_WITH_AS(read_bytes(-1, 0, out), doctest::Contains("4 bytes at offset 0: Bad file"),
                         std::runtime_error);
}
