#include "datasets/inspection/inspect.hpp"

#include <set>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_links.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/source_files.hpp"

namespace crescendo::datasets {
namespace {

void describe(hid_t data_set, DataSetInfo& info) {
    const auto type = hdf5::own(H5Dget_type(data_set), "its type cannot be read");
    const auto space = hdf5::own(H5Dget_space(data_set), "its shape cannot be read");
    info.type = hdf5::type_name(type.get());
    const auto space_class = H5Sget_simple_extent_type(space.get());
    info.space = space_class == H5S_NULL     ? DataSetInfo::Space::null
                 : space_class == H5S_SCALAR ? DataSetInfo::Space::scalar
                                             : DataSetInfo::Space::simple;
    info.shape = hdf5::extent(data_set);
    info.chunk = hdf5::chunk_shape(data_set);
    for (auto& filter : hdf5::filters(data_set)) {
        info.filters.push_back(std::move(filter.name));
    }
    const auto element_bytes = static_cast<std::int64_t>(H5Tget_size(type.get()));
    if (__builtin_mul_overflow(H5Sget_simple_extent_npoints(space.get()), element_bytes, &info.bytes)) {
        throw DamagedFile("it claims to hold 2^63 bytes or more");
    }
    info.stored_bytes = static_cast<std::int64_t>(H5Dget_storage_size(data_set));
    if (const auto element = hdf5::element_type(type.get())) {
        if (const auto packing = hdf5::packing_of(data_set, *element, info.path)) {
            info.packing = to_string(*packing);
        }
    }
}

/// Walks through a file. H5Lvisit would stop at the first damaged object.
class Walk {
  public:
    /// `path`, that of the group, must end with '/'.
    void visit_group(hid_t group, const std::string& path) {
        if (!groups_seen_.insert(hdf5::identity(group)).second) {
            return;
        }
        for (const auto& [name, link] : hdf5::naming(path, [&] { return hdf5::links_of(group, H5_INDEX_NAME); })) {
            try {
                if (link.type != H5L_TYPE_HARD) {
                    found_.push_back({.path = path + name,
                                      .type = hdf5::kind_of_link(link),
                                      .link = hdf5::target_of_link(group, name, link)});
                    continue;
                }
                const auto object = hdf5::own(H5Oopen(group, name.c_str(), H5P_DEFAULT), "it cannot be opened");
                visit(object.get(), path + name);
            } catch (const std::runtime_error& error) {
                found_.push_back({.path = path + name, .problem = error.what()});
            }
        }
    }

    std::vector<DataSetInfo> found() && { return std::move(found_); }

  private:
    void visit(hid_t object, const std::string& path) {
        const auto type = H5Iget_type(object);
        if (type == H5I_GROUP) {
            visit_group(object, path + "/");
        } else if (type == H5I_DATASET) {
            DataSetInfo info{.path = path};
            try {
                describe(object, info);
                source_files(object, path, MissingSources::error);
            } catch (const std::runtime_error& error) {
                info.problem = error.what();
            }
            found_.push_back(std::move(info));
        }
    }

    std::set<std::string> groups_seen_;  ///< guards against a group that contains itself
    std::vector<DataSetInfo> found_;
};

}  // namespace

std::vector<DataSetInfo> inspect(const std::filesystem::path& file) {
    const hdf5::Session session;
    const auto handle = hdf5::open_file(file, hdf5::Access::read);
    return hdf5::naming(file.string(), [&] {
        const auto root = hdf5::own(H5Gopen2(handle.get(), "/", H5P_DEFAULT), "its root group cannot be opened");
        Walk walk;
        walk.visit_group(root.get(), "/");
        return std::move(walk).found();
    });
}

}  // namespace crescendo::datasets
