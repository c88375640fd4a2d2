#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace crescendo::datasets {

/// A stream of bytes, read from start to end.
class ByteSource {
  public:
    explicit ByteSource(std::string name) : name_(std::move(name)) {}
    virtual ~ByteSource() = default;

    /// Name of the source in messages: "images.npy", "arrays.npz:images".
    const std::string& name() const { return name_; }

    /// Fills `out` with the next bytes. Throws InvalidInput if the source ends before that or is damaged.
    virtual void read(std::span<std::byte> out) = 0;
    virtual void skip(std::int64_t num_bytes) = 0;

    /// Says how many bytes are left to read. If the source has a checksum, read() then compares it with the last byte,
    /// and throws InvalidInput if it differs or if more bytes follow: then what says their number is damaged.
    virtual void expect(std::int64_t num_bytes) = 0;

  private:
    std::string name_;
};

/// Opens a file, plain or compressed with gzip. Throws InvalidInput if it cannot be opened.
std::unique_ptr<ByteSource> open_file_bytes(const std::filesystem::path& file);

/// Opens the array `entry` of a NumPy archive FILE.npz: its member `entry`.npy, stored or deflated. If there is no such
/// member, throws InvalidInput that lists the archive's arrays.
std::unique_ptr<ByteSource> open_npz_bytes(const std::filesystem::path& file, const std::string& entry);

}  // namespace crescendo::datasets
