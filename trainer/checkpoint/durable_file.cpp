#include "trainer/checkpoint/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <system_error>

namespace crescendo::trainer {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw WriteError(errno, std::generic_category(), "cannot write " + path.string());
}

class Descriptor {
  public:
    Descriptor(const std::filesystem::path& path, int flags) : path_(path), fd_(::open(path.c_str(), flags, 0666)) {
        if (fd_ < 0) {
            fail(path_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(fd_); }

    void write(std::string_view rest) const {
        while (!rest.empty()) {
            const ssize_t written = ::write(fd_, rest.data(), rest.size());
            if (written < 0 && errno != EINTR) {
                fail(path_);
            }
            if (written > 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
            }
        }
    }

    void sync() const {
        if (::fsync(fd_) != 0) {
            fail(path_);
        }
    }

  private:
    const std::filesystem::path& path_;
    int fd_;
};

/// This process's own: one that stood still does not write into another's.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
    std::array<char, HOST_NAME_MAX + 1> host{};
    ::gethostname(host.data(), host.size() - 1);
    return path.string() + ".tmp." + host.data() + "." + std::to_string(::getpid());
}

/// Removes what writers left that were killed, or that stopped responding. If such a writer continues, it finds nothing
/// to rename.
void remove_temporaries(const std::filesystem::path& path, const std::filesystem::path& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with(path.filename().string() + ".tmp")) {
            std::filesystem::remove(entry.path(), ignored);
        }
    }
}

}  // namespace

void replace_durably(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce) {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    remove_temporaries(path, folder);
    const auto temporary = temporary_name(path);
    try {
        const Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
        produce([&](std::string_view bytes) { file.write(bytes); });
        file.sync();
        if (::rename(temporary.c_str(), path.c_str()) != 0) {
            fail(path);
        }
    } catch (...) {
        ::unlink(temporary.c_str());  // what there was room for is better left to others
        throw;
    }
    Descriptor(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC).sync();
}

}  // namespace crescendo::trainer
