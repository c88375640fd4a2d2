#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace crescendo::datasets::hdf5 {

/// HDF5's number of a driver for files that are only read. It makes the system calls that the library's own driver
/// makes, and serves Finder. To be used under a session, as everything of the library.
hid_t finding_driver();

/// While it exists, elements that this thread has the library read are not read, and the memory for them stays as it
/// is. Instead it finds out where they lie. (HDF5 1.10 has no other way to ask for the place of a chunk than one that
/// walks through all chunks.)
///
/// Only files of finding_driver() heed it. There is at most one in a thread.
class Finder {
  public:
    Finder();
    Finder(const Finder&) = delete;
    Finder& operator=(const Finder&) = delete;
    ~Finder();

    struct Piece {
        std::uint64_t offset;  ///< in the file, from its first byte
        std::size_t bytes;
    };

    /// What the library wanted to read; nothing if that was not one piece.
    std::optional<Piece> piece() const { return num_pieces_ == 1 ? std::optional(piece_) : std::nullopt; }

    /// Whether the file has finding_driver().
    static bool serves(hid_t file);

    /// For the driver: whether a Finder of this thread takes the place of a read.
    static bool takes(const Piece& piece);

  private:
    Piece piece_{};
    int num_pieces_ = 0;
};

}  // namespace crescendo::datasets::hdf5
