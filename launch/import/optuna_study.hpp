#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A study of Optuna, with what a sweep file can express of it.
struct OptunaStudy {
    std::string name;
    std::vector<bool> minimizes = {};             ///< one for each objective
    std::vector<std::string> metrics = {};        ///< names of the objectives; may be empty
    OrderedJson distributions = OrderedJson::object();  ///< by parameter name, in order of first use
    int num_trials = 0;
    std::map<std::string, int> num_with = {};  ///< number of trials with the parameter, by its name; empty if unknown
    std::set<std::string> changed = {};        ///< parameters whose distribution differs between trials

    /// Records that `trials` more trials have the parameter. `distribution` is JSON text, as storages keep it; the last
    /// one replaces earlier ones.
    void add(const std::string& parameter, const std::string& distribution, int trials);
};

/// The studies of a journal, in the order of their creation.
std::vector<OptunaStudy> studies_of_journal(const std::string& text, const std::string& path);

/// The studies of an SQLite database. Throws InvalidInput if it is not a database of Optuna.
std::vector<OptunaStudy> studies_of_database(const std::string& path);

}  // namespace crescendo::launch
