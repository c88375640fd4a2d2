#pragma once

#include <optional>

#include "datasets/hdf5.hpp"
#include "datasets/location.hpp"
#include "datasets/new_file.hpp"

namespace crescendo::datasets {

/// A group that appears under its name when it is complete, or not at all: in a new file, which gets its name then, or
/// in an existing one, where it gets its link.
///
/// Until then the file's readers see nothing of it, and the library drops an object without a link when it is closed.
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
    void close();

    Location place_;
    std::optional<NewFile> new_file_;  ///< where there was none
    hdf5::Handle file_;
    hdf5::Handle group_;
};

}  // namespace crescendo::datasets
