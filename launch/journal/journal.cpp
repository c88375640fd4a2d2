#include "launch/journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/crc32.hpp"
#include "core/shell_words.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/trial_report.hpp"

namespace crescendo::launch {
namespace {

constexpr int current_version = 2;

/// The rest of a line, from the checksum's comma.
std::string seal(std::string_view body) { return fmt::format(R"(,"crc":"{:08x}"}})", crc32(body)); }

constexpr std::size_t seal_size = std::string_view(R"(,"crc":"9ae1b2c3"})").size();

bool is_sealed(std::string_view line) {
    return line.size() > seal_size && line.ends_with(seal(line.substr(0, line.size() - seal_size)));
}

/// Reads the lines of a file with only a part of it in memory.
class Lines {
  public:
    explicit Lines(const std::filesystem::path& path) : path_(path), file_(open_regular_file(path)) {}

    /// The next line that ends in a line feed, without the line feed. Valid until the next call.
    std::optional<std::string_view> next() {
        std::size_t end;
        for (std::size_t searched = 0; (end = piece_.find('\n', begin_ + searched)) == std::string::npos;) {
            searched = piece_.size() - begin_;
            if (!fill()) {
                return std::nullopt;
            }
        }
        const auto begin = std::exchange(begin_, end + 1);
        return std::string_view(piece_).substr(begin, end - begin);
    }

    /// Whether nothing follows the last line.
    bool at_end() { return begin_ == piece_.size() && !fill(); }

  private:
    bool fill() {
        constexpr std::size_t step = 1 << 18;
        piece_.erase(0, std::exchange(begin_, 0));
        const auto size = piece_.size();
        piece_.resize(size + step);
        ssize_t count;
        while ((count = ::read(file_.get(), piece_.data() + size, step)) < 0 && errno == EINTR) {}
        if (count < 0) {
            cannot_read(path_, errno);
        }
        piece_.resize(size + static_cast<std::size_t>(count));
        return count > 0;
    }

    std::filesystem::path path_;
    FileDescriptor file_;
    std::string piece_;
    std::size_t begin_ = 0;  ///< start of the next line in the piece
};

[[noreturn]] void damaged(const std::filesystem::path& path, std::size_t index, std::string_view problem) {
    const auto file = path.string();
    CRESCENDO_VALIDATE(index > 0, "",
                       "{}:1: {}: this is not a Crescendo journal, or it is damaged; restore it from a copy", file,
                       problem);
    throw InvalidInput(fmt::format(
        "{0}:{1}: {2}: the file was changed or its disk is damaged, so the rest cannot be trusted; restore the file "
        "from a copy, or go back to the state before this line: head -n {3} {4} > {5} && mv {5} {4}",
        file, index + 1, problem, index, shell_quoted(file), shell_quoted(file + ".kept")));
}

/// Called while an error about a whole record is handled: adds the place, unless the error names it.
[[noreturn]] void does_not_fit(const std::filesystem::path& path, std::size_t index, const std::string& problem) {
    if (problem.starts_with(path.string())) {
        throw;
    }
    throw InvalidInput(
        fmt::format("{}:{}: the record cannot be applied: {}; if a newer crescendo wrote it, use that "
                    "one, else restore the file from a copy",
                    path.string(), index + 1, problem));
}

void check_header(const std::filesystem::path& path, const Json& header) {
    if (!header.contains("journal") || header["journal"] != "crescendo" || !header.contains("version") ||
        !header["version"].is_number_integer()) {
        throw InvalidInput(fmt::format(
            "{}:1: this is not the header of a Crescendo journal; give the folder of a sweep", path.string()));
    }
    if (header["version"] > current_version) {
        throw InvalidInput(
            fmt::format("{}:1: the journal has version {}, but this crescendo reads only up to {}; use the newer "
                        "crescendo that wrote it",
                        path.string(), header["version"].dump(), current_version));
    }
}

void require_begun(const std::filesystem::path& path, bool has_header) {
    if (!has_header) {
        throw InvalidInput(
            fmt::format("{}: has no complete line: its sweep was interrupted as it started, and nothing was trained; "
                        "remove the sweep's folder and run the sweep again",
                        path.string()));
    }
}

/// Writes all bytes. Returns 0 or the errno of the failure.
int write_at(int fd, std::string_view bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
        const auto written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            offset += static_cast<std::uint64_t>(written);
        }
    }
    return ::fdatasync(fd) == 0 ? 0 : errno;
}

/// Makes the kernel write what it still has to write, and then drop its cache of the file.
void forget_cache(const std::filesystem::path& path) {
    if (const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); file) {
        ::fdatasync(file.get());  // a failure does not matter: what is on disk counts
        ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    }
}

/// The length of the open file; nothing if `path` does not name it any more. A file whose name or folder is gone
/// accepts all writes, but nobody will ever read them. Throws DirectoryError if the disk does not tell.
std::optional<std::uint64_t> length_in_place(const std::filesystem::path& path, int file) {
    struct stat named {};
    struct stat open {};
    const bool is_known = ::stat(path.c_str(), &named) == 0 && ::fstat(file, &open) == 0;
    if (!is_known && errno != ENOENT && errno != ENOTDIR && errno != ESTALE) {
        throw DirectoryError(std::system_error(errno, std::generic_category(), "cannot write " + path.string()));
    }
    const bool is_in_place = is_known && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
    return is_in_place ? std::optional(static_cast<std::uint64_t>(open.st_size)) : std::nullopt;
}

}  // namespace

Journal::Journal(std::filesystem::path path, FileDescriptor file, End end)
    : path_(std::move(path)), file_(std::move(file)), end_(end) {}

