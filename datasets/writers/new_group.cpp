#include "datasets/writers/new_group.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"

namespace crescendo::datasets {
namespace {

/// Whether new data may land where the file has holes.
bool fills_holes(hid_t file) {
    const auto settings = hdf5::own(H5Fget_create_plist(file), "no properties of a file");
    H5F_fspace_strategy_t strategy{};
    hbool_t remembers_holes = false;
    hsize_t threshold = 0;
    hdf5::check(H5Pget_file_space_strategy(settings.get(), &strategy, &remembers_holes, &threshold), "no strategy");
    return remembers_holes;
}

/// Throws InvalidInput if a data set is in the way of the new group.
void expect_groups_on_the_way(hid_t file, const Location& place) {
    for (auto slash = place.group.find('/', 1); slash != std::string::npos; slash = place.group.find('/', slash + 1)) {
        const auto above = place.group.substr(0, slash);
        if (hdf5::exists(file, above)) {
            hdf5::open_group(file, above, place.file.string());
        }
    }
}

}  // namespace

FileBefore::FileBefore(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code trouble;  // ignored: the library reports it when it opens the file
    bytes_ = std::filesystem::file_size(path_, trouble);
    written_ = std::filesystem::last_write_time(path_, trouble);
    std::ifstream(path_, std::ios::binary).read(superblock_.data(), superblock_.size());
}

void FileBefore::take(int descriptor) {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    const bool known = std::string_view(superblock_.data(), superblock_.size()).starts_with(signature) &&
                       bytes_ >= superblock_.size() && bytes_ == std::filesystem::file_size(path_);
    if (!known || descriptor < 0) {
        return;
    }
    descriptor_ = FileDescriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!descriptor_) {
        throw std::runtime_error(
            text("{} cannot be kept locked: {}", path_.string(), std::generic_category().message(errno)));
    }
}

FileBefore::~FileBefore() {
    if (descriptor_ && ::ftruncate(descriptor_.get(), static_cast<off_t>(bytes_)) == 0 &&
        ::pwrite(descriptor_.get(), superblock_.data(), superblock_.size(), 0) == std::ssize(superblock_)) {
        std::error_code ignored;
        std::filesystem::last_write_time(path_, written_, ignored);
    }
}

NewGroup::NewGroup(Location place, std::int64_t alignment) : NewGroup(std::move(place), alignment, hdf5::Session()) {}

NewGroup::NewGroup(Location place, std::int64_t alignment, const hdf5::Session&) : place_(std::move(place)) {
    hdf5::naming(place_.file.string(), [&] { open(alignment); });
}

void NewGroup::open(std::int64_t alignment) {
    CRESCENDO_VALIDATE(!place_.group.ends_with(']'), "",
                       "{} ends with brackets, which select samples of a group, so a group with this name could not be "
                       "read; leave them out",
                       to_string(place_));
    if (std::filesystem::exists(place_.file)) {
        before_.emplace(place_.file);
        file_ = hdf5::open_file(place_.file, hdf5::Access::write, alignment);
        if (!fills_holes(file_.get())) {
            before_->take(hdf5::descriptor(file_.get()));
        }
        CRESCENDO_VALIDATE(!hdf5::exists(file_.get(), place_.group), "",
                           "{} already exists and is not overwritten; choose another group, or another file",
                           to_string(place_));
        expect_groups_on_the_way(file_.get(), place_);
    } else {
        new_file_.emplace(place_.file);
        const auto& name = new_file_->temporary();
        // HDF5 1.10's format has metadata checksums, so the library reports damage instead of crashing.
        const auto access = hdf5::own(H5Pcreate(H5P_FILE_ACCESS), "no file access properties");
        hdf5::check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "no format of files");
        hdf5::align(access.get(), alignment);
        file_ = hdf5::own(H5Fcreate(name.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()),
                          text("{} cannot be created", name.string()));
    }
    group_ = place_.is_root()
                 ? hdf5::own(H5Gopen2(file_.get(), "/", H5P_DEFAULT), "no root group")
                 : hdf5::own(H5Gcreate_anon(file_.get(), H5P_DEFAULT, H5P_DEFAULT), "no group can be created");
    if (!place_.is_root()) {
        // HDF5 1.10 loses its record that the group has no link when the group leaves its cache, as happens after many
        // other writes. It would then delete a group that has its link. Our own reference keeps the counts consistent.
        hdf5::check(H5Oincr_refcount(group_.get()), "no group can be created");
        is_held_ = true;
    }
}

NewGroup::~NewGroup() {
    const hdf5::Session session;
    if (is_held_) {
        H5Odecr_refcount(group_.get());  // the group has no link: the library deletes it
    }
    group_.reset();
    file_.reset();
}

void NewGroup::publish() {
    hdf5::naming(place_.file.string(), [&] {
        const hdf5::Session session;
        hdf5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "the samples cannot be written");
        sync();
        if (before_) {
            before_->leave();
        }
        if (!place_.is_root()) {
            const auto link = hdf5::own(H5Pcreate(H5P_LINK_CREATE), "no link properties");
            hdf5::check(H5Pset_create_intermediate_group(link.get(), 1), "no intermediate groups");
            hdf5::check(H5Olink(group_.get(), file_.get(), place_.group.c_str(), link.get(), H5P_DEFAULT),
                        text("the group {} cannot be created", place_.group));
            is_held_ = false;
            hdf5::check(H5Odecr_refcount(group_.get()), text("the group {} cannot be created", place_.group));
            hdf5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), text("the group {} cannot be written", place_.group));
            sync();
        }
        group_.close("the group cannot be closed");
        file_.close("the file cannot be closed");
    });
    if (new_file_) {
        new_file_->publish();
    } else {
        sync_to_disk(place_.file);  // only now the file is no longer marked as being written
    }
}

/// Syncs the file to disk. The library's flush only passes bytes to the system, which may keep them in memory.
void NewGroup::sync() const {
    if (const int descriptor = hdf5::descriptor(file_.get()); descriptor >= 0 && ::fsync(descriptor) != 0) {
        throw std::runtime_error(text("the samples cannot be written: {}", std::generic_category().message(errno)));
    }
}

}  // namespace crescendo::datasets
