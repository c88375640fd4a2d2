#include "datasets/sources/raw.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "datasets/sources/files_of.hpp"
#include "datasets/sources/idx.hpp"
#include "datasets/sources/image.hpp"

namespace crescendo::datasets {
namespace {

/// What the file is, if it has more than bare numbers, and how to convert it.
struct Format {
    std::string_view name;
    std::string_view remedy;
};

std::optional<Format> format_by_name(const std::filesystem::path& file) {
    const auto ending = file.extension();
    if (is_image(file)) {
        return Format{"an image", "a folder with one folder of images per class is converted without it"};
    }
    if (ending == ".npy" || ending == ".npz") {
        return Format{"a NumPy file", "FILE.npy and FILE.npz:ARRAY, one at a time, are converted without it"};
    }
    if (ending == ".csv") {
        return Format{"CSV", "one FILE.csv, alone, is converted without it"};
    }
    if (ending == ".h5" || ending == ".hdf5") {
        return Format{"HDF5", "crescendo data rechunk copies it"};
    }
    if (ending == ".gz" || ending == ".zip") {
        return Format{"compressed", "IDX is converted without it; unpack any other file first"};
    }
    return std::nullopt;
}

void expect_bare_numbers(const std::filesystem::path& file, bool look_inside) {
    auto format = format_by_name(file);
    if (!format && look_inside && is_idx(file)) {
        format = Format{"IDX", "it is converted without it"};
    }
    if (format) {
        throw InvalidInput(text("{} is {}, but --type (--target-type) is for files of bare numbers; {}", file.string(),
                                format->name, format->remedy));
    }
}

}  // namespace

RawReader::RawReader(const std::filesystem::path& path, SampleFormat format) : SampleSource(path.string()) {
    set_format(format, 0);
    const auto sample_bytes = static_cast<std::int64_t>(format.bytes());
    std::int64_t total = 0;
    for (const auto& file : files_of(path)) {
        expect_bare_numbers(file, /*look_inside=*/files_.empty());  // opening all would double the time for many files
        const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
        CRESCENDO_VALIDATE(bytes > 0 && bytes % sample_bytes == 0, "",
                           "{} has {} bytes, which cannot be whole samples of {} bytes; check --type and --shape",
                           file.string(), bytes, sample_bytes);
        files_.push_back({file, bytes});
        total += bytes;
    }
    CRESCENDO_VALIDATE(!files_.empty(), "", "{} holds no files; give the folder they are in", name());
    set_format(std::move(format), total / sample_bytes);
    open(0, 0);
}

void RawReader::open(std::size_t file, std::int64_t offset) {
    current_ = file;
    left_ = files_[file].bytes - offset;
    in_ = std::ifstream(files_[file].path, std::ios::binary);
    in_.seekg(offset);
    CRESCENDO_VALIDATE(in_.good(), "", "{} cannot be opened: no permission to read it", files_[file].path.string());
}

void RawReader::skip(std::int64_t num_samples) {
    auto offset = files_[current_].bytes - left_ + num_samples * static_cast<std::int64_t>(format().bytes());
    auto file = current_;
    while (file + 1 < files_.size() && offset >= files_[file].bytes) {
        offset -= files_[file].bytes;
        ++file;
    }
    open(file, offset);
}

void RawReader::read(std::span<std::byte> out) {
    while (!out.empty()) {
        if (left_ == 0) {
            CRESCENDO_EXPECT(current_ + 1 < files_.size());
            open(current_ + 1, 0);
        }
        const auto count = std::min(left_, std::ssize(out));
        in_.read(reinterpret_cast<char*>(out.data()), count);
        CRESCENDO_VALIDATE(in_.gcount() == count, "", "{} ends before its {} bytes: it changed while it was read",
                           files_[current_].path.string(), files_[current_].bytes);
        left_ -= count;
        out = out.subspan(static_cast<std::size_t>(count));
    }
}

}  // namespace crescendo::datasets
