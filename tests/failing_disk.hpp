#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/temporary_folder.hpp"

namespace crescendo::tests {

/// A disk that can fail: an ext4 file system on a loop device, whose image becomes immutable. From then on the device
/// can be read, and every write to it ends in EIO.
class FailingDisk {
  public:
    FailingDisk() {
        std::filesystem::create_directory(path());
        works_ = sh("truncate -s 16M image && mkfs.ext4 -q -F image") && image_can_fail() && mount();
        if (!works_) {
            MESSAGE("skipped: this user may not mount an image, or not make it immutable where temporary files are");
        }
    }
    ~FailingDisk() {
        mend();
        ::umount2(path().c_str(), MNT_DETACH);
    }
    FailingDisk(FailingDisk&&) = delete;
    FailingDisk& operator=(FailingDisk&&) = delete;

    explicit operator bool() const { return works_; }
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::filesystem::path path() const { return folder_ / "disk"; }

    void fail() { REQUIRE(sh("chattr +i image")); }
    void mend() { sh("chattr -i image"); }

    /// Data whose write failed was only in memory and is lost; data that was not yet due to be written is written. If
    /// the file system's own journal failed (because a folder was synced), everything since then is lost.
    void restart() { REQUIRE((sh("umount disk && e2fsck -p image") && mount())); }

  private:
    /// The file system hardly ever commits its own journal, so that the fate of a file does not depend on the moment.
    bool mount() const { return sh("mount -o loop,commit=600 image disk"); }

    bool image_can_fail() const {
        const int file = ::open((folder_ / "image").c_str(), O_WRONLY | O_CLOEXEC);
        const bool fails = sh("chattr +i image") && ::pwrite(file, "", 1, 0) < 0;
        ::close(file);
        return sh("chattr -i image") && fails;
    }

    bool sh(const std::string& command) const {
        return std::system(("cd " + folder_.path().string() + " && (" + command + ") >/dev/null 2>&1").c_str()) == 0;
    }

    TemporaryFolder folder_;
    bool works_ = false;
};

}  // namespace crescendo::tests
