#include "datasets/hdf5/hdf5.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "datasets/hdf5/finding_driver.hpp"
#include "datasets/hdf5/foreign_format.hpp"
#include "datasets/hdf5/hdf5_links.hpp"
#include "datasets/system/own_process.hpp"

namespace crescendo::datasets::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

/// Why the library failed.
struct Cause {
    std::string words;
    bool of_system = false;  ///< whether a system call failed
};

/// Extracts the system's message from "file write failed: time = …, error message = 'No space left on device', buf =
/// …".
Cause without_addresses(std::string text) {
    constexpr std::string_view key = "error message = '";
    const auto begin = text.find(key);
    const auto end = begin == std::string::npos ? begin : text.find('\'', begin + key.size());
    return end == std::string::npos ? Cause{std::move(text)}
                                    : Cause{text.substr(begin + key.size(), end - begin - key.size()), true};
}

/// Advice if the library does not know the file's format version.
std::string hint_of_version(const std::string& words) {
    if (words.find("version number") == std::string::npos) {
        return {};
    }
    return text(
        "; this is HDF5 {}.{}, and a newer version may have written the file; write it with h5py's libver='v110', "
        "which older versions can read",
        H5_VERS_MAJOR, H5_VERS_MINOR);
}

/// The innermost entry of the error stack, which says what went wrong. The outer ones only say what was called.
struct InnermostError {
    std::string words = "no details";
    hid_t kind = H5I_INVALID_HID;  ///< the library's minor number, such as H5E_NOTFOUND

    InnermostError() {
        const auto take_first = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
            if (depth == 0 && error->desc != nullptr) {
                static_cast<InnermostError*>(out)->words = error->desc;
                static_cast<InnermostError*>(out)->kind = error->min_num;
            }
            return 0;
        };
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, this);
    }
};

Cause cause() {
    const auto words = InnermostError().words;
    return without_addresses(words + hint_of_version(words));
}

/// The library's `answer` whether something exists at `path`. If something on the way there is missing, the library
/// fails instead of saying no. If it failed because the file is damaged or unreadable, throws as fail() does.
bool is_yes(htri_t answer, const std::string& path) {
    if (answer < 0) {
        const auto kind = InnermostError().kind;  // the last two: an external link, and a soft link to itself
        const bool is_no = kind == H5E_NOTFOUND || kind == H5E_CANTOPENFILE || kind == H5E_NLINKS;
        check(is_no ? 0 : -1, text("{} cannot be looked up", path));
    }
    return answer > 0;
}

/// "/ holds train, test": members of the group that contains `path`, or of the nearest existing object above. Lists
/// only some, because groups of simulations may have thousands.
std::string siblings(hid_t file, std::string path) {
    do {
        path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    } while (!exists(file, path));

    constexpr std::size_t most = 20;
    const auto group = own(H5Oopen(file, path.c_str(), H5P_DEFAULT), text("{} cannot be opened", path));
    if (H5Iget_type(group.get()) != H5I_GROUP) {
        return text("{} is not a group", path);
    }
    const auto links = links_of(group.get(), H5_INDEX_NAME);
    std::string names;
    for (const auto& [name, link] : std::span(links).first(std::min(links.size(), most))) {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names.empty()         ? text("{} is empty", path)
           : links.size() > most ? text("{} holds {} and {} more", path, names, links.size() - most)
                                 : text("{} holds {}", path, names);
}

/// The broken link on the way to `path`, and its target; empty if there is none.
std::string broken_link(hid_t file, const std::string& path) {
    for (auto end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const auto part = path.substr(0, end);
        H5L_info_t link{};
        if (H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT) < 0) {
            return {};
        }
        if (link.type != H5L_TYPE_HARD && !is_yes(H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT), part)) {
            return text("{} ({}) points to {}", part, kind_of_link(link), target_of_link(file, part, link));
        }
        if (end == std::string::npos) {
            return {};
        }
    }
}

