#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/record/directory_error.hpp"
#include "launch/system/file_descriptor.hpp"

namespace crescendo::launch {

/// The append-only log of a sweep: the one source of truth.
///
/// One JSON object a line, `{"n":12,…,"crc":"9ae1b2c3"}`: "n" counts the lines from 0 and "crc" is the
/// CRC-32 of the line's bytes before `,"crc"`. Line 0 is a header, `{"n":0,"journal":"crescendo","version":2,…}`. (Of
/// version 1 are journals without the configurations of trials and the keys of the sweep's file.)
/// Neither key may be in a record. A last line that is not whole is what a crash leaves behind and is
/// dropped; anything else that does not check is damage, and an InvalidInput that names the line.
///
/// One writer at a time: the caller holds the sweep's lock. Not for use by several threads at once.
class Journal {
  public:
    /// Starts a journal whose header has the members of the object `header` too; it is on disk on return.
    /// Throws InvalidInput where the file exists, DirectoryError where it cannot be written.
    static Journal create(const std::filesystem::path& path, const OrderedJson& header = OrderedJson::object());

    /// Where the last whole line ends.
    struct End {
        std::uint64_t length = 0;  ///< bytes
        std::uint64_t num_records = 0;
    };

    /// A whole record, as long as it is being taken.
    class Line {
      public:
        /// The text of its members without "n" and "crc".
        std::string_view members() const { return members_; }

        /// The record, "n" and "crc" included. Throws InvalidInput where the line is no JSON object.
        Json json() const;

      private:
        friend class Journal;
        Line(const std::filesystem::path& path, std::size_t index, std::string_view text);

        const std::filesystem::path& path_;
        std::size_t index_;
        std::string_view text_;
        std::string_view members_;
    };

    /// Gives every whole record to `take`, the header first. Safe while a writer appends. Holds a piece of the file at
    /// a time.
    static End read(const std::filesystem::path& path, const std::function<void(const Line&)>& take);

    /// The same, all at once: for journals of which much else is kept in memory.
    static std::vector<Json> read(const std::filesystem::path& path);

    /// The first record alone.
    static Json read_header(const std::filesystem::path& path);

    /// The same, of what is on the disk and not in memory alone: for whoever goes on with the journal. A disk that
    /// failed leaves in memory what it never got, marked as written, and no later sync would make up for that.
    static End recover(const std::filesystem::path& path, const std::function<void(const Line&)>& take);

    /// Goes on with a journal behind its end, which recover() told.
    static Journal open(const std::filesystem::path& path, End end);

    /// The same, where nobody wants to know what is in it.
    static Journal open(const std::filesystem::path& path);

    /// Adds a record to the batch that the next sync() writes.
    void append(const OrderedJson& record);

    /// The same, given the text of the record's members: `"event":"time_up","time":1.5`. Nothing is checked.
    void append_members(std::string_view members);

    /// Puts the batch on disk with one write. On DirectoryError the file is as it was before, and the
    /// batch is kept: sync() may be tried again.
    void sync();

  private:
    Journal(std::filesystem::path path, FileDescriptor file, End end);

    std::filesystem::path path_;
    FileDescriptor file_;
    End end_;  ///< length: on disk for certain; num_records: in the file and in the batch
    std::string batch_;
};

}  // namespace crescendo::launch
