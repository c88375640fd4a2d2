#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace crescendo::datasets::hdf5 {

/// HDF5's identifier of a driver for files that are only read. It makes the same system calls as the library's own
/// driver, and serves Finder. Use it under a session, as everything of the library.
hid_t finding_driver();

/// While it exists, library reads of this thread read nothing and leave their memory unchanged. Instead, it records
/// where the elements are in the file. (HDF5 1.10's only other way to find a chunk walks through all chunks.)
/// Affects only files opened with finding_driver(). There may be at most one per thread.
class Finder {
  public:
    Finder();
    Finder(const Finder&) = delete;
    Finder& operator=(const Finder&) = delete;
    ~Finder();

    struct Piece {
        std::uint64_t offset;  ///< from the first byte of the file
        std::size_t bytes;
    };

    /// What the library wanted to read; none if that was not exactly one piece.
    std::optional<Piece> piece() const { return num_pieces_ == 1 ? std::optional(piece_) : std::nullopt; }

    /// Whether the file was opened with finding_driver().
    static bool serves(hid_t file);

    /// For the driver: whether a Finder of this thread intercepts this read.
    static bool takes(const Piece& piece);

  private:
    Piece piece_{};
    int num_pieces_ = 0;
};

}  // namespace crescendo::datasets::hdf5
