#include "datasets/hdf5/finding_driver.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>

#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

namespace {

thread_local Finder* finder = nullptr;

/// The library's record of an open file, with this driver's own data.
struct File : H5FD_t {
    int descriptor = -1;
    struct stat status {};
    haddr_t end_of_addresses = 0;

    ~File() {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    }
};

const File& ours(const H5FD_t* file) { return *static_cast<const File*>(file); }
File& ours(H5FD_t* file) { return *static_cast<File*>(file); }

/// Puts a system failure on the library's error stack, in the library's words.
void push_error(hid_t kind, const char* what) {
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, kind, "%s, error message = '%s'", what,
             std::strerror(errno));
}

H5FD_t* open(const char* name, unsigned, hid_t, haddr_t) {
    auto file = std::make_unique<File>();
    file->descriptor = ::open(name, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0 || ::fstat(file->descriptor, &file->status) != 0) {
        push_error(H5E_CANTOPENFILE, "unable to open file");
        return nullptr;
    }
    return file.release();
}

herr_t close(H5FD_t* file) {
    delete &ours(file);
    return 0;
}

/// Compares files, not names: one file may be opened under several names.
int compare(const H5FD_t* a, const H5FD_t* b) {
    const auto identity = [](const H5FD_t* file) {
        return std::tuple(ours(file).status.st_dev, ours(file).status.st_ino);
    };
    return identity(a) < identity(b) ? -1 : identity(b) < identity(a);
}

herr_t query(const H5FD_t*, unsigned long* flags) {
    *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_POSIX_COMPAT_HANDLE;
    return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return ours(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    ours(file).end_of_addresses = address;
    return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return static_cast<haddr_t>(ours(file).status.st_size); }

herr_t handle(H5FD_t* file, hid_t, void** place) {
    *place = &ours(file).descriptor;
    return 0;
}

/// Reads bytes. Beyond the end of the file it reads zeros, as the library's own driver does.
herr_t read_range(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, std::size_t size, void* buffer) {
    if (kind == H5FD_MEM_DRAW && Finder::takes({address, size})) {
        return 0;
    }
    auto* to = static_cast<char*>(buffer);
    while (size > 0) {
        const auto got = ::pread(ours(file).descriptor, to, size, static_cast<off_t>(address));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            push_error(H5E_READERROR, "file read failed");
            return -1;
        }
        if (got == 0) {
            std::memset(to, 0, size);
            return 0;
        }
        to += got;
        address += static_cast<haddr_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return 0;
}

herr_t refuse_to_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
    errno = EROFS;
    push_error(H5E_WRITEERROR, "file write failed");
    return -1;
}

/// Locks the file. If the file system does not support locks, succeeds without one.
herr_t change_lock(H5FD_t* file, int operation, const char* failure) {
    if (::flock(ours(file).descriptor, operation) != 0 && errno != ENOSYS) {
        push_error(H5E_CANTOPENFILE, failure);
        return -1;
    }
    return 0;
}

herr_t lock(H5FD_t* file, hbool_t exclusive) {
    return change_lock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB, "unable to lock file");
}

herr_t unlock(H5FD_t* file) { return change_lock(file, LOCK_UN, "unable to unlock file"); }

H5FD_class_t description() {
    H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION  // since HDF5 1.14
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(4217);  // any unregistered value
#endif
    driver.name = "finding";
    driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.open = open;
    driver.close = close;
    driver.cmp = compare;
    driver.query = query;
    driver.get_eoa = end_of_addresses;
    driver.set_eoa = set_end_of_addresses;
    driver.get_eof = end_of_file;
    driver.get_handle = handle;
    driver.read = read_range;
    driver.write = refuse_to_write;
    driver.lock = lock;
    driver.unlock = unlock;
    return driver;
}

}  // namespace

hid_t finding_driver() {
    static const H5FD_class_t driver = description();
    static const hid_t number = H5FDregister(&driver);
    return number;
}

Finder::Finder() { finder = this; }

Finder::~Finder() { finder = nullptr; }

bool Finder::serves(hid_t file) {
    const Handle settings{H5Fget_access_plist(file)};
    return settings.get() >= 0 && H5Pget_driver(settings.get()) == finding_driver();
}

bool Finder::takes(const Piece& piece) {
    if (finder == nullptr) {
        return false;
    }
    finder->piece_ = piece;
    ++finder->num_pieces_;
    return true;
}

}  // namespace crescendo::datasets::hdf5
