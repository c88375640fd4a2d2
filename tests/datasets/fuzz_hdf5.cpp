/// Damages small HDF5 files and reads them. An error is fine, and so are the right bytes. A crash, a hang, or wrong
/// bytes that a checksum covers are failures. The HDF5 library itself crashes on some files of its old format, whose
/// metadata have no checksums. Such crashes are counted, but are not our failures (docs/data.md).
///
/// usage: fuzz_hdf5 SECONDS [SEED [CASE]]
///        fuzz_hdf5 --verbs CRESCENDO SECONDS [SEED]
///
/// Prints the seed. Seed and number reproduce a case: `fuzz_hdf5 0 SEED CASE` reads that one file in this process, for
/// a debugger. A file that caused trouble is kept, and its path is printed.
///
/// --verbs makes the program CRESCENDO read the files, with each command that reads HDF5, and with `validate` if it has
/// a trainer. Each must end with 0, or with 2 and a message that names the file, whatever the library does.
#define DOCTEST_CONFIG_IMPLEMENT  // for files.cpp
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <execinfo.h>
#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "datasets/inspection/inspect.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

namespace fs = std::filesystem;

constexpr unsigned patience_s = 20;
/// The largest set to read. Damage can make a set look huge, and the library takes long to read a million chunks.
constexpr std::size_t most_bytes = std::size_t{1} << 18;
constexpr hsize_t num_samples = 12;
constexpr const char* sanitizer_options =
    "abort_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:"
    "use_sigaltstack=0:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096";
enum ExitCode { fine = 0, wrong_bytes = 3, not_readable = 4, library_crashed = 5 };

/// A crash with a frame of the library on its stack is the library's, since it calls back little of our code.
void say_whose_crash(int signal) {
    std::array<void*, 64> frames{};
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int i = 0; i < count; ++i) {
        Dl_info info{};
        if (::dladdr(frames[static_cast<std::size_t>(i)], &info) != 0 &&
            std::strstr(info.dli_fname, "libhdf5") != nullptr) {
            ::_exit(library_crashed);
        }
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void watch_for_crashes() {
    void* here = nullptr;
    ::backtrace(&here, 1);                        // loads what it needs; a crashed process may not be able to
    static std::array<std::byte, 1 << 16> stack;  // the crash may be an overflow of the other one
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    ::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_handler = say_whose_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    // A library that hangs is as bad as one that crashes.
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
        ::sigaction(signal, &action, nullptr);
    }
}

struct Region {
    std::size_t begin = 0;
    std::size_t size = 0;
};

/// A sound file, what it holds, and which of its bytes a checksum covers.
struct Sound {
    std::string name;
    bool latest = false;  ///< the format whose metadata have checksums
    std::vector<std::byte> bytes;
    Content content;
    std::vector<Region> checked;
    std::string group = "/train";  ///< of the set
};

hid_t create(const fs::path& file, bool latest) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest) {  // whose metadata have checksums
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    }
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return id;
}

void add(hid_t file, const char* path, const std::vector<hsize_t>& shape, hid_t type, const void* values,
         const std::vector<hsize_t>& chunk, const std::vector<H5Z_filter_t>& filters) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) {
        H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    }
    for (const auto filter : filters) {
        const unsigned level = 4;
        H5Pset_filter(creation, filter, H5Z_FLAG_MANDATORY, filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level);
    }
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t data_set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(data_set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data_set);
    H5Sclose(space);
    H5Pclose(creation);
}

