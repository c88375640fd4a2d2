/// `crescendo data` as a user types it.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/e2e/command.hpp"
#include "tests/e2e/small_disk.hpp"

using namespace crescendo::tests;

namespace {

std::string listed(const fs::path& folder, const std::string& file) {
    const auto result = run_crescendo(folder, {"data", "inspect", file, "--format", "csv"});
    CHECK(result.code == 0);
    return result.out;
}

/// By name.
std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) {
        all.emplace(entry.path().filename().string(), content_of(entry.path()));
    }
    return all;
}

/// A file whose reader waits until something is written to it.
class Pipe {
  public:
    explicit Pipe(const fs::path& path) : path_(path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
    ~Pipe() { ::close(descriptor_); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    /// Waits for a reader, and then writes.
    void write(const std::string& bytes) const {
        await("the pipe is opened", [&] { return (descriptor_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; });
        ::fcntl(descriptor_, F_SETFL, 0);
        REQUIRE(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }

  private:
    fs::path path_;
    mutable int descriptor_ = -1;
};

/// Whether the process handles the signal.
bool is_handled(pid_t pid, int signal) {
    constexpr std::string_view key = "SigCgt:";
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(key)) {
            return (std::stoull(line.substr(key.size()), nullptr, 16) >> (signal - 1) & 1) != 0;
        }
    }
    return false;
}

void check_refused(const fs::path& folder, const std::vector<std::string>& arguments, const std::string& message) {
    const auto result = run_crescendo(folder, arguments);
    CHECK(result.code == 2);
    CHECK_MESSAGE((result.err + result.out).find(message) != std::string::npos, result.err);
}

}  // namespace

TEST_CASE("flows are generated, and copied with other chunks") {
    const TemporaryFolder folder;

    const auto made = run_crescendo(folder.path(), {"data", "generate", "flow.h5:/train", "--flow", "--samples", "6",
                                                    "--size", "16", "--seed", "3", "--target", "future"});
    CHECK(made.code == 0);
    CHECK(made.out == "flow.h5:/train: 6 samples\n");
    CHECK(listed(folder.path(), "flow.h5").find("/train/targets,float32,6,6 x 3 x 16 x 16,6 x 3 x 16 x 16,") !=
          std::string::npos);

    CHECK(run_crescendo(folder.path(), {"data", "rechunk", "flow.h5:/", "fast.h5:/", "--chunk", "2", "--compress", "4"})
              .code == 0);
    CHECK(listed(folder.path(), "fast.h5")
              .find("/train/inputs,float32,6,6 x 3 x 16 x 16,2 x 3 x 16 x 16,\"shuffle, deflate\",") !=
          std::string::npos);
}

TEST_CASE("a CSV file and raw numbers are converted") {
    const TemporaryFolder folder;
    write_file(folder / "table.csv", "a,b,price\n1,2,3.5\n4,5,6.5\n");
    write_file(folder / "numbers", std::string(12, '\1'));
    write_file(folder / "labels", "\1\2\3");

    CHECK(run_crescendo(folder.path(), {"data", "convert", "table.csv", "set.h5:/table", "--targets", "a"}).out ==
          "set.h5:/table: 2 samples\n");
    CHECK(run_crescendo(folder.path(), {"data", "convert", "numbers", "labels", "set.h5:/raw", "--type", "uint8",
                                        "--shape", "2,2", "--target-type", "int8", "--samples", "1:3"})
              .out == "set.h5:/raw: 2 samples\n");

    const auto list = listed(folder.path(), "set.h5");
    CHECK(list.find("/raw/inputs,uint8,2,2 x 2 x 2,") != std::string::npos);
    CHECK(list.find("/table/inputs,float32,2,2 x 2,") != std::string::npos);
    CHECK(list.find("/table/targets,int64,2,2,") != std::string::npos);
}

TEST_CASE("statistics that include NetCDF's fill value come with a remark") {
    const TemporaryFolder folder;
    write_file(folder / "numbers", std::string("\0\0\x80\x3f\0\0\xf0\x7c", 8));  // 1 and NC_FILL_FLOAT
    run_crescendo(folder.path(), {"data", "convert", "numbers", "set.h5:/a", "--type", "float32", "--shape", "1"});

    const auto result = run_crescendo(folder.path(), {"data", "stats", "set.h5:/a", "--format", "json"});

    CHECK(result.code == 0);
    CHECK(result.err.find("the largest number in inputs is 9.969209968386869e36, NetCDF's fill value") !=
          std::string::npos);
    CHECK(result.json()[0]["count"] == 2);
    CHECK(run_crescendo(folder.path(), {"data", "stats", "set.h5:/a[0:1]"}).err.find("NetCDF") == std::string::npos);
}

TEST_CASE("options of `data convert` that take lists may precede the files, as --help shows") {
    const TemporaryFolder folder;
    write_file(folder / "table.csv", "a,b,price\n1,2,3.5\n4,5,6.5\n");
    write_file(folder / "numbers", std::string(12, '\1'));

    CHECK(run_crescendo(folder.path(), {"data", "convert", "--targets", "price,a", "table.csv", "set.h5:/table"}).out ==
          "set.h5:/table: 2 samples\n");
    CHECK(run_crescendo(folder.path(), {"data", "convert", "--type", "uint8", "--shape", "2,2", "--target-type",
                                        "uint8", "--target-shape", "2,2", "numbers", "numbers", "set.h5:/raw"})
              .out == "set.h5:/raw: 3 samples\n");
    CHECK(run_crescendo(folder.path(), {"data", "bench", "--threads", "1", "set.h5:/raw"}).code == 0);
    const auto images = run_crescendo(folder.path(), {"data", "convert", "--size", "4,4", "absent", "images.h5:/all"});
    CHECK(images.err.find("--size is for a folder of images only; leave it out for absent") != std::string::npos);
}

TEST_CASE("mistakes in data commands are explained, and leave no file") {
    const TemporaryFolder folder;
    write_file(folder / "table.csv", "1,two\n3,4\n5,six\n");
    write_file(folder / "sound.csv", "1,2\n");

    check_refused(folder.path(), {"data", "convert", "table.csv", "set.h5:/"},
                  "table.csv:3: column 1 (two): \"six\" is not a number");
    check_refused(folder.path(), {"data", "convert", "table.csv"}, "write FILE:/GROUP");
    check_refused(folder.path(), {"data", "convert", "set.h5:/train"}, "put the INPUTS to convert before the LOCATION");
    check_refused(folder.path(), {"data", "convert", "sound.csv", "set.h5:/", "--samples", "1"},
                  "write 0:1 for the first 1 samples");
    for (const char* range : {"abc", "-1:2", "1:2:3", "0-2"}) {
        check_refused(folder.path(), {"data", "convert", "sound.csv", "set.h5:/", std::string("--samples=") + range},
                      "write BEGIN:END, like 0:50000");
    }
    check_refused(folder.path(), {"data", "convert", "sound.csv", "set.h5:/", "--gray"},
                  "--gray is for a folder of images");
    check_refused(folder.path(), {"data", "convert", "table.csv", "set.h5"}, "does not name a group");
    check_refused(folder.path(), {"data", "convert", "table.csv", "set.h5:/", "--type", "float"},
                  "float is not a number type");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2"}, "--flow");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--flow", "--sparse"}, "--sparse");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--flow", "--size", "48"},
                  "--size 48");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--sparse", "--size", "64"},
                  "--size");
    for (const char* option : {"--chunk", "--compress"}) {
        check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--sparse", option, "2"},
                      option);
    }
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "99999999999999999999", "--flow"},
                  "--samples: 99999999999999999999 is not a whole number");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "9999999999999999", "--flow"},
                  "more than 2^50 bytes; use at most");
    check_refused(folder.path(), {"data", "generate", "set.h5:/", "--samples", "2", "--flow", "--seed", "-1"},
                  "--seed: -1 is not a whole number");
    check_refused(folder.path(), {"data", "stats", "set.h5:/", "--threads", "1000000"}, "not in range");
    check_refused(folder.path(), {"data", "inspect", "set.h5:/train"}, "run: crescendo data inspect set.h5");
    check_refused(folder.path(), {"data", "rechunk", "absent.h5:/", "set.h5:/"}, "absent.h5: no such file");
    CHECK_FALSE(fs::exists(folder / "set.h5"));
}

