#include "launch/directory/sweep_lock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/host_name.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/directory_error.hpp"
#include "tests/await.hpp"
#include "tests/e2e/small_disk.hpp"
#include "tests/failing_disk.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::await;
using crescendo::tests::TemporaryFolder;
using crescendo::tests::Variable;

namespace {

namespace fs = std::filesystem;

void write_holder(const SweepDirectory& directory, const std::string& host, int pid, const std::string& job,
                  std::int64_t uid = ::geteuid()) {
    const Json json{{"host", host}, {"pid", pid},      {"boot", "-"}, {"start", 1},
                    {"job", job},   {"since", "then"}, {"uid", uid}};
    std::ofstream(directory.lock()) << "process of a test\n" << json.dump() << "\n";
}

/// Makes the file look untouched for `seconds`.
void age(const fs::path& file, int seconds) {
    struct stat now {};
    REQUIRE(::stat(file.c_str(), &now) == 0);
    const timespec then{now.st_mtim.tv_sec - seconds, 0};
    const timespec times[2] = {then, then};
    REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
}

/// A folder in which nobody, not even root, can create files while this exists. Existing files stay as writable as they
/// were.
class Unwritable {
  public:
    explicit Unwritable(const fs::path& folder) : folder_(folder), works_(set("+i")) {
        if (!works_) {
            MESSAGE("skipped: this user may not make a folder immutable where temporary files are");
        }
    }
    ~Unwritable() { set("-i"); }
    Unwritable(Unwritable&&) = delete;
    Unwritable& operator=(Unwritable&&) = delete;
    explicit operator bool() const { return works_; }

  private:
    bool set(const std::string& attribute) const {
        return std::system(("chattr " + attribute + " " + folder_.string() + " 2>/dev/null").c_str()) == 0;
    }

    fs::path folder_;
    bool works_;
};

/// Installs a squeue that runs the shell command `answer`.
void install_squeue(const TemporaryFolder& folder, const std::string& answer) {
    std::ofstream(folder / "squeue") << "#!/bin/sh\n" << answer << "\n";
    fs::permissions(folder / "squeue", fs::perms::owner_all);
}

}  // namespace

TEST_CASE("a lock copied with its directory blocks nobody, and a moved lock still holds") {
    const TemporaryFolder folder;
    const auto original = SweepDirectory::create(folder / "s", "", {});
    const SweepLock lock(original);
    std::filesystem::copy(folder / "s", folder / "copy", std::filesystem::copy_options::recursive);
    const SweepDirectory copy(folder / "copy");

    CHECK(SweepLock::holder(original).has_value());
    CHECK_FALSE(SweepLock::holder(copy).has_value());
    { const SweepLock ours(copy); }
    std::filesystem::rename(folder / "s", folder / "moved");
    CHECK(SweepLock::holder(SweepDirectory(folder / "moved")).has_value());
}

TEST_CASE("a second writer gets an error that names the first writer and the remedy") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    {
        const SweepLock lock(directory);

        CHECK_FALSE(lock.abandoned_by());
        CHECK(SweepLock::holder(directory)->find("process " + std::to_string(::getpid()) + " on ") == 0);
        CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains("crescendo stop"), InvalidInput);
    }

    CHECK_FALSE(SweepLock::holder(directory));
    CHECK_FALSE(SweepLock(directory).abandoned_by());
}

TEST_CASE("a holder that has not written its name holds the lock too") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    const FileDescriptor file(::open(directory.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    REQUIRE(::flock(file.get(), LOCK_SH) == 0);

    CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains("an unknown process is using this directory"),
                         InvalidInput);
}

TEST_CASE("the next process takes the lock of a killed process and names that process") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    const pid_t other = ::fork();
    if (other == 0) {
        const SweepLock lock(directory);
        ::pause();
    }
    await("the other process has the lock", [&] { return SweepLock::holder(directory).has_value(); });
    CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains(std::to_string(other).c_str()), InvalidInput);

    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);

    CHECK_FALSE(SweepLock::holder(directory));
    CHECK(SweepLock(directory).abandoned_by()->find(std::to_string(other)) != std::string::npos);
}

// From here on the holder is on another node, whose flock does not reach us.

TEST_CASE("a holder on another node is alive unless it has not touched its lock for a minute") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "");

    CHECK(SweepLock::holder(directory) == "process of a test");
    CHECK_THROWS_AS(SweepLock{directory}, InvalidInput);
    age(directory.lock(), 61);

    CHECK_FALSE(SweepLock::holder(directory));
    CHECK(SweepLock(directory).abandoned_by() == "process of a test");
}

TEST_CASE("a process that cannot write next to the lock uses its own clock and gives the holder more time") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "");
    age(directory.lock(), 500);
    const Unwritable unwritable(directory.path());
    if (!unwritable) {
        return;
    }

    CHECK(SweepLock::holder(directory) == "process of a test");
    age(directory.lock(), 200);

    CHECK_FALSE(SweepLock::holder(directory));
}

TEST_CASE("looking for the holder leaves no file behind") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "");
    const auto count = [&] { return std::distance(fs::directory_iterator(directory.path()), {}); };
    const auto before = count();

    SweepLock::holder(directory);

    CHECK(count() == before);
}