Handle open_object(hid_t file, const std::string& path, const std::string& file_name, H5I_type_t type) {
    const char* kind = type == H5I_GROUP ? "group" : "data set";
    if (!naming(file_name, [&] { return exists(file, path); })) {
        const auto broken = naming(file_name, [&] { return broken_link(file, path); });
        CRESCENDO_VALIDATE(broken.empty(), "",
                           "{}:{}, which cannot be opened; put the target back, or correct the link", file_name,
                           broken);
        throw InvalidInput(text(
            "{} has no {} {}: {}{}", file_name, kind, path, naming(file_name, [&] { return siblings(file, path); }),
            path.ends_with("/inputs") ? "; data.inputs and data.targets, or --data-sets, can name others" : ""));
    }
    auto object = own(H5Oopen(file, path.c_str(), H5P_DEFAULT), text("{}:{} cannot be opened", file_name, path));
    CRESCENDO_VALIDATE(
        H5Iget_type(object.get()) == type, "", "{}:{} is not a {}; a location is FILE:/GROUP, {}", file_name, path,
        kind,
        "and the group holds the data sets inputs and targets, or the ones named in data.inputs and data.targets");
    return object;
}

/// An open file, or the reason why it cannot be opened.
struct Opened {
    Handle file;
    std::string reason;
};

Opened open_locked(const std::filesystem::path& file, Access access, std::int64_t alignment, bool with_lock) {
    const Handle settings = own(H5Pcreate(H5P_FILE_ACCESS), "no file access properties");
    // `true`: ignore ENOSYS, with which many file systems answer a lock.
    check(H5Pset_file_locking(settings.get(), with_lock, true), "no file locking property");
    align(settings.get(), alignment);
    if (access == Access::find && H5Pget_driver(settings.get()) == H5FD_SEC2) {  // unless the user chose a driver
        check(H5Pset_driver(settings.get(), finding_driver(), nullptr), "no driver for files");
    }
    const unsigned flags = access == Access::write ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
    Handle handle{H5Fopen(file.c_str(), flags, settings.get())};
    auto reason = handle.get() < 0 ? cause().words : std::string();
    return {std::move(handle), std::move(reason)};
}

/// Whether the file system refuses locks, rather than another process holding one. Network and read-only file systems
/// report this in many ways: ENOLCK, EROFS, EOPNOTSUPP, and 524, which has no name in C.
bool refuses_locks(const std::filesystem::path& file) {
    const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return descriptor && ::flock(descriptor.get(), LOCK_SH | LOCK_NB) != 0 && errno != EWOULDBLOCK;
}

std::vector<std::int64_t> signed_lengths(const std::vector<hsize_t>& lengths) {
    return {lengths.begin(), lengths.end()};
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
    std::fegetenv(&rounding_);
    // Without this, the library would try again at exit to write what a full disk did not take. It must be the first
    // call of the library.
    [[maybe_unused]] static const herr_t closes_itself = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() {
    H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
    // Recorded errors would outlive this thread if it ends, and delay the library's own shutdown.
    H5Eclear2(H5E_DEFAULT);
    std::fesetenv(&rounding_);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
    if (this != &other) {
        reset();
        id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
}

void Handle::reset() {
    if (id_ >= 0) {
        H5Idec_ref(std::exchange(id_, H5I_INVALID_HID));
    }
}

void Handle::close(const std::string& problem) { check(H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)), problem); }

void fail(const std::string& problem) {
    const auto [words, of_system] = cause();
    const auto message = problem + " (HDF5: " + words + ")";
    if (of_system) {
        throw std::runtime_error(message);
    }
    throw DamagedFile(message);
}

Handle own(hid_t id, const std::string& problem) {
    if (id < 0) {
        fail(problem);
    }
    return Handle{id};
}

void check(herr_t status, const std::string& problem) {
    if (status < 0) {
        fail(problem);
    }
}

void align(hid_t settings, std::int64_t alignment) {
    check(H5Pset_alignment(settings, static_cast<hsize_t>(alignment / 2), static_cast<hsize_t>(alignment)),
          text("no alignment at {} bytes", alignment));
}