std::vector<Region> chunks_of(const fs::path& file, const char* path) {
    const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data_set = H5Dopen2(id, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(data_set);
    hsize_t count = 0;
    H5Dget_num_chunks(data_set, space, &count);
    std::vector<Region> regions;
    for (hsize_t i = 0; i < count; ++i) {
        std::array<hsize_t, H5S_MAX_RANK> offset{};
        unsigned mask = 0;
        haddr_t address = 0;
        hsize_t size = 0;
        H5Dget_chunk_info(data_set, space, i, offset.data(), &mask, &address, &size);
        regions.push_back({address, size});
    }
    H5Sclose(space);
    H5Dclose(data_set);
    H5Fclose(id);
    return regions;
}

/// Files as other programs write them. What they have besides plain data sets has no checksums in any format.
std::vector<Sound> foreign_files(const fs::path& folder) {
    std::vector<Sound> files;
    const auto path = folder / "sound.h5";
    const auto keep = [&](const std::string& name) {
        const auto content = read_all(*SampleSet::open(path.string() + ":/"));
        files.push_back({name, false, read_bytes(path), content, {}, "/"});
    };
    write_virtual_set(path);  // its sources stay in the folder
    keep("virtual");
    write_packed_set(path);
    keep("packed");
    for (const bool latest : {false, true}) {
        if (latest) {
            write_names(path);
        } else {
            write_packed_set(path);
        }
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        if (latest) {
            const std::vector<std::int16_t> numbers(24, 7);
            add(file, "/inputs", {12, 2}, H5T_NATIVE_INT16, numbers.data(), {5, 2}, {H5Z_FILTER_DEFLATE});
        }
        const hid_t group = H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/inputs", group, "soft", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/nowhere", group, "dangling", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("part-0.hdf", "/piece", group, "external", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_hard(file, "/", group, "loop", H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
        H5Fclose(file);
        keep(latest ? "links-and-texts" : "links");
    }
    return files;
}

std::vector<Sound> sound_files(const fs::path& folder) {
    const std::vector<std::pair<std::string, std::vector<H5Z_filter_t>>> filters{
        {"plain", {}},
        {"deflate", {H5Z_FILTER_DEFLATE}},
        {"shuffle-deflate", {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}},
        {"fletcher32", {H5Z_FILTER_FLETCHER32}},
        {"all", {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}}};
    const std::vector<std::pair<std::string, std::vector<hsize_t>>> layouts{
        {"contiguous", {}}, {"samples", {5, 4, 6}}, {"split", {5, 3, 4}}, {"one", {num_samples, 4, 6}}};
    std::vector<float> inputs(num_samples * 24);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i] = static_cast<float>(i % 50);
    }
    const std::vector<std::uint8_t> targets(num_samples, 3);

    std::vector<Sound> files;
    const auto path = folder / "sound.h5";
    for (const bool latest : {false, true}) {
        for (const auto& [layout, chunk] : layouts) {
            for (const auto& [filter, stages] : filters) {
                if (chunk.empty() && !stages.empty()) {
                    continue;
                }
                const hid_t id = create(path, latest);
                H5Gclose(H5Gcreate2(id, "/train", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                add(id, "/train/inputs", {num_samples, 4, 6}, H5T_NATIVE_FLOAT, inputs.data(), chunk, stages);
                add(id, "/train/targets", {num_samples}, H5T_NATIVE_UINT8, targets.data(), {}, {});
                H5Fclose(id);
                const bool checked = !stages.empty() && stages.back() == H5Z_FILTER_FLETCHER32;
                files.push_back({layout + "-" + filter + (latest ? "-latest" : ""),
                                 latest,
                                 read_bytes(path),
                                 {bytes_of(inputs), bytes_of(targets)},
                                 checked ? chunks_of(path, "/train/inputs") : std::vector<Region>{}});
            }
        }
    }
    return files;
}

/// A damaged file.
struct Case {
    const Sound* sound = nullptr;
    std::string what;
    std::vector<std::byte> bytes;
    bool must_be_noticed = false;  ///< unless it is read correctly: a checksum covers every changed byte

    Case(const std::vector<Sound>& files, std::uint64_t seed, std::uint64_t number) {
        CounterRandom random(seed, number);
        sound = &files[random.below(files.size())];
        bytes = sound->bytes;
        const auto kind = random.below(5);
        if (kind == 0) {
            bytes.resize(random.below(bytes.size()));
            what = "cut off after " + std::to_string(bytes.size()) + " bytes";
        } else if (kind == 1 && !sound->checked.empty()) {
            const auto& region = sound->checked[random.below(sound->checked.size())];
            change(random, region, 1 + random.below(3));
            must_be_noticed = true;
        } else if (kind == 2) {
            // A run of one value, like a block that was never written.
            const auto size = std::min<std::size_t>(bytes.size(), 1 + random.below(256));
            const auto begin = random.below(bytes.size() - size + 1);
            const auto value = random.below(2) == 0 ? std::byte{0} : std::byte{0xFF};
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, value);
            what = std::to_string(size) + " bytes from " + std::to_string(begin) + " on overwritten";
        } else {
            // Metadata are mostly at the front.
            const auto end = random.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 2048) : bytes.size();
            change(random, {0, end}, 1 + random.below(8));
        }
    }

  private:
    void change(CounterRandom& random, const Region& region, std::uint64_t count) {
        what = "bytes changed:";
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto at = region.begin + random.below(region.size);
            // Several bits or one bit: one bit leaves sizes and counts nearly right.
            const auto by = random.below(2) == 0 ? static_cast<std::byte>(1 + random.below(255))
                                                 : static_cast<std::byte>(1U << random.below(8));
            bytes[at] ^= by;
            what += " " + std::to_string(at);
        }
    }
};

