#include "datasets/writers/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

namespace fs = std::filesystem;

void sync(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool ok = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    if (!ok) {
        throw std::system_error(error, std::generic_category(), text("{} cannot be written to disk", path.string()));
    }
}

}  // namespace

NewFile::NewFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
    temporary_ += text(".part-{}", ::getpid());
    const auto folder = path_.parent_path();
    CRESCENDO_VALIDATE(folder.empty() || fs::is_directory(folder), "", "{} is no folder; make it first",
                       folder.string());
}

NewFile::~NewFile() {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
}

void NewFile::publish() {
    CRESCENDO_VALIDATE(!fs::exists(path_), "", "{} was made by another program meanwhile; run again to add to it",
                       path_.string());
    replace();
}

void NewFile::replace() {
    sync(temporary_);
    fs::rename(temporary_, path_);
    sync(path_.has_parent_path() ? path_.parent_path() : ".");
}

}  // namespace crescendo::datasets
