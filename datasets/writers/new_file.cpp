#include "datasets/writers/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "datasets/system/own_process.hpp"

namespace crescendo::datasets {

namespace fs = std::filesystem;

void sync_to_disk(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool ok = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    if (!ok) {
        throw std::runtime_error(
            text("{} cannot be written to disk: {}", path.string(), std::generic_category().message(error)));
    }
}

NewFile::NewFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
    temporary_ += text(".part-{}", ::getpid());
    const auto folder = path_.parent_path();
    CRESCENDO_VALIDATE(folder.empty() || fs::is_directory(folder), "", "{} is no folder; make it first",
                       folder.string());
    remove_after_crash(temporary_.string());
}

NewFile::~NewFile() {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    remove_after_crash("");
}

void NewFile::publish() {
    CRESCENDO_VALIDATE(!fs::exists(path_), "", "{} was made by another program meanwhile; run again to add to it",
                       path_.string());
    replace();
}

void NewFile::replace() {
    sync_to_disk(temporary_);
    fs::rename(temporary_, path_);
    sync_to_disk(path_.has_parent_path() ? path_.parent_path() : ".");
}

}  // namespace crescendo::datasets
