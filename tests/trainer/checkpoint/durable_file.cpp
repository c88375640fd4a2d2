#include "trainer/checkpoint/durable_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "tests/await.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace fs = std::filesystem;
using namespace crescendo::trainer;
using crescendo::trainer::test::content;

namespace {

std::ptrdiff_t num_temporaries(const fs::path& folder) {
    return std::ranges::count_if(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
        return entry.path().string().find(".pt.tmp") != std::string::npos;
    });
}

void replace(const fs::path& path, const std::string& content) {
    replace_durably(path, [&](const Sink& sink) { sink(content); });
}

/// A process that writes `path` anew and stands still in the midst of it.
class StandingWriter {
  public:
    explicit StandingWriter(const fs::path& path) {
        for (int attempt = 0; !stopped_in_the_midst(path); ++attempt) {
            REQUIRE(attempt < 100);
        }
    }

    /// Lets it go on; whether it wrote the file.
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
                replace(path, large);
                ::_exit(0);
            } catch (const WriteError&) {
                ::_exit(1);
            }
        }
        const auto is_writing = [&] { return num_temporaries(path.parent_path()) > 0; };
        crescendo::tests::await("it begins", [&] { return is_writing() || fs::exists(path); });
        ::kill(pid_, SIGSTOP);
        int status = 0;
        ::waitpid(pid_, &status, WUNTRACED);
        if (!WIFSTOPPED(status)) return false;  // it was too quick
        if (is_writing()) return true;
        go_on();
        return false;
    }

    pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a file is replaced as a whole, and what a killed writer left is gone") {
    const crescendo::tests::TemporaryFolder folder;
    std::ofstream(folder / "checkpoint.pt") << "old";
    std::ofstream(folder / "checkpoint.pt.tmp") << "half of what is longer than the next";

    replace(folder / "checkpoint.pt", "new");

    CHECK(content(folder / "checkpoint.pt") == "new");
    CHECK(num_temporaries(folder.path()) == 0);
}

TEST_CASE("a writer that stood still while another wrote the file does not touch it any more") {
    const crescendo::tests::TemporaryFolder folder;
    const StandingWriter standing(folder / "checkpoint.pt");

    replace(folder / "checkpoint.pt", "new");

    CHECK_FALSE(standing.go_on());
    CHECK(content(folder / "checkpoint.pt") == "new");
}
