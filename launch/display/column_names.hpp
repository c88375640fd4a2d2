#pragma once

#include <set>
#include <string>
#include <vector>

namespace crescendo::launch {

/// Gives the columns of a table unique names. With equal names, a row in JSON would lose a value.
class ColumnNames {
  public:
    /// `taken`: names that are already in use.
    explicit ColumnNames(const std::vector<std::string>& taken) : taken_(taken.begin(), taken.end()) {}

    /// Returns `name`, or `kind`.`name` if another column is called `name`: "metrics.lr", "parameters.trial".
    std::string take(const std::string& kind, const std::string& name);

  private:
    std::set<std::string> taken_;
};

}  // namespace crescendo::launch
