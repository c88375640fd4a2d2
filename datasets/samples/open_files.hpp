#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "datasets/samples/set_file.hpp"

namespace crescendo::datasets {

/// The files of a set that are open: all, if they are few, else those that were used last. So the thousands of files of
/// a set do not exhaust the descriptors of the process. Any number of threads may use an object.
class OpenFiles {
  public:
    using Open = std::function<std::unique_ptr<SetFile>(std::size_t number)>;

    /// Of `num_files` files, the first ones are open. `open` opens the others when they are needed.
    OpenFiles(std::size_t num_files, std::vector<std::shared_ptr<const SetFile>> first, Open open);

    /// Most files of a set that are open at a time, besides those that threads read now: an eighth of the descriptors
    /// that the process may have, and at most 256.
    static std::size_t most();

    /// The file, which stays open while the pointer lives. Throws what `open` throws.
    std::shared_ptr<const SetFile> get(std::size_t number);
    /// The same for a file that is open; else null.
    std::shared_ptr<const SetFile> if_open(std::size_t number);

  private:
    struct Slot {
        std::shared_ptr<const SetFile> file;
        std::uint64_t used = 0;
    };

    void close_oldest();

    const Open open_;
    std::mutex mutex_;  ///< guards the following; taken before the lock of the library
    std::vector<Slot> slots_;
    std::size_t num_open_;
    const std::size_t most_;
    std::uint64_t uses_ = 0;
};

}  // namespace crescendo::datasets