/// Reads the file in every way. Throws what the readers throw.
ExitCode read(const fs::path& file, const Case& damaged) {
    inspect(file);
    ExitCode code = fine;
    for (const auto routes : {Routes::fastest, Routes::library}) {
        const auto set = SampleSet::open(file.string() + ":" + damaged.sound->group, {.routes = routes});
        const auto sample_bytes = set->inputs().sample_bytes() + set->targets().sample_bytes();
        if (sample_bytes > most_bytes || static_cast<std::size_t>(set->size()) > most_bytes / sample_bytes) {
            continue;
        }
        const auto content = read_all(*set);
        const bool right =
            content.inputs == damaged.sound->content.inputs && content.targets == damaged.sound->content.targets;
        if (damaged.must_be_noticed && !right) {
            code = wrong_bytes;
        }
    }
    return code;
}

int read_and_say(const fs::path& file, const Case& damaged, bool aloud) {
    try {
        return read(file, damaged);
    } catch (const std::exception& error) {
        if (aloud) {
            std::printf("%s\n", error.what());
        }
        return not_readable;
    }
}

/// Reads the file in a process of its own. Returns the trouble; empty if there is none. Counts crashes of the library.
std::string trouble_with(const fs::path& file, const Case& damaged, int& num_library_crashes) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        watch_for_crashes();
        ::alarm(patience_s);
        ::_exit(read_and_say(file, damaged, false));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGALRM ? "it hangs" : "it dies of signal " + std::to_string(WTERMSIG(status));
    }
    switch (WEXITSTATUS(status)) {
        case fine:
        case not_readable:
            return {};
        case library_crashed:
            ++num_library_crashes;
            return damaged.sound->latest ? "the library crashes in spite of its checksums" : "";
        case wrong_bytes:
            return "wrong bytes that their checksum would have shown";
        default:
            return "it ends with " + std::to_string(WEXITSTATUS(status));  // a sanitizer
    }
}

/// How a command ended.
struct Outcome {
    int status = 0;        ///< as waitpid gives it
    bool stopped = false;  ///< we ended it with a signal because it took too long
    std::string said;
};

/// Runs `line` in `folder`. Damage can make a data set look huge, so a command is stopped after a while, and its output
/// and memory are limited.
Outcome run(const std::vector<std::string>& line, const fs::path& folder) {
    const auto output = folder / "output";
    std::vector<char*> arguments;
    for (const auto& argument : line) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit most_written{rlim_t{64} << 20, rlim_t{64} << 20};
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_FSIZE, &most_written);
        ::setrlimit(RLIMIT_CORE, &no_core);
        std::signal(SIGXFSZ, SIG_IGN);
