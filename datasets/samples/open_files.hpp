#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "datasets/samples/set_file.hpp"

namespace crescendo::datasets {

/// The open files of a set: all if they are few, else the most recently used. So a set of thousands of files does not
/// exhaust the process's descriptors. Any number of threads may use an object.
class OpenFiles {
  public:
    using Open = std::function<std::unique_ptr<SetFile>(std::size_t number)>;

    /// `first` are the first of `num_files` files, already open. `open` opens the others when they are needed.
    OpenFiles(std::size_t num_files, std::vector<std::shared_ptr<const SetFile>> first, Open open);

    /// Maximum number of open files of a set, besides those that threads are reading: an eighth of the process's
    /// descriptor limit, and at most 256.
    static std::size_t most();

    /// Returns the file; it stays open while the pointer lives. Throws what `open` throws.
    std::shared_ptr<const SetFile> get(std::size_t number);
    /// Returns the file if it is open; else null.
    std::shared_ptr<const SetFile> if_open(std::size_t number);

  private:
    struct Slot {
        std::shared_ptr<const SetFile> file;
        std::uint64_t used = 0;
    };

    void close_oldest();

    const Open open_;
    std::mutex mutex_;  ///< guards the members below; lock it before the library's lock
    std::vector<Slot> slots_;
    std::size_t num_open_;
    const std::size_t most_;
    std::uint64_t uses_ = 0;
};

}  // namespace crescendo::datasets
