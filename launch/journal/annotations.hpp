#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A user's remark.
struct UserNote {
    double time = 0;               ///< seconds since the epoch
    std::optional<TrialId> trial;  ///< none: about the sweep
    std::string text;
};

/// Users' remarks and tags of a sweep and its trials. No decision depends on them.
class Annotations {
  public:
    /// Takes a note of the journal, if user_note() or tag_note() made it.
    void take(const Json& note);

    /// All remarks, in the order of writing.
    const std::vector<UserNote>& user_notes() const { return user_notes_; }

    /// Tags of a trial, or, without a trial, of the sweep.
    const std::set<std::string>& tags(std::optional<TrialId> trial) const;

  private:
    std::vector<UserNote> user_notes_;
    std::map<std::optional<TrialId>, std::set<std::string>> tags_;
};

Json user_note(const UserNote& remark);
Json tag_note(double time, std::optional<TrialId> trial, const std::vector<std::string>& add,
              const std::vector<std::string>& remove);

}  // namespace crescendo::launch
