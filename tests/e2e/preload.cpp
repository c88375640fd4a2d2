/// Faults beneath a command (LD_PRELOAD), chosen by environment variables:
///
/// FLOCK_ERRNO    every flock fails with this error, as on some file systems
/// FLOCK_RIVAL    before the second flock, another process writes its name to this file; needs FLOCK_ERRNO
/// SHORT_WRITES   every write writes only half of what it is given
/// TRUNCATE_ERRNO every ftruncate fails with this error, as on a full copy-on-write disk
/// CRASH_IN       HDF5's library crashes when it opens a file with this name
/// CRASH_IN_READ  it crashes when it is asked for a chunk
/// NO_FORK_IN     a program with this name cannot fork, as if the system allowed no more processes
/// MPI_ERROR      ranks cannot reach each other: the first all-to-all exchange ends with this error
/// RANK_APART     this rank is on a separate host, which has no network to others

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

void crash() {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::raise(SIGSEGV);
}

bool is_apart() {
    const char* apart = std::getenv("RANK_APART");
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    return apart != nullptr && rank != nullptr && std::strcmp(apart, rank) == 0;
}

/// How much of a write is written.
std::size_t part_of(std::size_t size) { return std::getenv("SHORT_WRITES") == nullptr ? size : (size + 1) / 2; }

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// Declared as in HDF5 and Open MPI, because their headers would require their libraries.
extern "C" {

int flock(int descriptor, int operation) noexcept {
    const char* error = std::getenv("FLOCK_ERRNO");
    if (error == nullptr) {
        return next<int(int, int)>("flock")(descriptor, operation);
    }
    static int num_calls = 0;
    if (const char* rival = std::getenv("FLOCK_RIVAL"); rival != nullptr && ++num_calls == 2) {
        std::ofstream(rival) << "process 7 on elsewhere\n{\"host\":\"elsewhere\",\"pid\":7}\n";
    }
    errno = std::atoi(error);
    return -1;
}

pid_t fork() noexcept {
    const char* name = std::getenv("NO_FORK_IN");
    if (name == nullptr || std::strcmp(name, program_invocation_short_name) != 0) {
        return next<pid_t()>("fork")();
    }
    errno = EAGAIN;
    return -1;
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
    return next<ssize_t(int, const void*, std::size_t)>("write")(descriptor, bytes, part_of(size));
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, std::int64_t offset) {
    using Write = ssize_t(int, const void*, std::size_t, std::int64_t);
    return next<Write>("pwrite")(descriptor, bytes, part_of(size), offset);
}

int ftruncate(int descriptor, std::int64_t length) noexcept {
    const char* error = std::getenv("TRUNCATE_ERRNO");
    if (error == nullptr) {
        return next<int(int, std::int64_t)>("ftruncate")(descriptor, length);
    }
    errno = std::atoi(error);
    return -1;
}

std::int64_t H5Fopen(const char* file, unsigned flags, std::int64_t access) {
    const char* name = std::getenv("CRASH_IN");
    if (name != nullptr && std::strstr(file, name) != nullptr) {
        crash();
    }
    return next<std::int64_t(const char*, unsigned, std::int64_t)>("H5Fopen")(file, flags, access);
}

int H5Dread_chunk(std::int64_t data_set, std::int64_t transfer, const unsigned long long* offset,
                  std::uint32_t* filters, void* out) {
    if (std::getenv("CRASH_IN_READ") != nullptr) {
        crash();
    }
    using Read = int(std::int64_t, std::int64_t, const unsigned long long*, std::uint32_t*, void*);
    return next<Read>("H5Dread_chunk")(data_set, transfer, offset, filters, out);
}

int gethostname(char* name, std::size_t size) noexcept {
    if (!is_apart()) {
        return next<int(char*, std::size_t)>("gethostname")(name, size);
    }
    std::snprintf(name, size, "apart.invalid");
    return 0;
}

std::FILE* fopen64(const char* file, const char* mode) {
    constexpr const char* routes = "/proc/net/";
    if (is_apart() && std::strncmp(file, routes, std::strlen(routes)) == 0) {
        errno = ENOENT;
        return nullptr;
    }
    return next<std::FILE*(const char*, const char*)>("fopen64")(file, mode);
}

int MPI_Iallgather(const void* sent, int num_sent, void* sent_type, void* received, int num_received,
                   void* received_type, void* ranks, void* request) {
    if (const char* error = std::getenv("MPI_ERROR")) {
        return std::atoi(error);
    }
    using Gather = int(const void*, int, void*, void*, int, void*, void*, void*);
    return next<Gather>("MPI_Iallgather")(sent, num_sent, sent_type, received, num_received, received_type, ranks,
                                          request);
}
}
