#pragma once

#include <doctest/doctest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.hpp"

namespace crescendo::tests {

/// A disk of a few pages, mounted in the test's own folder.
class SmallDisk {
  public:
    explicit SmallDisk(const std::string& options) {
        std::filesystem::create_directory(path());
        mounted_ = ::mount("crescendo-test", path().c_str(), "tmpfs", 0, options.c_str()) == 0;
        if (!mounted_) {
            MESSAGE("skipped: this user may not mount a tmpfs");
        }
    }
    ~SmallDisk() {
        if (mounted_) {
            ::umount2(path().c_str(), MNT_DETACH);
        }
    }
    SmallDisk(SmallDisk&&) = delete;
    SmallDisk& operator=(SmallDisk&&) = delete;

    explicit operator bool() const { return mounted_; }
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::filesystem::path path() const { return folder() / "disk"; }

    void fill() const {
        std::ofstream file(path() / "filler");
        const std::string page(4096, 'x');
        while (file << page << std::flush) {}
    }

  private:
    TemporaryFolder folder_;
    bool mounted_ = false;
};

}  // namespace crescendo::tests
