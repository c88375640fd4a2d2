#include "datasets/writers/new_file.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/writing.hpp"
#include "datasets/system/own_process.hpp"

namespace crescendo::datasets {

namespace fs = std::filesystem;

NewFile::NewFile(fs::path path) : path_(std::move(path)), temporary_(own_name(path_, "part")) {
    const auto folder = path_.parent_path();
    CRESCENDO_VALIDATE(folder.empty() || fs::is_directory(folder), "", "{} is not a folder; create it first",
                       folder.string());
    ::unlink(temporary_.c_str());  // left by a former process with our process id
    remove_after_crash(temporary_.string());
}

NewFile::~NewFile() {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    remove_after_crash("");
}

void NewFile::publish() {
    CRESCENDO_VALIDATE(!fs::exists(path_), "",
                       "{} was created by another program in the meantime; run again to add to it", path_.string());
    rename_durably(temporary_, path_);
}

void expect_room(const fs::path& file, std::int64_t bytes, const std::string& what) {
    const auto folder = fs::absolute(file).parent_path();
    const auto free = static_cast<std::int64_t>(fs::space(folder).available);
    CRESCENDO_VALIDATE(
        bytes <= free, "",
        "a copy of {} takes {} bytes, but {} has only {} free; write it to another disk, or try --compress 1", what,
        bytes, folder.string(), free);
}

}  // namespace crescendo::datasets
