#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/files/file_descriptor.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/writers/new_file.hpp"
#include "datasets/writers/write_options.hpp"

namespace crescendo::datasets {

/// The state of a file before a group is added to it. Restores that state if adding the group fails.
/// The library appends new data, and marks the file in its superblock as being written. So the old size and superblock
/// restore the file, even if the library cannot: on a full disk it neither closes a file nor frees its space. Only the
/// link, which is made last, changes existing data.
class FileBefore {
  public:
    /// Construct it before the library opens the file, and destroy it after the library has closed the file.
    explicit FileBefore(std::filesystem::path path);
    ~FileBefore();
    FileBefore(const FileBefore&) = delete;
    FileBefore& operator=(const FileBefore&) = delete;

    /// From this call on, the destructor restores the file. Also keeps the lock of `descriptor`, which is the
    /// library's, so that no other writer can open the file between the library's close and the restoration. Does
    /// nothing for a file that does not begin with its superblock, or that has grown since the constructor.
    void take(int descriptor);
    /// From this call on, the destructor leaves the file as it is.
    void leave() { descriptor_.reset(); }

  private:
    std::filesystem::path path_;
    std::uintmax_t bytes_ = 0;
    std::filesystem::file_time_type written_;  ///< modification time; restored, so that kept statistics stay valid
    std::array<char, 100> superblock_{};       ///< large enough for the longest superblock
    FileDescriptor descriptor_;                ///< a copy of the library's; empty if the file is not to be restored
};

/// A new group that appears under its name only when it is complete: in a new file, which then gets its name, or in an
/// existing file, where the group then gets its link.
/// Until then, readers of the file do not see the group. An abandoned group leaves nothing behind.
class NewGroup {
  public:
    /// Objects of at least half of `alignment` bytes start at multiples of it in the file: chunks of usual sizes, but
    /// not the library's records about them.
    ///
    /// Throws InvalidInput if `place` exists already, the file is not HDF5 or is in use, or there is no folder for it.
    explicit NewGroup(Location place, std::int64_t alignment = default_alignment);
    ~NewGroup();
    NewGroup(const NewGroup&) = delete;
    NewGroup& operator=(const NewGroup&) = delete;

    hid_t id() const { return group_.get(); }

    /// Makes the group visible. All data sets in it must be closed. Throws std::runtime_error if it cannot be written,
    /// and throws as NewFile does.
    void publish();

  private:
    NewGroup(Location place, std::int64_t alignment, const hdf5::Session&);
    void open(std::int64_t alignment);
    void sync() const;

    Location place_;
    std::optional<NewFile> new_file_;   ///< the new file, if there was no file
    std::optional<FileBefore> before_;  ///< the state before, if there was a file
    hdf5::Handle file_;
    hdf5::Handle group_;
    bool is_held_ = false;  ///< whether we hold an extra reference to the group, until it has its link
};

}  // namespace crescendo::datasets
