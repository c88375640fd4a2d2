#include "launch/directory/frozen_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"
#include "core/crc32.hpp"
#include "core/shell_words.hpp"
#include "launch/journal/journal.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {
namespace {

std::optional<std::string> value_in(const FlatKeys& keys, const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

FrozenFile::FrozenFile(const std::string& text, const std::filesystem::path& path, int defaults)
    : digest_(crc32_text(text)), keys_(flat_keys(parse_yaml(text, path.string()).root)), defaults_(defaults) {}

std::optional<FrozenFile> FrozenFile::recorded_in(const std::filesystem::path& journal) {
    const auto read = [](const Json& record) {
        FrozenFile file;
        file.digest_ = record.at("file").at("crc32");
        file.keys_ = record.at("file").at("keys").get<FlatKeys>();
        file.defaults_ = record.at("file").value("defaults", 1);
        return file;
    };
    if (const auto header = Journal::read_header(journal); header.contains("file")) {
        return read(header);
    }
    std::optional<FrozenFile> found;
    Journal::read(journal, [&](const Journal::Line& line) {
        constexpr std::string_view note = R"("note":"file")";
        if (!found && line.members().find(note) != std::string_view::npos) {
            if (const auto record = line.json(); record.value("note", "") == "file") {
                found = read(record);
            }
        }
    });
    return found;
}

Json FrozenFile::to_json() const { return {{"crc32", digest_}, {"keys", keys_}, {"defaults", defaults_}}; }

void FrozenFile::require_same(const std::string& text, const std::filesystem::path& path) const {
    if (crc32_text(text) == digest_) {
        return;
    }
    const auto document = parse_yaml(text, path.string());
    const auto now = flat_keys(document.root);
    std::vector<std::string> changed;
    for (const auto& keys : {keys_, now}) {
        for (const auto& [key, value] : keys) {
            if (!is_changeable(key) && !only_describes(key) && value_in(keys_, key) != value_in(now, key)) {
                changed.push_back(key);
            }
        }
    }
    if (changed.empty()) {
        return;
    }
    const auto line_of = [&](const std::string& key) { return document.source.position_of(key).line; };
    const auto& first = *std::ranges::min_element(changed, {}, line_of);
    if (const auto option = option_of_session(first); !option.empty()) {
        document.source.fail(first, fmt::format("is {} now but was {} when the sweep began; change it back, and give "
                                                "{} to `crescendo resume` for a session with other slots",
                                                value_in(now, first).value_or("not given"),
                                                value_in(keys_, first).value_or("not given"), option));
    }
    document.source.fail(
        first, fmt::format("is {} now but was {} when the sweep began, and its trials were trained with that; change "
                           "it back, or run the changed file as a new sweep (`crescendo run {} --dir NAME`). Only "
                           "these keys may change: {}",
                           value_in(now, first).value_or("not given"), value_in(keys_, first).value_or("not given"),
                           shell_quoted(path), list_of_changeable_keys()));
}

std::vector<Override> FrozenFile::beginning() const {
    auto beginning = earlier_defaults(defaults_);
    constexpr int last_with_tpe_for_bayes = 2;
    if (defaults_ <= last_with_tpe_for_bayes && value_in(keys_, "method") == R"("bayes")") {  // values are JSON
        beginning.push_back({"method", "tpe"});
    }
    for (const auto& key : changeable_keys()) {
        const auto value = value_in(keys_, key);
        using enum Override::Applies;
        beginning.push_back({key, value, value ? always : if_missing});  // a default held then, and still does
    }
    return beginning;
}

std::vector<Override> FrozenFile::edits(const std::vector<LimitsChange>& changes, const std::string& text,
                                        const std::filesystem::path& path) const {
    auto known = keys_;
    for (const auto& change : changes) {
        for (const auto& setting : change.settings) {
            if (change.source == LimitsChange::Source::command) {
                continue;
            }
            known.erase(setting.key);
            if (setting.value) {
                known.emplace(setting.key, *setting.value);
            }
        }
    }
    const auto now = flat_keys(parse_yaml(text, path.string()).root);
    std::vector<Override> edits;
    for (const auto& key : changeable_keys()) {
        if (value_in(now, key) != value_in(known, key)) {
            edits.push_back({key, value_in(now, key)});
        }
    }
    return edits;
}

Json file_note(double time, const FrozenFile& file) {
    return {{"note", "file"}, {"time", time}, {"file", file.to_json()}};
}

}  // namespace crescendo::launch
