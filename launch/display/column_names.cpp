#include "launch/display/column_names.hpp"

namespace crescendo::launch {

std::string ColumnNames::take(const std::string& kind, const std::string& name) {
    auto column = name;
    while (!taken_.insert(column).second) {
        column = kind + '.' + column;
    }
    return column;
}

}  // namespace crescendo::launch
