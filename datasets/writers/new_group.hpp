#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "datasets/hdf5.hpp"
#include "datasets/location.hpp"
#include "datasets/writers/new_file.hpp"

namespace crescendo::datasets {

/// What a file was before a group was added to it, and is again where that fails.
///
/// The library appends what is new, and marks the file in its superblock as one that is being written. So size and
/// superblock bring it back, also where the library could not: on a full disk it neither closes a file nor gives its
/// space back. Only the link, which is last, changes what was there.
class FileBefore {
  public:
    /// To be made before the library opens the file, and destroyed after it has closed it.
    explicit FileBefore(std::filesystem::path path);
    ~FileBefore();
    FileBefore(const FileBefore&) = delete;
    FileBefore& operator=(const FileBefore&) = delete;

    /// From now on the file is ours, to be brought back at the end, and so is the lock of `descriptor`, the library's:
    /// no other writer comes between its closing the file and our bringing it back. A file that does not begin with its
    /// superblock, or has grown since, is left alone.
    void take(int descriptor);
    /// From now on it is not.
    void leave();

  private:
    std::filesystem::path path_;
    std::uintmax_t bytes_ = 0;
    std::filesystem::file_time_type written_;  ///< what was calculated of the file holds as long as this does
    std::array<char, 100> superblock_{};       ///< the longest there is
    int descriptor_ = -1;                      ///< a copy of the library's; -1 where the file is not ours
};

/// A group that appears under its name when it is complete, or not at all: in a new file, which gets its name then, or
/// in an existing one, where it gets its link.
///
/// Until then the file's readers see nothing of it, and a group that is given up leaves nothing behind.
class NewGroup {
  public:
    /// Throws InvalidInput where something lies there already, the file is not HDF5 or in use, or there is no folder
    /// for it.
    explicit NewGroup(Location place);
    ~NewGroup();
    NewGroup(const NewGroup&) = delete;
    NewGroup& operator=(const NewGroup&) = delete;

    hid_t id() const { return group_.get(); }

    /// Once all data sets in it are closed. Throws std::runtime_error where it cannot be written, and as NewFile does.
    void publish();

  private:
    NewGroup(Location place, const hdf5::Session&);
    void open();
    void sync() const;

    Location place_;
    std::optional<NewFile> new_file_;   ///< where there was none
    std::optional<FileBefore> before_;  ///< where there was one
    hdf5::Handle file_;
    hdf5::Handle group_;
};

}  // namespace crescendo::datasets
