#include "launch/journal/journal.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "core/check.hpp"
#include "launch/files/read_file.hpp"
#include "launch/process/shell.hpp"
#include "tests/error_of.hpp"
#include "tests/failing_disk.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::FailingDisk;
using crescendo::tests::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// A journal with a header and three events.
std::string write_example(const fs::path& path) {
    auto journal = Journal::create(path, {{"sweep", "example"}});
    journal.append({{"event", "trial_reported"}, {"loss", 0.1}});
    journal.append({{"event", "trial_finished"}});
    journal.sync();
    journal.append({{"event", "cancelled"}});
    journal.sync();
    return read_file(path);
}

std::size_t num_lines(const std::string& bytes) {
    return static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

std::string reading_error(const fs::path& path) {
    return tests::error_of([&] { Journal::read(path); });
}

/// Files of this process grow no larger than `bytes`: a write beyond is cut short, then fails, as on a full disk.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(FileSizeLimit&&) = delete;
    FileSizeLimit& operator=(FileSizeLimit&&) = delete;

  private:
    sighandler_t handler_;
    rlimit before_{};
};

}  // namespace

TEST_CASE("each line has its number first and its checksum last") {
    const TemporaryFolder folder;

    const auto bytes = write_example(folder / "journal.jsonl");

    // the checksums come from Python's zlib.crc32
    CHECK(bytes == R"({"n":0,"journal":"crescendo","version":2,"sweep":"example","crc":"bac491b6"})"
                   "\n"
                   R"({"n":1,"event":"trial_reported","loss":0.1,"crc":"b0b5be00"})"
                   "\n"
                   R"({"n":2,"event":"trial_finished","crc":"bbfd24b9"})"
                   "\n"
                   R"({"n":3,"event":"cancelled","crc":"db872332"})"
                   "\n");
}

TEST_CASE("appended records read back, also from a second writer") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    write_example(path);

    auto journal = Journal::open(path);
    journal.append({{"event", "time_up"}});
    journal.sync();

    const auto records = Journal::read(path);
    REQUIRE(records.size() == 5);
    CHECK(records[1]["loss"] == 0.1);
    CHECK(records[4]["n"] == 4);
    CHECK(records[4]["event"] == "time_up");
}

TEST_CASE("a record is on disk after sync, not before") {
    const TemporaryFolder folder;
    auto journal = Journal::create(folder / "journal.jsonl");

    journal.append({{"event", "time_up"}});
    CHECK(Journal::read(folder / "journal.jsonl").size() == 1);

    journal.sync();
    CHECK(Journal::read(folder / "journal.jsonl").size() == 2);
}

TEST_CASE("a journal torn at any byte keeps its whole lines and can be appended to") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    const auto header_size = whole.find('\n') + 1;
    for (auto size = header_size; size <= whole.size(); ++size) {
        CAPTURE(size);
        const auto torn = whole.substr(0, size);
        write_file(path, torn);

        CHECK(Journal::read(path).size() == num_lines(torn));
        CHECK(read_file(path) == torn);  // a reader changes nothing

        auto journal = Journal::open(path);
        CHECK(read_file(path) == torn.substr(0, torn.rfind('\n') + 1));
        journal.append({{"event", "time_up"}});
        journal.sync();
        const auto records = Journal::read(path);
        CHECK(records.size() == num_lines(torn) + 1);
        CHECK(records.back()["event"] == "time_up");
    }
}

TEST_CASE("a last line of zeros or of wrong bytes counts as torn too") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    for (const auto& tail :
         {std::string(100, '\0'), std::string("{\"n\":4,\"crc\":\"00000000\"}\n"), std::string("\n")}) {
        write_file(path, whole + tail);

        Journal::open(path);

        CHECK(read_file(path) == whole);
    }
}

TEST_CASE("a journal torn in its header counts as never begun") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    for (std::size_t size = 0; size < whole.find('\n') + 1; ++size) {
        write_file(path, whole.substr(0, size));

        CHECK_THROWS_AS(Journal::open(path), InvalidInput);
        CHECK(reading_error(path) == path.string() +
                                         ": has no complete line: its sweep was interrupted as it started, and nothing "
                                         "was trained; remove the sweep's folder and run the sweep again");
    }
}

