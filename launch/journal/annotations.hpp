#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A remark of the user.
struct UserNote {
    double time = 0;               ///< seconds since the epoch
    std::optional<TrialId> trial;  ///< none: about the sweep
    std::string text;
};

/// What users wrote about a sweep and its trials. No decision depends on it.
class Annotations {
  public:
    /// Takes a note of the journal, if it is one that the two functions below make.
    void take(const Json& note);

    /// All remarks, in the order in which they were made.
    const std::vector<UserNote>& user_notes() const { return user_notes_; }

    /// Tags of a trial; without one, of the sweep.
    const std::set<std::string>& tags(std::optional<TrialId> trial) const;

  private:
    std::vector<UserNote> user_notes_;
    std::map<std::optional<TrialId>, std::set<std::string>> tags_;
};

Json user_note(const UserNote& remark);
Json tag_note(double time, std::optional<TrialId> trial, const std::vector<std::string>& add,
              const std::vector<std::string>& remove);

}  // namespace crescendo::launch