Journal Journal::create(const std::filesystem::path& path, const OrderedJson& header,
                        std::filesystem::perms permissions) {
    OrderedJson first = {{"journal", "crescendo"}, {"version", current_version}};
    first.update(header);
    FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(permissions)));
    if (!file && errno == EEXIST) {
        throw InvalidInput(fmt::format(
            "{} exists: a sweep was started here; resume it, or choose another folder with --dir", path.string()));
    }
    if (!file) {
        throw DirectoryError(std::system_error(errno, std::generic_category(), "cannot create " + path.string()));
    }
    Journal journal(path, std::move(file), End{});
    try {
        journal.append(first);
        journal.sync();
        sync_to_disk(path.parent_path());  // else a machine crash can lose the new file's name
    } catch (const DirectoryError&) {
        ::unlink(path.c_str());
        throw;
    } catch (const WriteError& error) {
        ::unlink(path.c_str());
        throw DirectoryError(error);
    }
    return journal;
}

/// `text` has a valid checksum.
Journal::Line::Line(const std::filesystem::path& path, std::size_t index, std::string_view text)
    : path_(path), index_(index), text_(text), members_(text.substr(0, text.size() - seal_size)) {
    const auto head = fmt::format(R"({{"n":{})", index);
    if (!members_.starts_with(head) || (members_.size() > head.size() && members_[head.size()] != ',')) {
        damaged(path_, index_, fmt::format("the line should have the number {}", index_));
    }
    members_.remove_prefix(std::min(members_.size(), head.size() + 1));
}

Json Journal::Line::json() const {
    auto record = Json::parse(text_, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) {
        damaged(path_, index_, "the line is not a JSON object");
    }
    return record;
}

Journal::End Journal::read(const std::filesystem::path& path, const std::function<void(const Line&)>& take) {
    End end;
    Lines lines(path);
    while (const auto text = lines.next()) {
        const auto size = text->size() + 1;
        if (!is_sealed(*text)) {
            if (lines.at_end()) {
                break;
            }
            damaged(path, end.num_records, "the checksum does not match the line");
        }
        const Line line(path, end.num_records, *text);
        if (end.num_records == 0) {
            check_header(path, line.json());
        }
        try {
            take(line);
        } catch (const InvalidInput& error) {
            does_not_fit(path, end.num_records, error.what());
        } catch (const Json::exception& error) {  // a value has the wrong type
            does_not_fit(path, end.num_records, plain(error));
        }
        ++end.num_records;
        end.length += size;
    }
    require_begun(path, end.num_records > 0);
    return end;
}

Json Journal::read_header(const std::filesystem::path& path) {
    Lines lines(path);
    const auto text = lines.next();
    const bool is_whole = text && is_sealed(*text);
    require_begun(path, is_whole || (text && !lines.at_end()));
    if (!is_whole) {
        damaged(path, 0, "the checksum does not match the line");
    }
    auto header = Line(path, 0, *text).json();
    check_header(path, header);
    return header;
}

std::vector<Json> Journal::read(const std::filesystem::path& path) {
    std::vector<Json> records;
    read(path, [&](const Line& line) { records.push_back(line.json()); });
    return records;
}

Journal::End Journal::recover(const std::filesystem::path& path, const std::function<void(const Line&)>& take) {
    forget_cache(path);
    return read(path, take);
}

Journal Journal::open(const std::filesystem::path& path, End end) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(end.length)) != 0) {
        cannot_open(path);
    }
    return {path, std::move(file), end};
}

Journal Journal::open(const std::filesystem::path& path) {
    return open(path, recover(path, [](const Line&) {}));
}

void Journal::append(const OrderedJson& record) {
    CRESCENDO_EXPECT(record.is_object() && !record.contains("n") && !record.contains("crc"));
    // A trainer's message may have bytes that are not UTF-8; they must not cost the sweep its journal.
    const auto object = one_line(record);
    append_members(std::string_view(object).substr(1, object.size() - 2));
}

void Journal::append_members(std::string_view members) {
    const auto begin = batch_.size();
    fmt::format_to(std::back_inserter(batch_), R"({{"n":{}{}{})", end_.num_records, members.empty() ? "" : ",",
                   members);
    batch_ += seal(std::string_view(batch_).substr(begin));
    batch_ += '\n';
    ++end_.num_records;
}

void Journal::sync() {
    if (batch_.empty()) {
        return;
    }
    const auto length = length_in_place(path_, file_.get());
    if (!length) {
        throw DirectoryError(path_.string() + ": is no longer there", "put it back where it was");
    }
    // A process that stood still for long may have a successor, whose records must not be overwritten.
    if (*length < end_.length || *length > end_.length + (has_remains_ ? batch_.size() : 0)) {
        throw DirectoryError(path_.string() + ": was changed by another process",
                             "check with `crescendo status` whether a process is running the sweep; if none is");
    }
    if (const int error = write_at(file_.get(), batch_, end_.length); error != 0) {
        // If truncating fails as well, the next sync() overwrites the remains, which are the beginning of its batch. A
        // reader accepts them correctly: complete lines of events that did happen, and a torn tail.
        has_remains_ = ::ftruncate(file_.get(), static_cast<off_t>(end_.length)) != 0;
        throw DirectoryError(fmt::format("cannot write {}: {}{}", path_.string(), std::strerror(error),
                                         has_remains_ ? " (and the partial write could not be removed)" : ""));
    }
    has_remains_ = false;
    end_.length += batch_.size();
    batch_.clear();
}

}  // namespace crescendo::launch