TEST_CASE("a changed byte anywhere before the last line is detected, and the file stays as it is") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    const auto last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t i = 0; i + 1 < last_line; ++i) {
        CAPTURE(i);
        auto damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x01);
        write_file(path, damaged);

        CHECK_THROWS_AS(Journal::read(path), InvalidInput);
        CHECK_THROWS_AS(Journal::open(path), InvalidInput);
        CHECK(read_file(path) == damaged);
    }
}

TEST_CASE("a changed byte is also detected if the file was read up to the end of that line") {
    constexpr std::size_t read_at_once = 1 << 18;
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto write_line = [&](std::size_t length) {
        auto journal = Journal::create(path);
        journal.append({{"text", std::string(length, 'x')}});
        journal.sync();
        return read_file(path);
    };
    const auto others = write_line(0).size();
    fs::remove(path);
    auto bytes = write_line(read_at_once - others);
    REQUIRE(bytes.size() == read_at_once);
    bytes[read_at_once / 2] = 'y';
    write_file(path, bytes + "more\n");

    CHECK_THROWS_WITH_AS(Journal::read(path), doctest::Contains("the checksum does not match the line"), InvalidInput);
}

TEST_CASE("the error for damage gives its line and a remedy") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    auto bytes = write_example(path);
    bytes.replace(bytes.find("0.1"), 3, "0.2");
    write_file(path, bytes);

    const auto p = path.string();
    CHECK(reading_error(path) ==
          p +
              ":2: the checksum does not match the line: the file was changed or its disk is damaged, so the rest "
              "cannot be trusted; restore the file from a copy, or go back to the state before this line: head -n 1 " +
              p + " > " + p + ".kept && mv " + p + ".kept " + p);
}

TEST_CASE("the command that goes back before the damage works for any path") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "Ann's runs");
    const auto path = folder / "Ann's runs" / "journal.jsonl";
    const auto whole = write_example(path);
    auto bytes = whole;
    bytes.replace(bytes.find("0.1"), 3, "0.2");
    write_file(path, bytes);
    const auto error = reading_error(path);

    const auto ran = run_tool({"sh", "-c", error.substr(error.find("head -n"))});

    CHECK_MESSAGE(ran.success(), ran.output);
    CHECK(read_file(path) == whole.substr(0, whole.find('\n') + 1));
}

TEST_CASE("a missing or repeated line is damage, also at the end") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    const auto second = whole.find('\n') + 1;
    const auto third = whole.find('\n', second) + 1;

    write_file(path, whole.substr(0, second) + whole.substr(third));
    CHECK(reading_error(path).find(":2: the line should have the number 1") != std::string::npos);

    const auto last_line = whole.rfind('\n', whole.size() - 2) + 1;
    write_file(path, whole + whole.substr(last_line));
    CHECK(reading_error(path).find(":5: the line should have the number 4") != std::string::npos);
}

TEST_CASE("missing lines 1 to 9 are damage, although line 10 begins like line 1") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    write_example(path);
    auto journal = Journal::open(path);
    for (int line = 4; line <= 10; ++line) {
        journal.append({{"event", "time_up"}});
    }
    journal.sync();
    const auto whole = read_file(path);

    write_file(path, whole.substr(0, whole.find('\n') + 1) + whole.substr(whole.rfind('\n', whole.size() - 2) + 1));

    CHECK(reading_error(path).find(":2: the line should have the number 1") != std::string::npos);
}

TEST_CASE("a full disk leaves the journal as it was, and sync can be tried again") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto before = write_example(path);
    auto journal = Journal::open(path);
    journal.append({{"event", "trial_finished"}, {"trial", 1}});
    journal.append({{"event", "trial_finished"}, {"trial", 2}});
    for (std::size_t room = 0; room < 100; room += 7) {
        CAPTURE(room);
        const FileSizeLimit limit(before.size() + room);  // the batch needs more than 100 bytes

        CHECK_THROWS_AS(journal.sync(), DirectoryError);
        CHECK(read_file(path) == before);
    }

    journal.sync();

    CHECK(Journal::read(path).size() == 6);
    CHECK(Journal::open(path).read(path).back()["trial"] == 2);
}

