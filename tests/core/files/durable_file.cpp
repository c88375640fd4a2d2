#include "core/files/durable_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/await.hpp"
#include "tests/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace crescendo;

namespace {

std::string content(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t num_temporaries(const fs::path& folder) {
    return std::ranges::count_if(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
        return entry.path().string().find(".pt.tmp") != std::string::npos;
    });
}

/// A process that rewrites `path` and is stopped in the middle of it.
class StandingWriter {
  public:
    explicit StandingWriter(const fs::path& path) {
        for (int attempt = 0; !stopped_in_the_midst(path); ++attempt) {
            REQUIRE(attempt < 100);
        }
    }

    /// Lets it continue. Returns whether it wrote the file.
    bool go_on() const {
        ::kill(pid_, SIGCONT);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return status == 0;
    }

  private:
    bool stopped_in_the_midst(const fs::path& path) {
        const std::string large(32 << 20, 'x');
        fs::remove(path);
        pid_ = ::fork();
        if (pid_ == 0) {
            try {
                replace_file(path, large);
                ::_exit(0);
            } catch (const WriteError&) {
                ::_exit(1);
            }
        }
        const auto is_writing = [&] { return num_temporaries(path.parent_path()) > 0; };
        tests::await("it begins", [&] { return is_writing() || fs::exists(path); });
        ::kill(pid_, SIGSTOP);
        int status = 0;
        ::waitpid(pid_, &status, WUNTRACED);
        if (!WIFSTOPPED(status)) {
            return false;  // it was too quick
        }
        if (is_writing()) {
            return true;
        }
        go_on();
        return false;
    }

    pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a file is replaced as a whole, and the remains of a killed writer are removed") {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "checkpoint.pt") << "old";
    std::ofstream(folder / "checkpoint.pt.tmp") << "half of what is longer than the next";

    replace_file(folder / "checkpoint.pt", "new");

    CHECK(content(folder / "checkpoint.pt") == "new");
    CHECK(num_temporaries(folder.path()) == 0);
}

TEST_CASE("a writer that stood still while another wrote the file does not touch it afterwards") {
    const tests::TemporaryFolder folder;
    const StandingWriter standing(folder / "checkpoint.pt");

    replace_file(folder / "checkpoint.pt", "new");

    CHECK_FALSE(standing.go_on());
    CHECK(content(folder / "checkpoint.pt") == "new");
}

TEST_CASE("a file that is written in pieces appears as a whole") {
    const tests::TemporaryFolder folder;

    replace_file(folder / "checkpoint.pt", [&](const Sink& sink) {
        sink("one, ");
        CHECK_FALSE(fs::exists(folder / "checkpoint.pt"));
        sink("two");
    });

    CHECK(content(folder / "checkpoint.pt") == "one, two");
}

TEST_CASE("if the new content cannot be made, the old file stays and no temporary file is left") {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "checkpoint.pt") << "old";

    CHECK_THROWS_AS(replace_file(folder / "checkpoint.pt",
                                 [](const Sink& sink) {
                                     sink("half");
                                     throw std::runtime_error("no more");
                                 }),
                    std::runtime_error);

    CHECK(content(folder / "checkpoint.pt") == "old");
    CHECK(num_temporaries(folder.path()) == 0);
}

TEST_CASE("a file that need not survive a crash of the machine is replaced as a whole, too") {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "params.json") << "{}, and more";

    replace_file(folder / "params.json", "{}", Durability::none);

    CHECK(content(folder / "params.json") == "{}");
}

TEST_CASE("files of others stay, even if they have the prefix of a temporary file") {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "best.csv.tmp-of-mine") << "mine";

    replace_file(folder / "best.csv", "new");

    CHECK(content(folder / "best.csv.tmp-of-mine") == "mine");
}

TEST_CASE("the error about a file that cannot be written names the file and the reason") {
    const tests::TemporaryFolder folder;

    CHECK_THROWS_WITH_AS(replace_file(folder / "none/file", "new"),
                         doctest::Contains("none/file: No such file or directory"), WriteError);
    CHECK_THROWS_WITH_AS(rename_durably(folder / "none", folder / "file"),
                         doctest::Contains("none: No such file or directory"), WriteError);
    CHECK_THROWS_WITH_AS(sync_to_disk(folder / "none"), doctest::Contains("cannot write"), WriteError);
}

TEST_CASE("files can be written on a file system that cannot sync folders") {
    sync_to_disk("/proc");  // it answers EINVAL, as some network file systems do
}

TEST_CASE("a complete file replaces another") {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "file.part") << "new";
    std::ofstream(folder / "file") << "old";

    rename_durably(folder / "file.part", folder / "file");

    CHECK(content(folder / "file") == "new");
    CHECK_FALSE(fs::exists(folder / "file.part"));
}

TEST_CASE("a file has the requested permissions, except those of the umask") {
    const tests::TemporaryFolder folder;
    const auto mask = ::umask(027);

    replace_file(folder / "for all", "x");
    replace_file(folder / "mine", "x", Durability::none, for_owner);

    ::umask(mask);
    CHECK(fs::status(folder / "for all").permissions() == fs::perms{0640});
    CHECK(fs::status(folder / "mine").permissions() == for_owner);
}
