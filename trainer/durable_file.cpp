#include "trainer/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace crescendo::trainer {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw WriteError(errno, std::generic_category(), "cannot write " + path.string());
}

class Descriptor {
  public:
    Descriptor(const std::filesystem::path& path, int flags) : path_(path), fd_(::open(path.c_str(), flags, 0666)) {
        if (fd_ < 0) fail(path_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(fd_); }

    void write(std::string_view rest) const {
        while (!rest.empty()) {
            const ssize_t written = ::write(fd_, rest.data(), rest.size());
            if (written < 0 && errno != EINTR) fail(path_);
            if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void sync() const {
        if (::fsync(fd_) != 0) fail(path_);
    }

    /// False once another file has taken its place, or none.
    bool has_name() const {
        struct stat status {};
        return ::fstat(fd_, &status) == 0 && status.st_nlink > 0;
    }

  private:
    const std::filesystem::path& path_;
    int fd_;
};

}  // namespace

void replace_durably(const std::filesystem::path& path, std::string_view content) {
    const std::filesystem::path temporary = path.string() + ".tmp";
    // Of a writer that was killed, or that stood still, was given up, and will go on: then with a file without a name.
    ::unlink(temporary.c_str());
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    try {
        file.write(content);
        file.sync();
        if (!file.has_name())
            throw WriteError(ESTALE, std::generic_category(), "another process writes " + path.string());
        if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
    } catch (const WriteError&) {
        if (file.has_name()) ::unlink(temporary.c_str());  // what there was room for is better left to others
        throw;
    }
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    Descriptor(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC).sync();
}

}  // namespace crescendo::trainer
