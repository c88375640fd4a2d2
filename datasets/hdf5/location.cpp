#include "datasets/hdf5/location.hpp"

#include "core/check.hpp"

namespace crescendo::datasets {

Location Location::parse(const std::string& text) {
    const auto colon = text.rfind(":/");
    if (colon == std::string::npos || colon == 0) {
        throw InvalidInput(
            crescendo::text("\"{}\" does not name a group of an HDF5 file; write FILE:/GROUP, for example "
                            "fashion.h5:/train, or FILE:/ for data sets outside any group",
                            text));
    }
    std::string group = text.substr(colon + 1);
    while (group.size() > 1 && group.back() == '/') {
        group.pop_back();
    }
    return {text.substr(0, colon), group};
}

std::string Location::member(const std::string& name) const { return (is_root() ? "" : group) + "/" + name; }

std::string to_string(const Location& location) { return location.file.string() + ":" + location.group; }

}  // namespace crescendo::datasets
