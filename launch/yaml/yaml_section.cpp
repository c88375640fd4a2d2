#include "launch/yaml/yaml_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include "core/check.hpp"
#include "core/duration.hpp"
#include "core/spelling.hpp"

namespace crescendo::launch {
namespace {

/// Returns a value. Throws AlreadyTold if the parser could not read it: then the mistake is recorded, and the value is
/// discarded.
const OrderedJson& readable(const OrderedJson& value) {
    const bool has_unreadable_items =
        value.is_array() && std::ranges::any_of(value, [](const auto& item) { return item.is_discarded(); });
    if (value.is_discarded() || has_unreadable_items) {
        throw AlreadyTold{};
    }
    return value;
}

/// A key of another tool (Optuna, Ray Tune), and our key for it. The remedy is optional.
struct Synonym {
    std::string_view word;
    std::string_view key;
    std::string_view remedy = {};
};

constexpr auto synonyms = std::to_array<Synonym>({
    {"minimum", "min"},
    {"maximum", "max"},
    {"mean", "mu"},
    {"std", "sigma"},
    {"low", "min"},
    {"lower", "min"},
    {"high", "max"},
    {"upper", "max"},
    {"choices", "values"},
    {"step", "q", "write q, and a distribution that has it, such as distribution: q_uniform"},
    {"log", "distribution", "write distribution: log_uniform_values"},
    {"type", "distribution", "remove it: whole min and max give whole values; write min: 1.0 for any number"},
    {"grace_period", "min"},
    {"grace_period", "scheduler", "write scheduler: {min: 1}"},
    {"max_t", "max"},
    {"max_t", "scheduler", "write scheduler: {max: 27}"},
    {"max_epochs", "max"},
    {"max_epochs", "scheduler", "write scheduler: {max: 27}"},
    {"epochs", "max"},
    {"epochs", "scheduler", "write scheduler: {max: 27}"},
    {"eta", "reduction_factor"},
    {"n_trials", "run_cap"},
    {"num_samples", "run_cap"},
    {"max_trials", "run_cap"},
    {"num_trials", "run_cap"},
    {"trials", "run_cap"},
    {"count", "run_cap"},
    {"timeout", "time"},
    {"timeout", "budget", "write budget: {time: 8h}"},
    {"gpus", "slots"},
    {"job", "program", "W&B Launch jobs are not supported; name the script that the job starts: program: train.py"},
    {"num_workers", "max_concurrent"},
    {"hyperparameters", "parameters", "for a Determined file, use `crescendo import FILE > sweep.yaml`"},
    {"param_space", "parameters", "for a Ray Tune file, use `crescendo import FILE > sweep.yaml`"},
    {"hydra", "parameters", "for a Hydra file, use `crescendo import FILE > sweep.yaml`"},
    {"search_space", "parameters"},
    {"goal", "metric", "write metric: {name: val_loss, goal: minimize}"},
    {"direction", "goal"},
    {"direction", "metric", "write metric: {name: val_loss, goal: minimize}"},
});

const Synonym* find_synonym(std::string_view word, const std::vector<std::string>& names) {
    const auto* const found = std::ranges::find_if(synonyms, [&](const Synonym& each) {
        return each.word == word && std::ranges::find(names, each.key) != names.end();
    });
    return found == synonyms.end() ? nullptr : found;
}

/// Explains a key without a value that YAML made of a mistyped entry: `{min: 0,1}` has the keys min and 1, and
/// `{min:0}` has the key min:0.
std::string_view slip_in(const std::string& name, const OrderedJson& value) {
    if (!value.is_null() || name.empty()) {
        return "";
    }
    if (name.find_first_not_of("0123456789") == std::string::npos) {
        return "a comma ends a value, so write a decimal point, as in 0.1";
    }
    return name.find(':') != std::string::npos ? "put a space after the colon, as in min: 1" : "";
}

/// Whether the text is a number in Python's notation, which PyYAML reads: 1_000.
bool has_underscores(const std::string& text) {
    return text.find('_') != std::string::npos && text.find_first_not_of("0123456789_.") == std::string::npos;
}

/// The word as an item of a YAML list.
std::string as_item(const std::string& word) {
    constexpr std::string_view of_yaml = "\"\\'{}[],&*#?|<>=!%@`: ";
    constexpr std::string_view begin_numbers = "+-0123456789";
    const bool is_plain = !word.empty() && word.find_first_of(of_yaml) == std::string::npos &&
                          begin_numbers.find(word.front()) == std::string_view::npos;
    const bool has_quotes = word.find_first_of("\"\\") != std::string::npos;
    return is_plain ? word : has_quotes ? fmt::format("'{}'", word) : fmt::format("\"{}\"", word);
}

/// The list that the user meant by a text: the words of a command, or the text as the only item. For a command that
/// needs a shell, returns the example.
std::string as_list(const std::string& text, ListOf items_are, std::string_view example) {
    if (items_are == ListOf::texts) {
        return fmt::format("[{}]", as_item(text));
    }
    if (text.find_first_of("&|;<>\"'`") != std::string::npos || text.find("$(") != std::string::npos) {
        return std::string(example);
    }
    std::vector<std::string> items;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        items.push_back(as_item(word));
    }
    return fmt::format("[{}]", fmt::join(items, ", "));
}

/// The example of a map, with the user's text as its type or name: for `sampler: tpe`, the example becomes {type: tpe}.
std::string with_text(std::string_view example, const OrderedJson& given) {
    const bool is_named = example.starts_with("{type: ") || example.starts_with("{name: ");
    if (!is_named || !given.is_string() || as_item(given.get<std::string>()) != given.get<std::string>()) {
        return std::string(example);
    }
    const auto end = example.find_first_of(",}");
    return fmt::format("{}{}{}", example.substr(0, example.find(' ') + 1), given.get<std::string>(),
                       example.substr(end));
}

}  // namespace

