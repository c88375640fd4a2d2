#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// One JSON object of settings. Each reader leaves `value` alone if the key is absent, and adds a problem if the key's
/// value cannot be used. reject_unknown(), called last, names the keys that no reader asked for.
class Section {
  public:
    /// `path` is the dotted path of the object; both references must outlive the section.
    Section(const nlohmann::json& object, std::string path, std::vector<Problem>& problems);

    struct Range {
        double min;    ///< smallest allowed value
        double below;  ///< exclusive upper limit
    };

    /// Reads an integer. 16.0 is accepted, because samplers produce doubles.
    void integer(const char* name, std::int64_t& value, std::int64_t min, std::int64_t max);
    void odd_integer(const char* name, std::int64_t& value, std::int64_t min, std::int64_t max);
    void number(const char* name, double& value, Range range);
    /// Reads true or false, or one of the words `on` and `off`.
    void flag(const char* name, bool& value);
    void text(const char* name, std::string& value);
    /// Reads a text, or a list of at least one text.
    void texts(const char* name, std::vector<std::string>& values);
    /// Reads a finite number, or a list of at least one finite number.
    void numbers(const char* name, std::vector<double>& values);
    /// Reads a number of bytes, or a text with a unit: 512MiB, 2GB.
    void bytes(const char* name, std::size_t& value);
    /// Like bytes(); `off` is 0.
    void bytes_or_off(const char* name, std::optional<std::size_t>& value);
    /// Reads a duration of at least a second, such as 10m; `off` is zero.
    void duration_or_off(const char* name, std::optional<std::chrono::seconds>& value);
    /// Reads one of `words`. If `on` and `off` are among them, true and false are accepted for these.
    template <class Enum, std::size_t Count>
    void choice(const char* name, Enum& value, const Words<Enum, Count>& words) {
        std::vector<std::pair<const char*, Enum>> choices;
        for (const auto& [meaning, word] : words) {
            choices.emplace_back(word, meaning);
        }
        choice<Enum>(name, value, choices);
    }
    /// The same, with `choices` as a table of words and their meanings.
    template <class Enum>
    void choice(const char* name, Enum& value, std::span<const std::pair<const char*, Enum>> choices);
    /// The object at the key; an empty object if the key is absent or its value is not an object.
    const nlohmann::json& object(const char* name);

    bool has(const char* name) const { return object_.contains(name); }
    bool has_text(const char* name) const { return has(name) && object_.at(name).is_string(); }

    bool has_object(const char* name) const { return has(name) && object_.at(name).is_object(); }

    /// Calls `read` with a section of the same object. The keys that it reads are known from then on. Its problems with
    /// keys that were known before are dropped, because those keys are meant for another reader.
    void read_aside(const std::function<void(Section&)>& read);

    void reject_unknown();

  private:
    /// The value at `name`, which is a known key from now on; nullptr if the key is absent.
    const nlohmann::json* find(const char* name);
    /// Like find(name), but if `fits` rejects the value, adds a problem, whose message asks for `wanted`, and returns
    /// nullptr.
    template <class Fits>
    const nlohmann::json* find(const char* name, const Fits& fits, const char* wanted);
    /// A list of at least one value, all accepted by `fits`. A single value is read as a list of one.
    template <class Fits>
    std::optional<nlohmann::json> find_list(const char* name, const Fits& fits, const char* wanted);
    bool knows(const std::string& name) const;
    void reject(const char* name, const std::string& message);
    void reject_type(const char* name, const nlohmann::json& found, const std::string& wanted);
    void reject_word(const char* name, const nlohmann::json& found, const std::vector<std::string>& words);

    const nlohmann::json& object_;
    std::string path_;
    std::vector<Problem>& problems_;
    std::vector<std::string> known_;
};

template <class Enum>
void Section::choice(const char* name, Enum& value, std::span<const std::pair<const char*, Enum>> choices) {
    const nlohmann::json* found = find(name);
    if (!found) {
        return;
    }
    std::vector<std::string> words;
    for (const auto& [word, meaning] : choices) {
        if (*found == word || (found->is_boolean() && std::string_view(word) == (found->get<bool>() ? "on" : "off"))) {
            value = meaning;
            return;
        }
        words.emplace_back(word);
    }
    reject_word(name, *found, words);
}

}  // namespace crescendo::trainer
