#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace crescendo::datasets {

/// Bytes that are read from the first to the last.
class ByteSource {
  public:
    explicit ByteSource(std::string name) : name_(std::move(name)) {}
    virtual ~ByteSource() = default;

    /// For messages: "images.npy", "arrays.npz:images".
    const std::string& name() const { return name_; }

    /// Fills `out`. Throws InvalidInput where the bytes end before, or are damaged.
    virtual void read(std::span<std::byte> out) = 0;
    virtual void skip(std::int64_t num_bytes) = 0;

  private:
    std::string name_;
};

/// A file, plain or compressed with gzip. Throws InvalidInput where it cannot be opened.
std::unique_ptr<ByteSource> open_file_bytes(const std::filesystem::path& file);

/// The array `entry` of NumPy's archive of arrays, FILE.npz, that is its member `entry`.npy, stored or deflated. Throws
/// InvalidInput where there is none, and lists those there are.
std::unique_ptr<ByteSource> open_npz_bytes(const std::filesystem::path& file, const std::string& entry);

}  // namespace crescendo::datasets
