#include "launch/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "launch/crc32.hpp"
#include "launch/read_file.hpp"

namespace crescendo::launch {
namespace {

constexpr int current_version = 1;

/// From the checksum's comma to the end of a line.
std::string seal(std::string_view body) { return fmt::format(R"(,"crc":"{:08x}"}})", crc32(body)); }

constexpr std::size_t seal_size = std::string_view(R"(,"crc":"9ae1b2c3"})").size();

bool is_sealed(std::string_view line) {
    return line.size() > seal_size && line.ends_with(seal(line.substr(0, line.size() - seal_size)));
}

/// The whole lines of a journal, up to a torn one at its end.
struct Contents {
    std::vector<Json> records;
    std::size_t length = 0;  ///< bytes of these lines
};

[[noreturn]] void damaged(const std::filesystem::path& path, std::size_t index, std::string_view problem) {
    const auto file = path.string();
    CRESCENDO_VALIDATE(index > 0, "",
                       "{}:1: {}: this is not a journal of crescendo, or it is damaged; restore it from a copy", file,
                       problem);
    throw InvalidInput(fmt::format(
        "{0}:{1}: {2}: the file was changed or its disk is damaged, and what follows cannot be trusted; restore the "
        "file from a copy, or go back to the state before this line: head -n {3} '{0}' > '{0}.kept' && mv '{0}.kept' "
        "'{0}'",
        file, index + 1, problem, index));
}

void check_header(const std::filesystem::path& path, const Json& header) {
    if (!header.contains("journal") || header["journal"] != "crescendo" || !header.contains("version") ||
        !header["version"].is_number_integer()) {
        throw InvalidInput(fmt::format(
            "{}:1: this is not the header of a journal of crescendo; give the folder of a sweep", path.string()));
    }
    if (header["version"] > current_version) {
        throw InvalidInput(
            fmt::format("{}:1: the journal has version {} and this crescendo reads up to {}: a newer crescendo wrote "
                        "it; use that one",
                        path.string(), header["version"].dump(), current_version));
    }
}

Contents parse(const std::filesystem::path& path, std::string_view bytes) {
    Contents contents;
    for (std::size_t end; (end = bytes.find('\n', contents.length)) != std::string_view::npos;
         contents.length = end + 1) {
        const auto line = bytes.substr(contents.length, end - contents.length);
        const auto index = contents.records.size();
        auto record = is_sealed(line) ? Json::parse(line, nullptr, /*allow_exceptions=*/false) : Json();
        if (!record.is_object()) {
            if (end + 1 == bytes.size()) {
                break;
            }
            damaged(path, index, "the checksum does not match the line");
        }
        if (!record.contains("n") || record["n"] != index) {
            damaged(path, index, fmt::format("the line should have the number {}", index));
        }
        contents.records.push_back(std::move(record));
    }
    if (contents.records.empty()) {
        throw InvalidInput(fmt::format(
            "{}: holds no whole line: its sweep was interrupted as it began, and nothing was trained; remove the "
            "sweep's folder and run it again",
            path.string()));
    }
    check_header(path, contents.records.front());
    return contents;
}

/// 0, or the errno of what went wrong.
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

/// Without this a crash of the machine can lose the new file's name.
void sync_directory(const std::filesystem::path& directory) {
    const FileDescriptor fd(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) {
        throw JournalError(fmt::format("cannot sync the folder {}: {}", directory.string(), std::strerror(errno)));
    }
}

}  // namespace

Journal::Journal(std::filesystem::path path, FileDescriptor file, std::uint64_t length, std::uint64_t num_records)
    : path_(std::move(path)), file_(std::move(file)), length_(length), num_records_(num_records) {}

Journal Journal::create(const std::filesystem::path& path, const OrderedJson& header) {
    OrderedJson first = {{"journal", "crescendo"}, {"version", current_version}};
    first.update(header);
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file && errno == EEXIST) {
        throw InvalidInput(fmt::format(
            "{} exists: a sweep was begun here; resume it, or choose another folder with --dir", path.string()));
    }
    if (!file) {
        throw JournalError(fmt::format("cannot create {}: {}", path.string(), std::strerror(errno)));
    }
    Journal journal(path, std::move(file), 0, 0);
    try {
        journal.append(first);
        journal.sync();
        sync_directory(path.parent_path());
    } catch (const JournalError&) {
        ::unlink(path.c_str());
        throw;
    }
    return journal;
}

Journal Journal::open(const std::filesystem::path& path) {
    const auto contents = parse(path, read_file(path));
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(contents.length)) != 0) {
        throw JournalError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
    }
    return {path, std::move(file), contents.length, contents.records.size()};
}

std::vector<Json> Journal::read(const std::filesystem::path& path) { return parse(path, read_file(path)).records; }

void Journal::append(const OrderedJson& record) {
    CRESCENDO_EXPECT(record.is_object() && !record.contains("n") && !record.contains("crc"));
    // A trainer's message may hold bytes that are not UTF-8: they must not cost the sweep its journal.
    const auto object = record.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    const auto members = std::string_view(object).substr(1, object.size() - 2);
    const auto body = fmt::format(R"({{"n":{}{}{})", num_records_, members.empty() ? "" : ",", members);
    batch_ += body;
    batch_ += seal(body);
    batch_ += '\n';
    ++num_records_;
}

void Journal::sync() {
    if (batch_.empty()) {
        return;
    }
    if (const int error = write_at(file_.get(), batch_, length_); error != 0) {
        // Should this fail as well, the next sync() overwrites the remains, and a reader takes them for what
        // they are: whole lines of events that did happen, and a torn tail.
        const bool restored = ::ftruncate(file_.get(), static_cast<off_t>(length_)) == 0;
        throw JournalError(fmt::format("cannot write {}: {}{}; free some space or mend the disk, then resume the sweep",
                                       path_.string(), std::strerror(error),
                                       restored ? "" : " (and its end could not be cut off)"));
    }
    length_ += batch_.size();
    batch_.clear();
}

}  // namespace crescendo::launch