TEST_CASE("looking for the holder does not write through a link that another user placed") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "");
    const auto probe = directory.lock().string() + "." + host_name() + "." + std::to_string(::getpid());
    std::ofstream(folder / "mine") << "mine";
    fs::create_symlink(folder / "mine", probe);

    CHECK(SweepLock::holder(directory) == "process of a test");

    CHECK(read_file(folder / "mine") == "mine");
    CHECK(fs::is_symlink(probe));
}

TEST_CASE("a process on this host with the holder's pid is not the holder if it started later") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    auto boot = read_file("/proc/sys/kernel/random/boot_id");
    boot.pop_back();
    const Json json{{"host", host_name()}, {"pid", ::getpid()}, {"boot", boot},
                    {"start", 1},          {"job", ""},         {"since", ""}};
    std::ofstream(directory.lock()) << "process of a test\n" << json.dump() << "\n";

    CHECK_FALSE(SweepLock::holder(directory));
}

TEST_CASE("an earlier step of our own Slurm job is over if the job script runs its steps in turn") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", Json::object());
    write_holder(directory, "elsewhere", 1, "17");
    const Variable job("SLURM_JOB_ID", "17");
    const Variable script("CRESCENDO_EXIT_STATUS", (folder / "exit").string());

    CHECK(SweepLock(directory).abandoned_by() == "process of a test");
}

TEST_CASE("another step of our own allocation is alive as long as it touches its lock") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", Json::object());
    write_holder(directory, "elsewhere", 1, "17");
    const Variable job("SLURM_JOB_ID", "17");

    CHECK(SweepLock::holder(directory) == "process of a test");
    CHECK_THROWS_AS(SweepLock{directory}, InvalidInput);
    age(directory.lock(), 61);

    CHECK_FALSE(SweepLock::holder(directory));
    CHECK(SweepLock(directory).abandoned_by() == "process of a test");
}

TEST_CASE("the lock names the cluster of the holder's job if the sweep was submitted to one of several clusters") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {{"job", "17;wice"}});
    const Variable job("SLURM_JOB_ID", "17");

    const SweepLock lock(directory);

    CHECK(SweepLock::holder(directory)->ends_with("(job 17;wice)"));
}

TEST_CASE("a holder in another Slurm job is alive as long as the job, however long it has been silent") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "17");
    age(directory.lock(), 1000);
    const Variable path("PATH", folder.path().string() + ":" + std::getenv("PATH"));

    install_squeue(folder, "echo RUNNING");
    CHECK(SweepLock::holder(directory));
    CHECK_THROWS_AS(SweepLock{directory}, InvalidInput);

    install_squeue(folder, "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    age(directory.lock(), -1000);
    CHECK_FALSE(SweepLock::holder(directory));
    age(directory.lock(), 1000);

    install_squeue(folder, "exit 1");  // Slurm cannot be asked, so the file's age decides
    CHECK_FALSE(SweepLock::holder(directory));
}

TEST_CASE("another user's job that Slurm does not show may be hidden, so the file's age decides") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    write_holder(directory, "elsewhere", 1, "17", ::geteuid() + 1);
    const Variable path("PATH", folder.path().string() + ":" + std::getenv("PATH"));
    install_squeue(folder, "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");

    CHECK(SweepLock::holder(directory));

    age(directory.lock(), 1000);
    CHECK_FALSE(SweepLock::holder(directory));
}

TEST_CASE("a lock from a version that wrote only one line is taken, and its former holder is named") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "sweep", "", {});
    std::ofstream(directory.lock()) << "process 1 on elsewhere (job 77)\n";

    CHECK(SweepLock(directory).abandoned_by() == "process 1 on elsewhere (job 77)");
}

TEST_CASE("an edited lock blocks nobody") {
    const TemporaryFolder folder;
    const auto directory = SweepDirectory::create(folder / "s", "", {});
    std::ofstream(directory.lock()) << "process 7\n{\"host\": 5}\n";

    CHECK_FALSE(SweepLock::holder(directory));
    CHECK(SweepLock(directory).abandoned_by() == "process 7");
}

TEST_CASE("a lock is not taken if its holder's name cannot reach the disk, where others would read it") {
    tests::FailingDisk disk;
    if (!disk) {
        return;
    }
    const auto directory = SweepDirectory::create(disk.path() / "sweep", "", Json::object());
    { const SweepLock lock(directory); }

    disk.fail();
    CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains("cannot write"), DirectoryError);
}

TEST_CASE("on a full disk, only a process that removes files gets the lock, which then names no holder") {
    const tests::SmallDisk disk("size=64k");
    if (!disk) {
        return;
    }
    const auto directory = SweepDirectory::create(disk.path() / "sweep", "", Json::object());
    { const SweepLock lock(directory); }
    disk.fill();

    CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains("No space left"), DirectoryError);
    {
        const SweepLock lock(directory, LockUse::removing);
        CHECK(SweepLock::holder(directory).has_value());
        CHECK_THROWS_WITH_AS(SweepLock{directory}, doctest::Contains("an unknown process"), InvalidInput);
    }
    CHECK_FALSE(SweepLock::holder(directory));
}
