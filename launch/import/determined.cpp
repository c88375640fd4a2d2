#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "launch/display/number_text.hpp"

namespace crescendo::launch {
namespace {

/// Reads values by key. Throws InvalidInput with the file and the key if one is missing, or is not a number.
class Section {
  public:
    Section(const OrderedJson& map, const ForeignFile& file, std::string key)
        : map_(map), file_(file), key_(std::move(key)) {}

    const OrderedJson& at(const std::string& name) const {
        CRESCENDO_VALIDATE(map_.contains(name), "", "{}: {} has no {}, which Determined requires", file_.path, key_,
                           name);
        return map_.at(name);
    }
    double number(const std::string& name) const {
        CRESCENDO_VALIDATE(at(name).is_number(), "", "{}: {}.{} is {}, not a number", file_.path, key_, name,
                           flow(at(name)));
        return at(name).get<double>();
    }
    std::int64_t whole(const std::string& name) const {
        number(name);  // it must be one
        const auto exact = whole_number(at(name));
        CRESCENDO_VALIDATE(exact, "",
                           "{}: {}.{} is {}, which does not fit in a 64-bit integer; use a number closer to 0",
                           file_.path, key_, name, flow(at(name)));
        return *exact;
    }
    /// The number of points of a grid.
    std::int64_t count() const {
        constexpr std::int64_t most = 1'000'000;  // more would only fill the memory
        const auto count = whole("count");
        CRESCENDO_VALIDATE(count >= 1 && count <= most, "", "{}: {}.count is {}; use a number from 1 to {}", file_.path,
                           key_, count, most);
        return count;
    }
    std::int64_t whole_or(const std::string& name, std::int64_t otherwise) const {
        return map_.contains(name) ? whole(name) : otherwise;
    }