std::string describe(const OrderedJson& value) {
    switch (value.type()) {
        case OrderedJson::value_t::null:
            return "there is no value";
        case OrderedJson::value_t::boolean:
            return value.dump() + " is a boolean";
        case OrderedJson::value_t::number_integer:
        case OrderedJson::value_t::number_unsigned:
            return value.dump() + " is a whole number";
        case OrderedJson::value_t::number_float:
            return value.dump() + " is a number";
        case OrderedJson::value_t::string:
            return fmt::format("'{}' is text{}", value.get<std::string>(),
                               has_underscores(value.get<std::string>()) ? ", because YAML numbers have no _" : "");
        case OrderedJson::value_t::array:
            return "this is a list";
        default:
            return "this is a map";
    }
}

std::string YamlSection::key_of(std::string_view name) const {
    return fmt::format("{}{}{}", key_, key_.empty() || name.empty() ? "" : ".", name);
}

void YamlSection::fail(std::string_view name, std::string_view message) const {
    throw InvalidInput(std::string(message), key_of(name));
}

const OrderedJson& YamlSection::at(const std::string& name) const { return readable(map_.at(name)); }

bool YamlSection::allow(const std::vector<std::string>& names) const {
    bool all_known = true;
    bool are_listed = false;
    for (const auto& [name, value] : map_.items()) {
        if (name == "<<") {
            mistakes_.add(key_of(name), "is YAML's merge key, which is not supported; write out its keys");
            all_known = false;
        } else if (std::find(names.begin(), names.end(), name) == names.end()) {
            all_known = false;
            if (const auto slip = slip_in(name, value); !slip.empty()) {
                mistakes_.add(key_of(name), fmt::format("unknown key; {}", slip));
                continue;
            }
            const auto* const synonym = find_synonym(name, names);
            const auto meant =
                synonym != nullptr ? std::optional<std::string>(synonym->key) : nearest_word(name, names);
            if (meant && !has(*meant)) {
                mistakes_.excuse(key_of(*meant));
            }
            if (meant) {
                mistakes_.add(key_of(name), synonym != nullptr && !synonym->remedy.empty()
                                                ? fmt::format("unknown key; {}", synonym->remedy)
                                                : fmt::format("unknown key (did you mean '{}'?)", *meant));
            } else if (!are_listed) {
                are_listed = true;
                mistakes_.add(key_of(name),
                              fmt::format("unknown key; {} {}", key_.empty() ? "this file takes" : key_ + " has",
                                          enumerate(names, " and ")));
            } else {
                mistakes_.add(key_of(name), "unknown key, too");
            }
        }
    }
    return all_known;
}

const OrderedJson* YamlSection::find(const std::string& name, bool (OrderedJson::*fits)() const,
                                     std::string_view expected) const {
    const auto found = map_.find(name);
    if (found == map_.end()) {
        return nullptr;
    }
    if (!(readable(*found).*fits)()) {
        fail(name, fmt::format("{}; use {}", describe(*found), expected));
    }
    return &*found;
}