TEST_CASE("an interrupted command leaves its folder as it was") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "data");
    CHECK(
        run_crescendo(folder.path(), {"data", "generate", "data/old.h5:/a", "--flow", "--samples", "1", "--size", "16"})
            .code == 0);
    const auto before = contents(folder / "data");
    for (const char* location : {"data/old.h5:/b", "data/new.h5:/b"}) {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            CAPTURE(location);
            Command generate(folder.path(), {"data", "generate", location, "--flow", "--samples", "1000000", "--size",
                                             "16", "--chunk", "1"});
            await("something is written", [&] { return contents(folder / "data") != before; });

            generate.signal(signal);

            CHECK(generate.wait() == 128 + signal);
            CHECK(generate.err() == "crescendo: interrupted; nothing was written\n");
            CHECK(contents(folder / "data") == before);
        }
    }
}

TEST_CASE("a command leaves no files if its terminal is closed") {
    const TemporaryFolder folder;
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    REQUIRE(pid >= 0);
    if (pid == 0) {
        const bool moved = ::chdir(folder.path().c_str()) == 0;
        const char* arguments[] = {CRESCENDO_BINARY, "data",    "generate", "set.h5:/", "--flow", "--samples",
                                   "1000000",        "--chunk", "1",        "--size",   "16",     nullptr};
        if (moved) {
            ::execv(CRESCENDO_BINARY, const_cast<char**>(arguments));
        }
        ::_exit(127);
    }
    await("something is written", [&] { return !fs::is_empty(folder.path()); });

    ::close(terminal);

    int status = 0;
    await("the command ends", [&] { return ::waitpid(pid, &status, WNOHANG) == pid; });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGHUP);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("one Ctrl-C ends a command that has written nothing yet, whatever it waits for") {
    const TemporaryFolder folder;
    const Pipe source(folder / "table.csv");
    Command convert(folder.path(), {"data", "convert", "table.csv", "set.h5:/"});
    source.write("");  // so it waits for the first line

    convert.signal(SIGINT);

    CHECK(convert.wait() == 128 + SIGINT);
    CHECK_FALSE(fs::exists(folder / "set.h5"));
}