#ifndef __SANITIZE_ADDRESS__
        const rlimit most_held{rlim_t{4} << 30, rlim_t{4} << 30};
        ::setrlimit(RLIMIT_AS, &most_held);
#endif
        ::setenv("ASAN_OPTIONS", sanitizer_options, 1);
        const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        if (::chdir(folder.c_str()) == 0) {
            ::execv(arguments[0], arguments.data());
        }
        ::_exit(127);
    }
    Outcome outcome;
    const auto ends_within = [&](std::chrono::seconds patience) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (::waitpid(child, &outcome.status, WNOHANG) != child) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return true;
    };
    if (!ends_within(std::chrono::seconds(5))) {
        outcome.stopped = true;
        ::kill(child, SIGTERM);
        if (!ends_within(std::chrono::seconds(patience_s))) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &outcome.status, 0);
        }
    }
    const auto bytes = read_bytes(output);
    outcome.said.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return outcome;
}

/// What is wrong with the end of a command that read `file`; empty if nothing is.
std::string trouble_with(const Outcome& outcome, const std::string& file) {
    if (outcome.stopped) {
        const bool went = WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGTERM;
        return went ? "" : "it does not end at SIGTERM";
    }
    if (WIFSIGNALED(outcome.status)) {
        return "it dies of signal " + std::to_string(WTERMSIG(outcome.status));
    }
    const int code = WEXITSTATUS(outcome.status);
    const bool limited = code == 1 && outcome.said.find("File too large") != std::string::npos;
    if (code != 0 && code != 2 && !limited) {
        return "it ends with " + std::to_string(code) + ": " + outcome.said;
    }
    return code == 2 && outcome.said.find(file) == std::string::npos ? "it does not name the file: " + outcome.said
                                                                     : "";
}

/// Lets every command read every case until the time is over. Returns the number of troubles.
int fuzz_verbs(const std::string& crescendo, const std::vector<Sound>& files, const fs::path& folder, double seconds,
               std::uint64_t seed) {
    const auto trainer = fs::path(crescendo).parent_path() / "crescendo-trainer";
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::uint64_t number = 0;
    int num_troubles = 0;
    int num_crashes = 0;
    int num_stopped = 0;
    int num_runs = 0;
    for (; std::chrono::steady_clock::now() < end; ++number) {
        const Case damaged(files, seed, number);
        const auto location = "damaged.h5:" + damaged.sound->group;
        std::vector<std::vector<std::string>> lines{
            {"data", "inspect", "damaged.h5"},
            {"data", "stats", location, "--threads", "2"},
            {"data", "bench", location, "--threads", "1", "--mebibytes", "1"},
            {"data", "rechunk", "damaged.h5:/", "copy.h5:/"},
            {"data", "generate", "damaged.h5:/new", "--sparse", "--samples", "1"}};
        if (fs::exists(trainer)) {
            const std::string sweep =
                "name: s\nmetric: {name: train_loss, goal: minimize}\nrun_cap: 1\nparameters: {lr: {value: 0.1}}\n"
                "scheduler: {type: fifo, max: 1}\ntrainer:\n  model: mlp\n  data: {train: \"" +
                location + "\"}\n";
            write_bytes(folder / "sweep.yaml", std::as_bytes(std::span(sweep)));
            lines.insert(lines.end() - 1, {"validate", "sweep.yaml"});
        }
        write_bytes(folder / "damaged.h5", damaged.bytes);
        for (auto line : lines) {
            line.insert(line.begin(), crescendo);
            const auto outcome = run(line, folder);
            ++num_runs;
            num_stopped += outcome.stopped ? 1 : 0;
            num_crashes += outcome.said.find("HDF5 library crashed while reading ") != std::string::npos ? 1 : 0;
            const auto trouble = trouble_with(outcome, "damaged.h5");
            if (!trouble.empty()) {
                ++num_troubles;
                const auto kept =
                    fs::current_path() / ("fuzz-" + std::to_string(seed) + "-" + std::to_string(number) + ".h5");
                write_bytes(kept, damaged.bytes);
                std::printf("case %llu, %s, %s: %s %s: %s; kept as %s\n", static_cast<unsigned long long>(number),
                            damaged.sound->name.c_str(), damaged.what.c_str(), line[1].c_str(), line[2].c_str(),
                            trouble.c_str(), kept.c_str());
            }
            for (const char* left : {"copy.h5", "damaged.h5.stats.json"}) {
                fs::remove(folder / left);
            }
        }
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().filename().string().find(".part-") != std::string::npos) {
                ++num_troubles;
                std::printf("case %llu leaves %s\n", static_cast<unsigned long long>(number), entry.path().c_str());
                fs::remove(entry.path());
            }
        }
    }
    std::printf(
        "%llu files, %d commands, trouble with %d; HDF5's library crashed in %d, %d took long and were "
        "stopped\n",
        static_cast<unsigned long long>(number), num_runs, num_troubles, num_crashes, num_stopped);
    return num_troubles;
}

}  // namespace