  private:
    const OrderedJson& map_;
    const ForeignFile& file_;
    std::string key_;
};

/// The `count` values that a grid takes from a range: its ends and evenly spaced values between; for a count of 1, its
/// middle.
OrderedJson grid_points(double min, double max, std::int64_t count, const auto& value_of) {
    auto values = OrderedJson::array();
    for (std::int64_t i = 0; i < count; ++i) {
        const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5;
        values.push_back(value_of(min + share * (max - min)));
    }
    return values;
}

/// Removes null values: Determined shows an experiment's configuration with all possible keys, and those that were not
/// given are null.
OrderedJson without_nulls(const OrderedJson& map) {
    auto result = OrderedJson::object();
    for (const auto& [key, value] : map.items()) {
        if (!value.is_null()) {
            result[key] = value;
        }
    }
    return result;
}

bool is_range(const OrderedJson& entry) {
    static const std::set<std::string> types{"int", "double", "log", "categorical", "const"};
    return entry.is_object() && entry.contains("type") && entry.at("type").is_string() &&
           types.contains(entry.at("type").get<std::string>());
}

/// Converts a hyperparameter. `is_grid`: a range with a `count` becomes that many values.
ImportedLine hyperparameter(const std::string& name, const OrderedJson& entry, bool is_grid, const ForeignFile& file,
                            const std::string& key) {
    if (entry.is_object() && !is_range(entry)) {
        ImportedLine group{name, nullptr};
        for (const auto& [inner_name, value] : entry.items()) {
            group.parameters.push_back(
                hyperparameter(inner_name, value, is_grid, file, fmt::format("{}.{}", key, inner_name)));
        }
        return group.parameters.empty() ? ImportedLine{name, constant(entry)} : group;
    }
    if (!entry.is_object()) {
        return {name, constant(entry)};
    }
    const Section section(entry, file, key);
    const std::string type = entry.at("type");
    const bool has_points = is_grid && entry.contains("count");
    if (type == "const") {
        return {name, constant(section.at("val"))};
    }
    if (type == "categorical") {
        return {name, choice(section.at("vals"))};
    }
    const double min = section.number("minval");
    const double max = section.number("maxval");
    if (type == "log") {
        const double base = entry.contains("base") ? section.number("base") : 10;
        const auto power = [base](double exponent) {
            return rounded(std::pow(base, exponent), 12);
        };
        if (has_points) {
            return {name, choice(grid_points(min, max, section.count(), power))};
        }
        return {name, log_uniform(power(min), power(max))};
    }
    if (type == "double") {
        const auto same = [](double value) { return value; };
        return has_points ? ImportedLine{name, choice(grid_points(min, max, section.count(), same))}
                          : ImportedLine{name, uniform(min, max)};
    }
    const auto first = section.whole("minval");
    const auto last = section.whole("maxval");
    if (has_points && static_cast<double>(section.whole("count")) <= max - min) {
        const auto whole = [last](double value) {  // a double may be rounded up to 2^63, which does not fit
            return value < static_cast<double>(last) ? static_cast<std::int64_t>(std::llround(value)) : last;
        };
        return {name, choice(grid_points(min, max, section.count(), whole))};
    }
    return whole_numbers(name, first, last);
}

/// How long a trial trains, and in which unit.
struct Length {
    std::int64_t count = 0;
    std::string resource;
};

/// The length of a trial. Nothing if the program decides: since version 0.38, only searchers with rungs have a length.
std::optional<Length> length_of(const OrderedJson& searcher, const ForeignFile& file) {
    const auto own_unit = [](const std::string& unit) {
        return unit == "epochs" ? "epochs" : unit == "records" ? "samples" : "steps";
    };
    const Section section(searcher, file, "searcher");
    if (searcher.contains("max_time")) {
        return Length{section.whole("max_time"), own_unit(searcher.value("time_metric", "batches"))};
    }
    if (!searcher.contains("max_length")) {
        return {};
    }
    const auto& length = section.at("max_length");
    if (length.is_object() && length.size() == 1) {
        const auto unit = length.begin().key();
        return Length{Section(length, file, "searcher.max_length").whole(unit), own_unit(unit)};
    }
    return Length{section.whole("max_length"), "steps"};
}

/// The lowest rung, of at most max_rungs, the last at the end. For adaptive_asha, only as many rungs as one of all
/// trials reaches.
std::int64_t first_rung(const Section& searcher, const std::string& name, std::int64_t max, std::int64_t eta) {
    auto trials =
        name == "adaptive_asha" ? searcher.whole_or("max_trials", 1) : std::numeric_limits<std::int64_t>::max();
    auto first = max;
    for (auto rungs = searcher.whole_or("max_rungs", searcher.whole_or("num_rungs", 5));
         rungs > 1 && first >= eta && trials >= eta; --rungs) {
        first /= eta;
        trials /= eta;
    }
    return first;
}

/// The searcher's rungs, or only its length. Nothing without a length; then a note lists `settings`, which any rule
/// has.
std::optional<ImportedLine> schedule(const OrderedJson& searcher, const OrderedJson& settings, const ForeignFile& file,
                                     std::vector<std::string>& notes) {
    const Section section(searcher, file, "searcher");
    const auto name = searcher.value("name", "");
    const bool has_rungs = name.find("asha") != std::string::npos || name.find("adaptive") != std::string::npos ||
                           name.find("halving") != std::string::npos;
    const auto length = length_of(searcher, file);
    if (!length) {
        CRESCENDO_VALIDATE(!has_rungs, "",
                           "{}: searcher has no max_time, which sets the rungs of {}; add max_time: 100 and "
                           "time_metric: epochs",
                           file.path, name);
        if (!settings.empty()) {
            notes.push_back(
                fmt::format("searcher has no max_length, so a trial ends when its program does; to keep {}, "
                            "add them to scheduler: {{type: fifo, max: END}}",
                            flow(settings)));
        }
        return {};
    }
    const auto& [max, resource] = *length;
    OrderedJson scheduler{{"type", "fifo"}, {"max", max}, {"resource", resource}};
    if (has_rungs) {
        const auto eta = section.whole_or("divisor", 4);
        CRESCENDO_VALIDATE(eta >= 2, "", "{}: searcher.divisor is {}; use 2, 3 or 4", file.path, eta);
        const auto min = first_rung(section, name, max, eta);
        scheduler = {{"type", "asha"}, {"min", min}, {"max", max}, {"reduction_factor", eta}, {"resource", resource}};
        const auto mode = searcher.value("mode", "standard");
        if (name.starts_with("adaptive") && mode != "aggressive") {  // one bracket there, too
            notes.push_back(
                fmt::format("searcher.mode: {} runs several brackets in Determined, but one here; "
                            "to run all, use type: async_hyperband",
                            mode));
        }
    }
    scheduler.update(settings);
    return ImportedLine{"scheduler", scheduler, fmt::format("searcher: {}; reports count {}", name, resource)};
}

/// Settings of a scheduler that do not depend on its rule: the number of concurrent trials, and the workers of each.
OrderedJson settings_of(const OrderedJson& root, const Section& searcher, const ForeignFile& file) {
    auto settings = OrderedJson::object();
    if (const auto most = searcher.whole_or("max_concurrent_trials", 0); most > 0) {
        settings["max_concurrent"] = most;
    }
    const auto resources = root.value("resources", OrderedJson::object());
    if (resources.is_object() && resources.contains("slots_per_trial")) {
        settings["workers"] = std::max<std::int64_t>(1, Section(resources, file, "resources").whole("slots_per_trial"));
    }
    return settings;
}

/// The words of an entry point, without Determined's launcher if they begin with it, because crescendo starts a trial's
/// workers itself. Empty if it names a class.
std::vector<std::string> words_of(const OrderedJson& entrypoint) {
    std::vector<std::string> words;
    if (entrypoint.is_array()) {
        words = entrypoint.get<std::vector<std::string>>();
    } else if (entrypoint.is_string()) {
        const auto text = entrypoint.get<std::string>();
        if (text.find_first_of("\"'\\$|&;<>*") != std::string::npos) {
            return {"bash", "-c", text + " \"$@\"", "bash"};
        }
        std::istringstream stream(text);
        for (std::string word; stream >> word;) {
            words.push_back(word);
        }
    }
    if (words.size() > 2 && words[1] == "-m" && words[2].starts_with("determined.launch.")) {
        words.erase(words.begin(), words.begin() + (words.size() > 3 && words[3] == "--" ? 4 : 3));
    }
    const bool is_class = words.size() == 1 && words[0].find(':') != std::string::npos;
    const bool is_option = !words.empty() && words[0].starts_with('-');  // of the launcher: --trial model_def:MyTrial
    return is_class || is_option ? std::vector<std::string>{} : words;
}

}  // namespace

bool is_determined(const OrderedJson& root) {
    return root.contains("searcher") && root.at("searcher").is_object() && root.contains("hyperparameters") &&
           root.at("hyperparameters").is_object();
}

ImportedSweep import_determined(const OrderedJson& root, const ForeignFile& file) {
    const auto searcher = without_nulls(root.at("searcher"));
    const Section section(searcher, file, "searcher");
    ImportedSweep result{.origin = "a Determined experiment configuration"};
    const auto name = searcher.value("name", "");
    const bool is_grid = name == "grid";
    if (root.contains("name") && root.at("name").is_string()) {
        result.head.push_back(name_line(root.at("name").get<std::string>()));
    }
    result.head.push_back({"metric",
                           {{"name", section.at("metric")},
                            {"goal", searcher.value("smaller_is_better", true) ? "minimize" : "maximize"}}});
    if (is_grid) {
        result.head.push_back({"method", "grid"});
    } else {
        result.head.push_back({"run_cap", name == "single" ? 1 : section.whole_or("max_trials", 1)});
    }
    for (const auto& [parameter, entry] : root.at("hyperparameters").items()) {
        result.parameters.push_back(
            hyperparameter(parameter, entry, is_grid, file, "hyperparameters." + parameter));
    }
    if (auto scheduler = schedule(searcher, settings_of(root, section, file), file, result.notes)) {
        result.tail.push_back(std::move(*scheduler));
    }
    if (root.contains("entrypoint")) {
        if (auto words = words_of(root.at("entrypoint")); !words.empty()) {
            words.emplace_back("${args}");
            result.tail.push_back(
                {"command", words, "Determined passes hyperparameters through its library; here they are arguments"});
        } else {
            result.notes.push_back(
                fmt::format("entrypoint: {} names a Determined class; {}", flow(root.at("entrypoint")), add_program));
        }
    }
    if (root.contains("max_restarts")) {
        result.tail.push_back({"max_retries", Section(root, file, "the file").whole("max_restarts")});
    }
    static const std::set<std::string> written{"name",       "hyperparameters", "searcher",
                                               "entrypoint", "max_restarts",    "resources"};
    static const std::set<std::string> of_searcher{
        "name",       "metric",    "smaller_is_better", "max_time", "max_length", "time_metric",
        "max_trials", "max_rungs", "num_rungs",         "divisor",  "mode",       "max_concurrent_trials"};
    static const std::set<std::string> of_resources{"slots_per_trial"};
    std::vector<std::string> lost;
    const auto look_in = [&](const OrderedJson& map, const std::set<std::string>& known, const std::string& prefix) {
        for (const auto& [key, value] : map.items()) {
            const bool says_nothing = value.empty() || value == false;  // a default, for example
            if (!known.contains(key) && !says_nothing) {
                lost.push_back(prefix + key);
            }
        }
    };
    look_in(root, written, "");
    look_in(searcher, of_searcher, "searcher.");
    look_in(root.value("resources", OrderedJson()), of_resources, "resources.");
    note_lost(lost, result);
    return result;
}

}  // namespace crescendo::launch
