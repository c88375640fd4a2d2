#include "trainer/settings/section.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/duration.hpp"
#include "core/spelling.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

const json empty_object = json::object();

/// Names of settings in other programs, and their names here.
constexpr std::array<std::pair<std::string_view, const char*>, 14> other_names{{{"learning_rate", "lr"},
                                                                                {"learningRate", "lr"},
                                                                                {"bs", "batch_size"},
                                                                                {"batch", "batch_size"},
                                                                                {"wd", "weight_decay"},
                                                                                {"hidden_size", "width"},
                                                                                {"hidden_units", "width"},
                                                                                {"hidden_dim", "width"},
                                                                                {"num_layers", "depth"},
                                                                                {"n_layers", "depth"},
                                                                                {"num_heads", "heads"},
                                                                                {"grad_clip", "clip_norm"},
                                                                                {"max_grad_norm", "clip_norm"},
                                                                                {"scheduler", "lr_schedule"}}};

bool is_number(const json& value) { return value.is_number(); }
bool is_text(const json& value) { return value.is_string(); }
bool is_off(const json& value) { return value == "off" || value == false; }

std::optional<double> parse_bytes(const std::string& words) {
    struct Unit {
        const char* name;
        double bytes;
    };
    static constexpr std::array<Unit, 10> units{{{"", 1},
                                                 {"B", 1},
                                                 {"KiB", 0x1p10},
                                                 {"MiB", 0x1p20},
                                                 {"GiB", 0x1p30},
                                                 {"TiB", 0x1p40},
                                                 {"KB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9},
                                                 {"TB", 1e12}}};
    double count = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), count);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    std::string unit(end, words.data() + words.size());
    unit.erase(0, unit.find_first_not_of(' '));
    const auto known = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return unit == u.name; });
    if (known == units.end()) {
        return std::nullopt;
    }
    return count * known->bytes;
}

}  // namespace

Section::Section(const json& object, std::string path, std::vector<Problem>& problems)
    : object_(object.is_object() ? object : empty_object), path_(std::move(path)), problems_(problems) {
    if (!object.is_object()) {
        problems_.push_back({path_, "this is not a section; write its settings below it, each with its key"});
    }
}

const json* Section::find(const char* name) {
    if (!knows(name)) {
        known_.emplace_back(name);
    }
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
}

void Section::reject(const char* name, const std::string& message) {
    problems_.push_back({path_ + "." + name, message});
}

void Section::reject_word(const char* name, const json& found, const std::vector<std::string>& words) {
    const auto hint = found.is_string() ? did_you_mean(found.get<std::string>(), words) : "";
    reject(name,
           crescendo::text("{} cannot be used here{}; give one of {}", found.dump(), hint, enumerate(words, ", ")));
}

void Section::reject_type(const char* name, const json& found, const std::string& wanted) {
    reject(name, crescendo::text("{} cannot be used here; give {}", found.dump(), wanted));
}

template <class Fits>
const json* Section::find(const char* name, const Fits& fits, const char* wanted) {
    const json* found = find(name);
    if (found && !fits(*found)) {
        reject_type(name, *found, wanted);
        return nullptr;
    }
    return found;
}

template <class Fits>
std::optional<json> Section::find_list(const char* name, const Fits& fits, const char* wanted) {
    const auto all_fit = [&](const json& found) {
        return found.is_array() ? !found.empty() && std::ranges::all_of(found, fits) : fits(found);
    };
    const json* found = find(name, all_fit, wanted);
    return found ? std::optional(found->is_array() ? *found : json::array({*found})) : std::nullopt;
}

void Section::integer(const char* name, std::int64_t& value, std::int64_t min, std::int64_t max) {
    const auto is_whole = [](const json& found) {
        return found.is_number() && found.get<double>() == std::floor(found.get<double>());
    };
    const json* found = find(name, is_whole, "a whole number");
    if (!found) {
        return;
    }
    const double number = found->get<double>();
    if (number < static_cast<double>(min) || number > static_cast<double>(max)) {
        return reject(name, crescendo::text("{} is out of range; give {} to {}", found->dump(), min, max));
    }
    value = static_cast<std::int64_t>(number);
}

void Section::odd_integer(const char* name, std::int64_t& value, std::int64_t min, std::int64_t max) {
    std::int64_t given = value;
    integer(name, given, min, max);
    if (given % 2 == 0) {
        return reject(name, crescendo::text("{} is even; give {} or {}", given, given - 1, given + 1));
    }
    value = given;
}