TEST_CASE("a table from a pipe is refused, because it is read twice") {
    const TemporaryFolder folder;
    const Pipe source(folder / "table.csv");
    Command convert(folder.path(), {"data", "convert", "table.csv", "set.h5:/"});
    source.write("1,2\n");

    CHECK(convert.wait() == 2);
    CHECK(convert.err() == "crescendo: table.csv is a pipe, but a table is read twice; write it to a file first\n");
    CHECK_FALSE(fs::exists(folder / "set.h5"));
}

TEST_CASE("after Ctrl-C, a slow flow is not solved to its end") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "data");
    Command generate(folder.path(),
                     {"data", "generate", "data/set.h5:/", "--flow", "--samples", "1", "--size", "1024"});
    await("something is written", [&] { return !fs::is_empty(folder / "data"); });

    generate.signal(SIGINT);

    CHECK(generate.wait() == 128 + SIGINT);
    CHECK(fs::is_empty(folder / "data"));
}

TEST_CASE("a second Ctrl-C ends a command that does not notice the first") {
    const TemporaryFolder folder;
    const Pipe source(folder / "labels");
    Command convert(folder.path(), {"data", "convert", "labels", "set.h5:/"});
    // An IDX header announces 16 MiB. Less than a chunk of them arrives, but more than zlib asks for at a time.
    source.write(std::string("\0\0\x08\x01\x01\0\0\0", 8) + std::string(200'000, 'x'));
    await("signals are handled", [&] { return is_handled(convert.pid(), SIGINT); });

    convert.signal(SIGINT);
    await("the command ends", [&] {
        convert.signal(SIGINT);  // signals that arrive before the first is handled do not count
        return !is_alive(convert.pid());
    });

    CHECK(convert.wait() == 128 + SIGINT);
    CHECK_FALSE(fs::exists(folder / "set.h5"));
}

TEST_CASE("a file to which a killed command was adding can be repaired as the message says") {
    const TemporaryFolder folder;
    CHECK(run_crescendo(folder.path(), {"data", "generate", "set.h5:/a", "--flow", "--samples", "1", "--size", "16"})
              .code == 0);
    const auto before = listed(folder.path(), "set.h5");
    const auto bytes = fs::file_size(folder / "set.h5");
    Command generate(folder.path(), {"data", "generate", "set.h5:/b", "--flow", "--samples", "1000000", "--size", "16",
                                     "--chunk", "1"});
    await("samples are written", [&] { return fs::file_size(folder / "set.h5") > bytes; });

    generate.signal(SIGKILL);

    CHECK(generate.wait() == 128 + SIGKILL);
    check_refused(folder.path(), {"data", "inspect", "set.h5"}, "h5clear -s set.h5 makes it readable again");
    if (std::system(("h5clear -s " + (folder / "set.h5").string()).c_str()) != 0) {
        MESSAGE("skipped: no h5clear; Debian's package hdf5-tools has it");
        return;
    }
    CHECK(listed(folder.path(), "set.h5") == before);
}

TEST_CASE("a data command on a disk that fills up says so, and leaves existing files as they were") {
    const SmallDisk disk("size=1m");
    if (!disk) {
        return;
    }
    const auto generate = [&](const std::string& location, const std::string& samples) {
        return run_crescendo(disk.folder(),
                             {"data", "generate", "disk/" + location, "--flow", "--size", "16", "--samples", samples});
    };
    CHECK(generate("old.h5:/a", "1").code == 0);
    const auto before = content_of(disk.path() / "old.h5");

    for (const char* location : {"old.h5:/b", "new.h5:/b"}) {
        const auto full = generate(location, "10000");

        CHECK(full.code == 1);
        CHECK(full.err == "crescendo: inputs cannot be written (HDF5: No space left on device)\n");
        CHECK(content_of(disk.path() / "old.h5") == before);
        CHECK(std::distance(fs::directory_iterator(disk.path()), {}) == 1);
    }
}
