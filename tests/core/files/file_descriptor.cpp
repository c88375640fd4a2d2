#include "core/files/file_descriptor.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <utility>

using namespace crescendo;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

FileDescriptor opened() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

TEST_CASE("a descriptor is closed when its owner ends") {
    int fd = -1;
    {
        const auto owner = opened();
        fd = owner.get();
        CHECK(is_open(fd));
    }

    CHECK_FALSE(is_open(fd));
}

TEST_CASE("a moved descriptor has one owner, which closes its previous descriptor") {
    auto from = opened();
    auto to = opened();
    const int moved = from.get();
    const int replaced = to.get();

    to = std::move(from);

    CHECK(to.get() == moved);
    CHECK(is_open(moved));
    CHECK_FALSE(is_open(replaced));
    CHECK_FALSE(from);
}

TEST_CASE("an empty owner closes nothing") {
    FileDescriptor none(-1);
    CHECK_FALSE(none);

    none.reset();

    CHECK(none.get() == -1);
}