void Section::number(const char* name, double& value, Range range) {
    const json* found = find(name, is_number, "a number");
    if (!found) {
        return;
    }
    const double number = found->get<double>();
    if (!(number >= range.min && number < range.below)) {
        const std::string limit = std::isinf(range.below) ? "" : crescendo::text(" and less than {}", range.below);
        return reject(name, crescendo::text("{} is out of range; give at least {}{}", found->dump(), range.min, limit));
    }
    value = number;
}

void Section::flag(const char* name, bool& value) {
    const auto fits = [](const json& found) { return found == "on" || found == "off" || found.is_boolean(); };
    if (const json* found = find(name, fits, "true or false")) {
        value = found->is_boolean() ? found->get<bool>() : *found == "on";
    }
}

void Section::text(const char* name, std::string& value) {
    if (const json* found = find(name, is_text, "text")) {
        value = found->get<std::string>();
    }
}

void Section::texts(const char* name, std::vector<std::string>& values) {
    if (const auto list = find_list(name, is_text, "text, or a list of texts")) {
        values = list->get<std::vector<std::string>>();
    }
}

void Section::numbers(const char* name, std::vector<double>& values) {
    const auto is_finite = [](const json& each) { return each.is_number() && std::isfinite(each.get<double>()); };
    if (const auto list = find_list(name, is_finite, "a number, or a list of numbers")) {
        values = list->get<std::vector<double>>();
    }
}

void Section::bytes(const char* name, std::size_t& value) {
    const json* found = find(name);
    if (!found) {
        return;
    }
    std::optional<double> bytes;
    if (found->is_number()) {
        bytes = found->get<double>();
    }
    if (found->is_string()) {
        bytes = parse_bytes(found->get<std::string>());
    }
    if (!bytes) {
        return reject_type(name, *found, "a number of bytes, or text such as 512MiB");
    }
    if (!(*bytes >= 1 && *bytes < 1e18)) {
        return reject(name, crescendo::text("{} is out of range; give at least one byte", found->dump()));
    }
    value = static_cast<std::size_t>(*bytes);
}

void Section::bytes_or_off(const char* name, std::optional<std::size_t>& value) {
    const json* found = find(name);
    if (!found) {
        return;
    }
    std::size_t number = 0;
    if (!is_off(*found)) {
        bytes(name, number);
    }
    value = number;
}

void Section::duration_or_off(const char* name, std::optional<std::chrono::seconds>& value) {
    const json* found = find(name);
    if (!found) {
        return;
    }
    std::optional<std::chrono::seconds> time;
    if (is_off(*found)) {
        return void(value = std::chrono::seconds(0));
    }
    if (found->is_string()) {
        time = parse_duration(found->get<std::string>());
    }
    if (!time || time->count() == 0) {
        return reject_type(name, *found, "a time of at least 1s, like 10m, 90s or 1h, or off");
    }
    value = time;
}

const json& Section::object(const char* name) {
    const json* found = find(
        name, [](const json& each) { return each.is_object(); }, "a section of settings");
    return found ? *found : empty_object;
}

bool Section::knows(const std::string& name) const {
    return std::find(known_.begin(), known_.end(), name) != known_.end();
}

void Section::read_aside(const std::function<void(Section&)>& read) {
    std::vector<Problem> problems;
    Section aside(object_, path_, problems);
    read(aside);
    for (auto& problem : problems) {
        const std::string name = problem.key.substr(path_.size() + 1);
        if (!knows(name.substr(0, name.find('.')))) {
            problems_.push_back(std::move(problem));
        }
    }
    for (auto& name : aside.known_) {
        if (!knows(name)) {
            known_.push_back(std::move(name));
        }
    }
}

void Section::reject_unknown() {
    for (const auto& [key, value] : object_.items()) {
        if (knows(key)) {
            continue;
        }
        const auto other = std::ranges::find(other_names, key, &decltype(other_names)::value_type::first);
        const bool meant = other != other_names.end() && knows(other->second);
        const auto guess = meant ? crescendo::text(" (did you mean '{}'?)", other->second) : did_you_mean(key, known_);
        reject(key.c_str(), crescendo::text("no such setting, so it would change nothing{}",
                                            guess.empty() ? "; there are " + enumerate(known_, ", ") : guess));
    }
}

}  // namespace crescendo::trainer