std::optional<std::string> YamlSection::string(const std::string& name) const {
    const auto* value = find(name, &OrderedJson::is_string, "text; put it in quotes if it looks like a number");
    return value == nullptr ? std::nullopt : std::optional(value->get<std::string>());
}

std::optional<double> YamlSection::number(const std::string& name) const {
    const auto* value = find(name, &OrderedJson::is_number, "a number, such as 0.5 or 1e-4, without quotes");
    return value == nullptr ? std::nullopt : std::optional(value->get<double>());
}

std::optional<std::int64_t> YamlSection::integer(const std::string& name) const {
    const bool is_float = has(name) && at(name).is_number_float();
    const auto* value = find(name, &OrderedJson::is_number_integer,
                             is_float ? "a whole number, such as 3" : "a whole number, such as 3, without quotes");
    return value == nullptr ? std::nullopt : std::optional(value->get<std::int64_t>());
}

std::optional<int> YamlSection::small_integer(const std::string& name) const {
    const auto value = integer(name);
    if (!value) {
        return {};
    }
    if (!std::in_range<int>(*value)) {
        fail(name, fmt::format("is {}; use a number from {} to {}", *value, std::numeric_limits<int>::min(),
                               std::numeric_limits<int>::max()));
    }
    return static_cast<int>(*value);
}

std::optional<int> YamlSection::integer_from(int min, const std::string& name) const {
    const auto value = small_integer(name);
    if (value && *value < min) {
        fail(name, fmt::format("is {}; use {} or more", *value, min));
    }
    return value;
}

std::optional<std::chrono::seconds> YamlSection::duration(const std::string& name, std::string_view expected,
                                                          std::chrono::seconds least) const {
    if (!has(name)) {
        return {};
    }
    const auto& value = at(name);
    const auto time = value.is_string() ? parse_duration(value.get<std::string>()) : std::nullopt;
    if (!time || *time < least) {
        fail(name, fmt::format("{} is not {}", value.dump(), expected));
    }
    return time;
}

std::optional<std::vector<std::string>> YamlSection::strings(const std::string& name, std::string_view example,
                                                             ListOf items_are) const {
    const bool is_text = has(name) && at(name).is_string();
    const auto shown = is_text ? as_list(at(name).get<std::string>(), items_are, example) : std::string(example);
    const auto* value = find(name, &OrderedJson::is_array, fmt::format("a list of strings, such as {}", shown));
    if (value == nullptr) {
        return {};
    }
    std::vector<std::string> texts;
    for (const auto& item : *value) {
        if (!item.is_string()) {
            const auto* remedy = item.is_null() ? "remove it, or write \"\" for an empty one" : "put it in quotes";
            mistakes_.add(fmt::format("{}[{}]", key_of(name), texts.size()),
                          fmt::format("{}, but an item of {} must be text; {}", describe(item), key_of(name), remedy));
        }
        texts.push_back(item.is_string() ? item.get<std::string>() : "");
    }
    return texts;
}

std::optional<YamlSection> YamlSection::section(const std::string& name, std::string_view example) const {
    const auto shown = has(name) ? with_text(example, at(name)) : std::string(example);
    const auto* value = find(name, &OrderedJson::is_object, fmt::format("a map, such as {}: {}", name, shown));
    return value == nullptr ? std::nullopt : std::optional(YamlSection(*value, key_of(name), mistakes_));
}

std::optional<std::string> YamlSection::word(const std::string& name, const std::vector<std::string>& words,
                                             const std::vector<UnsupportedWord>& unsupported) const {
    if (const auto found = map_.find(name); found != map_.end() && found->is_boolean()) {
        const std::string text = found->get<bool>() ? "on" : "off";
        if (std::find(words.begin(), words.end(), text) != words.end()) {
            return text;
        }
    }
    const auto* value = find(name, &OrderedJson::is_string, enumerate(words));
    if (value == nullptr) {
        return {};
    }
    auto chosen = value->get<std::string>();
    for (const auto& [text, remedy] : unsupported) {
        if (chosen == text) {
            fail(name, fmt::format("'{}' is not supported by this version; {}", chosen, remedy));
        }
    }
    if (std::find(words.begin(), words.end(), chosen) == words.end()) {
        fail(name,
             fmt::format("'{}' is unknown here{}; use {}", chosen, did_you_mean(chosen, words), enumerate(words)));
    }
    return chosen;
}

}  // namespace crescendo::launch
