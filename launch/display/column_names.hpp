#pragma once

#include <set>
#include <string>
#include <vector>

namespace crescendo::launch {

/// Names for the columns of a table, of which no two are the same: as JSON, a row would lose one of the two.
class ColumnNames {
  public:
    /// `taken`: the columns that have names of their own.
    explicit ColumnNames(const std::vector<std::string>& taken) : taken_(taken.begin(), taken.end()) {}

    /// `name`, or `kind`.`name` if another column is called so: "metrics.lr", "parameters.trial".
    std::string take(const std::string& kind, const std::string& name);

  private:
    std::set<std::string> taken_;
};

}  // namespace crescendo::launch
