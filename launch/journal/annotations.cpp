#include "launch/journal/annotations.hpp"

namespace crescendo::launch {
namespace {

std::optional<TrialId> trial_of(const Json& note) {
    const auto trial = note.find("trial");
    return trial == note.end() ? std::nullopt : std::optional(TrialId{trial->get<std::int32_t>()});
}

Json note_about(const char* kind, double time, std::optional<TrialId> trial) {
    Json note{{"note", kind}, {"time", time}};
    if (trial) {
        note["trial"] = trial->value;
    }
    return note;
}

}  // namespace

void Annotations::take(const Json& note) {
    const std::string kind = note.at("note");
    if (kind == "remark") {
        user_notes_.push_back({note.at("time"), trial_of(note), note.at("text")});
    } else if (kind == "tags") {
        auto& tags = tags_[trial_of(note)];
        for (const std::string tag : note.at("add")) {
            tags.insert(tag);
        }
        for (const std::string tag : note.at("remove")) {
            tags.erase(tag);
        }
    }
}

const std::set<std::string>& Annotations::tags(std::optional<TrialId> trial) const {
    static const std::set<std::string> none;
    const auto found = tags_.find(trial);
    return found == tags_.end() ? none : found->second;
}

Json user_note(const UserNote& remark) {
    auto note = note_about("remark", remark.time, remark.trial);
    note["text"] = remark.text;
    return note;
}

Json tag_note(double time, std::optional<TrialId> trial, const std::vector<std::string>& add,
              const std::vector<std::string>& remove) {
    auto note = note_about("tags", time, trial);
    note["add"] = add;
    note["remove"] = remove;
    return note;
}

}  // namespace crescendo::launch
