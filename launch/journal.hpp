#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch/file_descriptor.hpp"
#include "launch/json.hpp"

namespace crescendo::launch {

/// The journal could not be written: no space, a quota, an I/O error. Everything up to the last
/// successful sync() is safe, so the sweep can be resumed.
class JournalError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The append-only log of a sweep: the one source of truth.
///
/// One JSON object a line, `{"n":12,…,"crc":"9ae1b2c3"}`: "n" counts the lines from 0 and "crc" is the
/// CRC-32 of the line's bytes before `,"crc"`. Line 0 is a header, `{"n":0,"journal":"crescendo","version":1,…}`.
/// Neither key may be in a record. A last line that is not whole is what a crash leaves behind and is
/// dropped; anything else that does not check is damage, and an InvalidInput that names the line.
///
/// One writer at a time: the caller holds the sweep's lock. Not for use by several threads at once.
class Journal {
  public:
    /// Starts a journal whose header has the members of the object `header` too; it is on disk on return.
    /// Throws InvalidInput where the file exists, JournalError where it cannot be written.
    static Journal create(const std::filesystem::path& path, const OrderedJson& header = OrderedJson::object());

    /// Goes on with a journal, behind its last whole line.
    static Journal open(const std::filesystem::path& path);

    /// Every whole record, the header first, "n" and "crc" included. Safe while a writer appends.
    static std::vector<Json> read(const std::filesystem::path& path);

    /// Adds a record to the batch that the next sync() writes.
    void append(const OrderedJson& record);

    /// Puts the batch on disk with one write. On JournalError the file is as it was before, and the
    /// batch is kept: sync() may be tried again.
    void sync();

  private:
    Journal(std::filesystem::path path, FileDescriptor file, std::uint64_t length, std::uint64_t num_records);

    std::filesystem::path path_;
    FileDescriptor file_;
    std::uint64_t length_;       ///< bytes that are on disk for certain
    std::uint64_t num_records_;  ///< in the file and in the batch
    std::string batch_;
};

}  // namespace crescendo::launch