TEST_CASE("the rest of a partly written batch is overwritten if it could not be removed") {
    const FileDescriptor file(::memfd_create("journal", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const fs::path path = "/proc/self/fd/" + std::to_string(file.get());
    const TemporaryFolder folder;
    const auto before = write_example(folder / "journal.jsonl");
    write_file(path, before);
    REQUIRE(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    auto journal = Journal::open(path);
    journal.append({{"event", "cancelled"}});
    {
        const FileSizeLimit limit(before.size() + 7);
        CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("and the partial write could not be removed"),
                             DirectoryError);
    }
    CHECK(read_file(path).size() == before.size() + 7);

    journal.sync();

    CHECK(Journal::read(path).size() == 5);
    journal.append({{"event", "cancelled"}});
    std::ofstream(path, std::ios::app) << "x";  // of another writer: nothing of ours is left to overwrite
    CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("was changed by another process"), DirectoryError);
}

TEST_CASE("a failing disk leaves the journal as it was, and once it is fixed everything is written again") {
    FailingDisk disk;
    if (!disk) {
        return;
    }
    const auto path = disk.path() / "journal.jsonl";
    const auto before = write_example(path);
    {
        auto journal = Journal::open(path);
        for (int trial = 0; trial < 400; ++trial) {  // more than a block, and more than a page
            journal.append({{"event", "trial_finished"}, {"trial", trial}});
        }

        disk.fail();
        CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("Input/output error"), DirectoryError);
        CHECK(read_file(path) == before);
        disk.mend();
        journal.sync();
    }
    disk.restart();

    CHECK(Journal::read(path).size() == 404);
}

TEST_CASE("records of a killed writer are discarded if they are only in memory because the disk failed") {
    FailingDisk disk;
    if (!disk) {
        return;
    }
    const auto path = disk.path() / "journal.jsonl";
    const auto on_disk = write_example(path);
    const auto copy = disk.folder() / "copy.jsonl";
    fs::copy(path, copy);
    auto writer = Journal::open(copy);
    for (int trial = 0; trial < 400; ++trial) {
        writer.append({{"event", "trial_finished"}, {"trial", trial}});
    }
    writer.sync();

    std::ofstream(path, std::ios::app) << read_file(copy).substr(on_disk.size());  // and killed, without a sync
    disk.fail();
    const auto file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    CHECK((::fdatasync(file) == -1 && errno == EIO));  // as the kernel finds out by itself, sooner or later
    ::close(file);
    disk.mend();
    REQUIRE(read_file(path) == read_file(copy));  // from memory
    {
        auto journal = Journal::open(path);
        journal.append({{"event", "time_up"}});
        journal.sync();
    }
    disk.restart();

    const auto records = Journal::read(path);
    CHECK(records.size() == num_lines(on_disk) + 1);
    CHECK(records.back()["event"] == "time_up");
}

TEST_CASE("a moved journal is not written to, and continues once it is back") {
    const TemporaryFolder folder;
    auto journal = Journal::create(folder / "journal.jsonl");
    journal.append({{"a", 1}});
    fs::rename(folder / "journal.jsonl", folder / "elsewhere");

    CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("is no longer there"), DirectoryError);
    CHECK(Journal::read(folder / "elsewhere").size() == 1);  // the header
    fs::rename(folder / "elsewhere", folder / "journal.jsonl");
    journal.sync();

    CHECK(Journal::read(folder / "journal.jsonl").size() == 2);
}

TEST_CASE("a journal whose place another file has taken is not written to") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    auto journal = Journal::create(path);
    journal.append({{"a", 1}});
    fs::rename(path, folder / "elsewhere");
    fs::copy_file(folder / "elsewhere", path);

    CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("is no longer there"), DirectoryError);
}

TEST_CASE("a journal whose place cannot be looked at is not mistaken for a moved one") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "s");
    auto journal = Journal::create(folder / "s/journal.jsonl");
    journal.append({{"a", 1}});
    fs::rename(folder / "s", folder / "elsewhere");
    fs::create_symlink("s", folder / "s");  // any error but that the file is gone

    CHECK_THROWS_WITH_AS(journal.sync(), doctest::Contains("journal.jsonl: Too many levels of symbolic links; "),
                         DirectoryError);
}

