#include "datasets/writers/new_file.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "datasets/system/own_process.hpp"

namespace crescendo::datasets {

namespace fs = std::filesystem;

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

void NewFile::replace() { rename_durably(temporary_, path_); }

}  // namespace crescendo::datasets
