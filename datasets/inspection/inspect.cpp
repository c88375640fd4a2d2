#include "datasets/inspection/inspect.hpp"

#include <set>
#include <stdexcept>
#include <utility>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

void describe(hid_t data_set, DataSetInfo& info) {
    const auto type = hdf5::own(H5Dget_type(data_set), "its type cannot be read");
    const auto space = hdf5::own(H5Dget_space(data_set), "its shape cannot be read");
    info.type = hdf5::type_name(type.get());
    info.shape = hdf5::extent(data_set);
    info.chunk = hdf5::chunk_shape(data_set);
    for (auto& filter : hdf5::filters(data_set)) {
        info.filters.push_back(std::move(filter.name));
    }
    info.samples = info.shape.empty() ? 0 : info.shape[0];
    const auto element_bytes = static_cast<std::int64_t>(H5Tget_size(type.get()));
    if (__builtin_mul_overflow(H5Sget_simple_extent_npoints(space.get()), element_bytes, &info.bytes)) {
        throw std::runtime_error("it says to hold 2^63 bytes or more");
    }
    info.stored_bytes = static_cast<std::int64_t>(H5Dget_storage_size(data_set));
}

/// Names of a group's members in alphabetical order, without links that are not followed.
std::vector<std::string> members(hid_t group) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t* link, void* out) -> herr_t {
        if (link->type == H5L_TYPE_HARD) {
            static_cast<std::vector<std::string>*>(out)->push_back(name);
        }
        return 0;
    };
    hdf5::check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "its members cannot be listed");
    return names;
}

/// One walk through a file. H5Lvisit would end at the first damaged object.
class Walk {
  public:
    /// `path` of the group ends with '/'.
    void visit_group(hid_t group, const std::string& path) {
        if (!groups_seen_.insert(hdf5::identity(group)).second) {
            return;
        }
        for (const auto& name : members(group)) {
            try {
                const auto object = hdf5::own(H5Oopen(group, name.c_str(), H5P_DEFAULT), "it cannot be opened");
                visit(object.get(), path + name);
            } catch (const std::runtime_error& error) {
                DataSetInfo damaged;
                damaged.path = path + name;
                damaged.problem = error.what();
                found_.push_back(std::move(damaged));
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
            DataSetInfo info;
            info.path = path;
            describe(object, info);
            found_.push_back(std::move(info));
        }
    }

    std::set<std::string> groups_seen_;  ///< a group may hold itself
    std::vector<DataSetInfo> found_;
};

}  // namespace

std::vector<DataSetInfo> inspect(const std::filesystem::path& file) {
    const hdf5::Session session;
    const auto handle = hdf5::open_file(file, hdf5::Access::read);
    const auto root = hdf5::own(H5Gopen2(handle.get(), "/", H5P_DEFAULT), file.string() + ": no root group");
    Walk walk;
    walk.visit_group(root.get(), "/");
    return std::move(walk).found();
}

}  // namespace crescendo::datasets
