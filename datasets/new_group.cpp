#include "datasets/new_group.hpp"

#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {

NewGroup::NewGroup(Location place) : place_(std::move(place)) {
    const hdf5::Session session;
    if (std::filesystem::exists(place_.file)) {
        file_ = hdf5::open_file(place_.file, hdf5::Access::write);
        CRESCENDO_VALIDATE(!hdf5::exists(file_.get(), place_.group), "",
                           "{} exists already and is not overwritten; choose another group, or another file",
                           to_string(place_));
    } else {
        new_file_.emplace(place_.file);
        const auto& name = new_file_->temporary();
        // The format of 1.10, whose metadata have checksums: damage is an error of the library, not its crash.
        const auto access = hdf5::own(H5Pcreate(H5P_FILE_ACCESS), "no file access properties");
        hdf5::check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "no format of files");
        file_ = hdf5::own(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                          text("{} cannot be made", name.string()));
    }
    group_ = place_.is_root()
                 ? hdf5::own(H5Gopen2(file_.get(), "/", H5P_DEFAULT), "no root group")
                 : hdf5::own(H5Gcreate_anon(file_.get(), H5P_DEFAULT, H5P_DEFAULT), "no group can be made");
}

NewGroup::~NewGroup() { close(); }

void NewGroup::publish() {
    {
        const hdf5::Session session;
        hdf5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "the samples cannot be written");
        if (!place_.is_root()) {
            const auto link = hdf5::own(H5Pcreate(H5P_LINK_CREATE), "no link properties");
            hdf5::check(H5Pset_create_intermediate_group(link.get(), 1), "no intermediate groups");
            hdf5::check(H5Olink(group_.get(), file_.get(), place_.group.c_str(), link.get(), H5P_DEFAULT),
                        text("the group {} cannot be made", place_.group));
            hdf5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), text("the group {} cannot be written", place_.group));
        }
    }
    close();
    if (new_file_) {
        new_file_->publish();
    }
}

void NewGroup::close() {
    const hdf5::Session session;
    group_.reset();
    file_.reset();
}

}  // namespace crescendo::datasets