TEST_CASE("a writer does not overwrite the records of another writer") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    write_example(path);
    auto first = Journal::open(path);
    auto second = Journal::open(path);
    first.append({{"event", "time_up"}});
    first.sync();
    const auto before = read_file(path);
    second.append({{"event", "trial_finished"}, {"trial", 1}});

    CHECK_THROWS_WITH_AS(second.sync(), doctest::Contains("was changed by another process"), DirectoryError);
    CHECK(read_file(path) == before);
    first.append({{"event", "cancelled"}});
    first.sync();

    CHECK(Journal::read(path).size() == 6);
}

TEST_CASE("a truncated journal is not written to beyond its new end") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);
    auto journal = Journal::open(path);
    const auto second = whole.find('\n') + 1;
    fs::resize_file(path, second);
    journal.append({{"event", "time_up"}});

    CHECK_THROWS_AS(journal.sync(), DirectoryError);

    CHECK(read_file(path) == whole.substr(0, second));
}

TEST_CASE("a journal that could not be created leaves no file behind") {
    const TemporaryFolder folder;
    {
        const FileSizeLimit limit(10);
        CHECK_THROWS_AS(Journal::create(folder / "journal.jsonl"), DirectoryError);
    }
    CHECK_FALSE(fs::exists(folder / "journal.jsonl"));
    CHECK_THROWS_AS(Journal::create(folder / "nowhere/journal.jsonl"), DirectoryError);
}

TEST_CASE("a journal is not overwritten") {
    const TemporaryFolder folder;
    const auto before = write_example(folder / "journal.jsonl");

    CHECK_THROWS_WITH_AS(Journal::create(folder / "journal.jsonl"), doctest::Contains("resume it"), InvalidInput);
    CHECK(read_file(folder / "journal.jsonl") == before);
}

TEST_CASE("another file, a newer version and a missing file have different errors") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";

    write_file(path, "name: example\nmetric: x\n");
    CHECK(reading_error(path) == path.string() +
                                     ":1: the checksum does not match the line: this is not a Crescendo journal, "
                                     "or it is damaged; restore it from a copy");

    Journal::create(folder / "newer.jsonl", {{"version", 3}});
    CHECK(reading_error(folder / "newer.jsonl") == (folder / "newer.jsonl").string() +
                                                       ":1: the journal has version 3, but this crescendo reads only "
                                                       "up to 2; use the newer crescendo that wrote it");

    CHECK(reading_error(folder / "none.jsonl") ==
          "cannot read " + (folder / "none.jsonl").string() + ": No such file or directory");
}

TEST_CASE("text that is not UTF-8 does not stop the journal") {
    const TemporaryFolder folder;
    auto journal = Journal::create(folder / "journal.jsonl");

    journal.append({{"message", "caf\xE9"}});
    journal.sync();

    CHECK(Journal::read(folder / "journal.jsonl")[1]["message"] == "caf\xEF\xBF\xBD");
}

TEST_CASE("a line gives its members as text, without number and checksum") {
    const TemporaryFolder folder;
    write_example(folder / "journal.jsonl");

    std::vector<std::string> members;
    Journal::read(folder / "journal.jsonl", [&](const Journal::Line& line) { members.emplace_back(line.members()); });

    REQUIRE(members.size() == 4);
    CHECK(members[1] == R"("event":"trial_reported","loss":0.1)");
    CHECK(members[3] == R"("event":"cancelled")");
}

TEST_CASE("the header can be read alone, with the same errors as for the whole journal") {
    const TemporaryFolder folder;
    const auto path = folder / "journal.jsonl";
    const auto whole = write_example(path);

    CHECK(Journal::read_header(path)["sweep"] == "example");
    write_file(path, whole.substr(0, 10));
    CHECK_THROWS_WITH_AS(Journal::read_header(path), doctest::Contains("has no complete line"), InvalidInput);
    write_file(path, "x" + whole);
    CHECK_THROWS_WITH_AS(Journal::read_header(path), doctest::Contains(":1: the checksum"), InvalidInput);
}