/// A finding of the sanitizer ends in abort(), and so in our handler. A failed allocation returns null, as it does
/// without the sanitizer.
extern "C" const char* __asan_default_options() { return sanitizer_options; }

int main(int argc, char** argv) {
    doctest::Context asserts;  // files.cpp asserts outside any test
    asserts.setAsDefaultForAssertsOutOfTestCases();
    const bool verbs = argc > 2 && argv[1] == std::string("--verbs");
    const std::string crescendo = verbs ? fs::absolute(argv[2]).string() : "";
    if (verbs) {
        argc -= 2;
        argv += 2;
    }
    const double seconds = argc > 1 ? std::atof(argv[1]) : 30;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    const TemporaryFolder folder;
    auto files = sound_files(folder.path());
    const auto foreign = foreign_files(folder.path());
    for (int times = 0; times < 3; ++times) {  // so that they are a third of all
        files.insert(files.end(), foreign.begin(), foreign.end());
    }
    const auto file = folder / "damaged.h5";
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    if (verbs) {
        return fuzz_verbs(crescendo, files, folder.path(), seconds, seed) == 0 ? 0 : 1;
    }
    if (argc > 3) {
        const Case damaged(files, seed, std::strtoull(argv[3], nullptr, 10));
        write_bytes(file, damaged.bytes);
        std::printf("%s: %s\n", damaged.sound->name.c_str(), damaged.what.c_str());
        return read_and_say(file, damaged, true) == wrong_bytes ? 1 : 0;
    }

    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::uint64_t number = 0;
    int num_troubles = 0;
    int num_library_crashes = 0;
    for (; std::chrono::steady_clock::now() < end; ++number) {
        const Case damaged(files, seed, number);
        write_bytes(file, damaged.bytes);
        const auto trouble = trouble_with(file, damaged, num_library_crashes);
        if (!trouble.empty()) {
            ++num_troubles;
            const auto kept =
                fs::current_path() / ("fuzz-" + std::to_string(seed) + "-" + std::to_string(number) + ".h5");
            write_bytes(kept, damaged.bytes);
            std::printf("case %llu, %s, %s: %s; kept as %s\n", static_cast<unsigned long long>(number),
                        damaged.sound->name.c_str(), damaged.what.c_str(), trouble.c_str(), kept.c_str());
        }
    }
    std::printf("%llu files, trouble with %d; HDF5's library itself crashed on %d\n",
                static_cast<unsigned long long>(number), num_troubles, num_library_crashes);
    return num_troubles == 0 ? 0 : 1;
}
