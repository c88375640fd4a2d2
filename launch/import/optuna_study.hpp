#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A study of Optuna, as far as a sweep file can have it.
struct OptunaStudy {
    std::string name;
    std::vector<bool> minimizes = {};             ///< one for each objective
    std::vector<std::string> metrics = {};        ///< names of the objectives; may be empty
    OrderedJson distributions = OrderedJson::object();  ///< by name of the parameter, in the order of their first use
    int num_trials = 0;
    std::map<std::string, int> num_with = {};  ///< trials that have the parameter, by its name; empty if not known
    std::set<std::string> changed = {};        ///< parameters whose distribution was another one in other trials

    /// So many trials more have the parameter. Storages keep a distribution as JSON text; the last counts.
    void add(const std::string& parameter, const std::string& distribution, int trials);
};

/// The studies of a journal, in the order in which they were made.
std::vector<OptunaStudy> studies_of_journal(const std::string& text, const std::string& path);

/// The studies of a database of SQLite. Throws InvalidInput if it is none of Optuna's.
std::vector<OptunaStudy> studies_of_database(const std::string& path);

}  // namespace crescendo::launch
