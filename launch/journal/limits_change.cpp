#include "launch/journal/limits_change.hpp"

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "core/words.hpp"
#include "launch/json/event_json.hpp"
#include "launch/sweep_file/keys/flat_keys.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"

namespace crescendo::launch {
namespace {

constexpr Words sources{
    {std::pair{LimitsChange::Source::file, "file"}, {LimitsChange::Source::command, "command"}}};

}  // namespace

Json limits_record(const LimitsChange& change, const SweepFile& file, double elapsed, double time) {
    const auto time_budget = file.time_budget_seconds();
    const bool has_time_left = !time_budget || elapsed < *time_budget;
    Json record = record_of(LimitsChanged{limits_of(file.spec), has_time_left}, time);
    auto& settings = record["set"] = Json::object();
    for (const auto& setting : change.settings) {
        settings[setting.key] = setting.value ? Json(*setting.value) : Json(nullptr);
    }
    record["source"] = sources.of(change.source);
    return record;
}

std::optional<LimitsChange> limits_change_from(const Json& record) {
    const auto settings = record.find("set");
    if (record.value("event", "") != "limits_changed" || settings == record.end()) {
        return std::nullopt;
    }
    LimitsChange change;
    for (const auto& [key, value] : settings->items()) {
        change.settings.push_back({key, value.is_null() ? std::nullopt : std::optional(value.get<std::string>())});
    }
    change.source = sources.find(record.value("source", "")).value_or(LimitsChange::Source::command);
    return change;
}

Override parse_setting(const std::string& text) {
    auto setting = parse_override(text, "run_cap=200");
    const auto option = option_of_session(setting.key);
    CRESCENDO_VALIDATE(
        option.empty(), setting.key,
        "{} cannot be set, because a session keeps its slots; stop the sweep, and pass {} to `crescendo resume`",
        setting.key, option);
    CRESCENDO_VALIDATE(is_changeable(setting.key), setting.key,
                       "{} cannot be set{}: trials were trained with the original settings; run a changed copy of "
                       "the sweep file as a new sweep. Settings that can change: {}",
                       setting.key, did_you_mean(setting.key, changeable_keys()), list_of_changeable_keys());
    const auto written = setting.value.value_or("");
    OrderedJson document = OrderedJson::object();
    apply_override(setting, document);
    const auto keys_of_document = flat_keys(document);
    const auto value = keys_of_document.find(setting.key);
    CRESCENDO_VALIDATE(value != keys_of_document.end(), setting.key, "{} is not a map; give it one value", setting.key);
    // An empty value and a comment are also null in YAML.
    const bool is_null = value->second == "null";
    CRESCENDO_VALIDATE(!is_null || written == "null" || written == "~", setting.key,
                       "{} has no value here; write it after the =, or {}=null to remove the limit", setting.key,
                       setting.key);
    setting.value = is_null ? std::nullopt : std::optional(value->second);
    return setting;
}

}  // namespace crescendo::launch
