#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The append-only log of a sweep, and the only source of truth about it.
///
/// Each line is a JSON object, `{"n":12,…,"crc":"9ae1b2c3"}`: "n" counts the lines from 0, and "crc" is the CRC-32 of
/// the line's bytes before `,"crc"`. Line 0 is a header, `{"n":0,"journal":"crescendo","version":2,…}`. (Journals of
/// version 1 lack the configurations of trials and the keys of the sweep's file.) A record must not have the keys "n"
/// and "crc". A crash may leave an incomplete last line, which is dropped. Any other line that fails the check is
/// damage, reported as an InvalidInput that names the line.
///
/// There is one writer at a time: the caller must hold the sweep's lock. Not thread-safe.
class Journal {
  public:
    /// Starts a journal whose header also has the members of the object `header`. It is on disk when the function
    /// returns. `permissions` are those of the file, before the umask. Throws InvalidInput if the file exists,
    /// DirectoryError if it cannot be written.
    static Journal create(const std::filesystem::path& path, const OrderedJson& header = OrderedJson::object(),
                          std::filesystem::perms permissions = for_all);

    /// The end of the last complete line.
    struct End {
        std::uint64_t length = 0;  ///< bytes
        std::uint64_t num_records = 0;
    };

    /// A complete record. It is valid only while `take` runs.
    class Line {
      public:
        /// The text of its members without "n" and "crc".
        std::string_view members() const { return members_; }

        /// The record, "n" and "crc" included. Throws InvalidInput if the line is not a JSON object.
        Json json() const;

      private:
        friend class Journal;
        Line(const std::filesystem::path& path, std::size_t index, std::string_view text);

        const std::filesystem::path& path_;
        std::size_t index_;
        std::string_view text_;
        std::string_view members_;
    };

    /// Passes every complete record to `take`, the header first. Safe while a writer appends. Holds only a part of the
    /// file in memory. An InvalidInput or JSON error of `take` becomes an InvalidInput that names file and line.
    static End read(const std::filesystem::path& path, const std::function<void(const Line&)>& take);

    /// Reads all complete records at once, the header first. For journals that fit into memory.
    static std::vector<Json> read(const std::filesystem::path& path);

    /// Reads only the first record.
    static Json read_header(const std::filesystem::path& path);

    /// As read(), but reads what is on disk rather than in the page cache; for the process that continues the journal.
    /// After a disk error, the cache may hold data that never reached the disk but counts as written, so that no later
    /// sync would write it.
    static End recover(const std::filesystem::path& path, const std::function<void(const Line&)>& take);

    /// Continues a journal after `end`, which recover() returned.
    static Journal open(const std::filesystem::path& path, End end);

    /// Continues a journal whose records the caller does not need.
    static Journal open(const std::filesystem::path& path);

    /// Adds a record to the batch that the next sync() writes.
    void append(const OrderedJson& record);

    /// Adds a record to the batch, given the text of its members, such as `"event":"time_up","time":1.5`. The text is
    /// not checked.
    void append_members(std::string_view members);

    /// Writes the batch to disk with one write. On DirectoryError the file is unchanged and the batch is kept, so
    /// sync() may be called again. Also throws DirectoryError if another process has changed the file in the meantime.
    void sync();

  private:
    Journal(std::filesystem::path path, FileDescriptor file, End end);

    std::filesystem::path path_;
    FileDescriptor file_;
    End end_;  ///< length: bytes that are certainly on disk; num_records: records of the file and of the batch
    std::string batch_;
    bool has_remains_ = false;  ///< the beginning of the batch may follow those bytes in the file
};

}  // namespace crescendo::launch
