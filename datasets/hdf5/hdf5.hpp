#pragma once

#include <hdf5.h>

#include <cfenv>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "core/check.hpp"

/// HDF5's C API with handles that close themselves, and with exceptions for errors.
namespace crescendo::datasets::hdf5 {

/// Locks the library for this thread while the session lives. Turns off the library's own printing of errors.
/// Builds without thread safety are common (every MPI build is one). The thread-safe build serialises its calls itself,
/// so this lock costs it nothing. A filter that the library loads may be built with -ffast-math, which makes its thread
/// flush denormal numbers to 0 from then on; a session's end undoes that. Everything below must be used, and its
/// handles closed, under a session. Sessions of one thread nest. A constructor that fills handles and may throw needs a
/// session from its caller, because its members outlive its local variables.
class Session {
  public:
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

  private:
    std::lock_guard<std::recursive_mutex> lock_;
    std::fenv_t rounding_{};  ///< this thread's floating-point mode before the session
    H5E_auto2_t print_ = nullptr;
    void* print_data_ = nullptr;
};

/// Owns one identifier of any kind: file, group, data set, type, space, property list.
class Handle {
  public:
    Handle() = default;
    explicit Handle(hid_t id) : id_(id) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle&& other) noexcept;

    hid_t get() const { return id_; }

    /// Closes the identifier. Ignores failures.
    void reset();
    /// Closes an object that was written to. Calls fail(problem) if the library cannot.
    void close(const std::string& problem);

  private:
    hid_t id_ = H5I_INVALID_HID;
};

/// Throws `problem` with the cause of the library's last failure: std::runtime_error if the system refused something,
/// such as on a full disk; else DamagedFile.
[[noreturn]] void fail(const std::string& problem);

/// Calls `use` and returns its result. If it throws as fail() does, puts `name`, FILE or FILE:/PATH, before the
/// message.
template <class Use>
decltype(auto) naming(const std::string& name, Use&& use) {
    const auto named = [&](const std::string& message) {
        return message.find(name) == std::string::npos ? name + ": " + message : message;
    };
    try {
        return use();
    } catch (const InvalidInput&) {
        throw;
    } catch (const std::system_error&) {
        throw;
    } catch (const DamagedFile& damaged) {
        throw DamagedFile(named(damaged.what()));
    } catch (const std::runtime_error& failure) {
        throw std::runtime_error(named(failure.what()));
    }
}

/// Returns `id` as a handle. Calls fail(problem) if the library refused to make one.
Handle own(hid_t id, const std::string& problem);
void check(herr_t status, const std::string& problem);

/// How a file is opened.
enum class Access {
    read,
    find,  ///< for reading, with a Finder to locate stored data
    write
};

/// Opens an existing file. Throws InvalidInput for: no such file, not HDF5, truncated, locked by a writer. If the file
/// system refuses locks, as some parallel and read-only ones do, reads the file without a lock. `alignment` is in
/// bytes, as in align().
Handle open_file(const std::filesystem::path& file, Access access, std::int64_t alignment = 1);

/// Sets that objects of at least half of `alignment` bytes start at multiples of it in the file. `settings` are the
/// properties with which a file is opened.
void align(hid_t settings, std::int64_t alignment);

/// The file's descriptor, which the library closes with the file; -1 if the library does not read by plain system
/// calls.
int descriptor(hid_t file);

/// Whether the absolute `path` leads to an object. Throws as fail() does if the file is damaged or unreadable there.
bool exists(hid_t file, const std::string& path);

/// A text that is unique among the file's objects.
std::string identity(hid_t object);

/// Opens the group or data set at the absolute `path`. Throws InvalidInput that names `file_name` and, if there is no
/// such object, what is there instead.
Handle open_group(hid_t file, const std::string& path, const std::string& file_name);
Handle open_data_set(hid_t file, const std::string& path, const std::string& file_name);

/// Lengths of a data set's axes; empty for a scalar and for a null data space.
std::vector<std::int64_t> extent(hid_t data_set);

/// Shape of a data set's chunks; empty if the layout is not chunked.
std::vector<std::int64_t> chunk_shape(hid_t data_set);

/// A filter between the stored bytes of a chunk and its elements.
struct Filter {
    std::string name;        ///< "deflate", "shuffle", or its name in the file
    bool available = false;  ///< whether the library can undo it
    int id = 0;              ///< identifier registered with the HDF Group
    std::vector<unsigned> parameters = {};
};
std::vector<Filter> filters(hid_t data_set);

}  // namespace crescendo::datasets::hdf5