Handle open_file(const std::filesystem::path& file, Access access, std::int64_t alignment) {
    now_reading(file.string());
    CRESCENDO_VALIDATE(std::filesystem::exists(file), "", "{}: no such file; relative paths start at {}{}",
                       file.string(), std::filesystem::current_path().string(),
                       file.string().starts_with("~") ? ", and ~ is not expanded; write the whole path" : "");
    const bool is_folder = std::filesystem::is_directory(file);
    if (is_folder || H5Fis_hdf5(file.c_str()) == 0) {
        const auto format = foreign_format(file);
        const auto words = !format.empty() ? ": " + format : is_folder ? "" : ": it has no HDF5 signature";
        throw InvalidInput(
            text("{} is {}{}", file.string(), is_folder ? "a folder, not an HDF5 file" : "not an HDF5 file", words));
    }

    auto [handle, reason] = open_locked(file, access, alignment, true);
    if (handle.get() < 0 && refuses_locks(file)) {
        CRESCENDO_VALIDATE(
            access != Access::write, "",
            "{} cannot be written to: its file system does not support locks, which keep two writers apart (HDF5: {}); "
            "write a new file, or set HDF5_USE_FILE_LOCKING=FALSE if nobody else writes to this one",
            file.string(), reason);
        auto unlocked = open_locked(file, access, alignment, false);
        handle = std::move(unlocked.file);
        reason = std::move(unlocked.reason);
    }
    CRESCENDO_VALIDATE(
        !reason.starts_with("file is already open for write"), "",
        "{} is being written to, or a program was killed while writing to it; if nothing writes to it any more, "
        "h5clear -s {} makes it readable again. Changes by programs other than crescendo may be incomplete",
        file.string(), file.string());
    CRESCENDO_VALIDATE(
        handle.get() >= 0, "",
        "{} cannot be opened for {}: it is damaged, access is denied, or it is in use by another program (HDF5: {})",
        file.string(), access == Access::write ? "writing" : "reading", reason);
    return std::move(handle);
}

int descriptor(hid_t file) {
    const auto settings = own(H5Fget_access_plist(file), "no file access properties");
    void* place = nullptr;
    const hid_t driver = H5Pget_driver(settings.get());
    if ((driver != H5FD_SEC2 && driver != finding_driver()) || H5Fget_vfd_handle(file, H5P_DEFAULT, &place) < 0) {
        return -1;
    }
    return *static_cast<const int*>(place);
}

bool exists(hid_t file, const std::string& path) {
    return path == "/" || (is_yes(H5Lexists(file, path.c_str(), H5P_DEFAULT), path) &&
                           is_yes(H5Oexists_by_name(file, path.c_str(), H5P_DEFAULT), path));  // no: a broken link
}

std::string identity(hid_t object) {
    H5O_info_t info;
#if H5_VERSION_GE(1, 12, 0)
    check(H5Oget_info3(object, &info, H5O_INFO_BASIC), "it has no identity");
    const auto& number = info.token;
#else
    check(H5Oget_info2(object, &info, H5O_INFO_BASIC), "it has no identity");
    const auto& number = info.addr;
#endif
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

Handle open_group(hid_t file, const std::string& path, const std::string& file_name) {
    return open_object(file, path, file_name, H5I_GROUP);
}

Handle open_data_set(hid_t file, const std::string& path, const std::string& file_name) {
    return open_object(file, path, file_name, H5I_DATASET);
}

std::vector<std::int64_t> extent(hid_t data_set) {
    const Handle space = own(H5Dget_space(data_set), "no data space");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> lengths(static_cast<std::size_t>(std::max(rank, 0)));
    check(H5Sget_simple_extent_dims(space.get(), lengths.data(), nullptr), "no extent");
    return signed_lengths(lengths);
}

std::vector<std::int64_t> chunk_shape(hid_t data_set) {
    const Handle settings = own(H5Dget_create_plist(data_set), "no creation properties");
    if (H5Pget_layout(settings.get()) != H5D_CHUNKED) {
        return {};
    }
    std::vector<hsize_t> lengths(H5S_MAX_RANK);
    const int rank = H5Pget_chunk(settings.get(), H5S_MAX_RANK, lengths.data());
    check(rank, "no chunk shape");
    lengths.resize(static_cast<std::size_t>(rank));
    return signed_lengths(lengths);
}

std::vector<Filter> filters(hid_t data_set) {
    const Handle settings = own(H5Dget_create_plist(data_set), "no creation properties");
    const int count = H5Pget_nfilters(settings.get());
    check(count, "no filters");

    std::vector<Filter> result;
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
        unsigned flags = 0;
        unsigned config = 0;
        std::vector<unsigned> values(64);
        std::size_t num_values = values.size();
        std::array<char, 128> name{};
        const H5Z_filter_t id = H5Pget_filter2(settings.get(), i, &flags, &num_values, values.data(), name.size() - 1,
                                               name.data(), &config);
        check(id, "no filter");
        values.resize(std::min(num_values, values.size()));
        result.push_back(
            {name[0] != '\0' ? name.data() : text("filter {}", id), H5Zfilter_avail(id) > 0, id, std::move(values)});
    }
    return result;
}

}  // namespace crescendo::datasets::hdf5
