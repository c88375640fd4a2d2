#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/trimmed.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "launch/yaml/yaml_scalar.hpp"

namespace crescendo::launch {
namespace {

/// The section of the sweeper, which may be a file of its own.
const OrderedJson* sweeper_of(const OrderedJson& root) {
    const auto target = root.value("_target_", OrderedJson());
    if (target.is_string() && target.get<std::string>().starts_with("hydra_plugins.")) {
        return &root;
    }
    const auto hydra = root.find("hydra");
    return hydra != root.end() && hydra->is_object() && hydra->contains("sweeper") && hydra->at("sweeper").is_object()
               ? &hydra->at("sweeper")
               : nullptr;
}

const OrderedJson* space_of(const OrderedJson& sweeper) {
    for (const auto* key : {"params", "search_space"}) {
        if (sweeper.contains(key) && sweeper.at(key).is_object() && !sweeper.at(key).empty()) {
            return &sweeper.at(key);
        }
    }
    return nullptr;
}

/// The choice for a group in the list of defaults: "optuna" for hydra/sweeper.
std::string choice_in_defaults(const OrderedJson& root, const std::string& group) {
    for (const auto& entry : root.value("defaults", OrderedJson::array())) {
        const bool is_choice = entry.is_object() && entry.size() == 1 && entry.front().is_string();
        if (is_choice && entry.begin().key().ends_with(group)) {  // "override /hydra/sweeper"
            return entry.front().get<std::string>();
        }
    }
    return "";
}

/// The text at a key, if it is not a reference to another key such as "${monitor}".
std::optional<std::string> text_at(const OrderedJson& map, const char* key) {
    const auto value = map.value(key, OrderedJson());
    const bool is_given = value.is_string() && value.get<std::string>().find("${") == std::string::npos;
    return is_given ? std::optional(value.get<std::string>()) : std::nullopt;
}

/// The parts of a text between commas, ignoring commas in brackets and quotes.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        const bool is_quote = c == '"' || c == '\'';
        if (quote != 0 || is_quote) {
            quote = quote == 0 ? c : quote == c ? char{0} : quote;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            --depth;
        }
        if (c == ',' && depth == 0 && quote == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    for (auto& part : parts) {
        part = std::string(trimmed(part));
    }
    return parts;
}

OrderedJson element_of(const std::string& text) {
    if (text.find_first_of("\"'[{") == 0) {
        return parse_yaml_value(text, "a value");
    }
    return parse_plain_scalar(text);
}

/// Converts a search space to Optuna's distributions, to which Hydra's sweeper passes it.
class Space {
  public:
    /// `has_stop`: a range includes its end.
    Space(const ForeignFile& file, bool has_stop) : file_(file), has_stop_(has_stop) {}

    OrderedJson distribution(const std::string& name, const OrderedJson& entry) const {
        if (entry.is_object()) {
            return of_older_version(name, entry);
        }
        if (!entry.is_string()) {
            return choices(OrderedJson::array({entry}));
        }
        try {
            if (auto read = distribution(entry.get<std::string>()); !read.is_null()) {
                return read;
            }
        } catch (const std::logic_error&) {  // a number beyond 64 bits
        } catch (const InvalidInput&) {      // no YAML
        }
        fail(name, entry);
    }

  private:
    static OrderedJson choices(OrderedJson values) {
        return {{"name", "CategoricalDistribution"}, {"attributes", {{"choices", std::move(values)}}}};
    }

    [[noreturn]] void fail(const std::string& name, const OrderedJson& entry) const {
        throw InvalidInput(
            fmt::format("{}: {}: {} cannot be read; use the syntax of Hydra's Optuna sweeper: "
                        "\"interval(0.1, 0.9)\", \"tag(log, interval(1e-4, 0.1))\", \"range(1, 9)\" or "
                        "\"choice(16, 32)\"",
                        file_.path, name, flow(entry)));
    }

    OrderedJson of_older_version(const std::string& name, const OrderedJson& entry) const {
        const auto type = entry.value("type", OrderedJson());
        if (type == "categorical" && entry.contains("choices")) {
            return choices(entry.at("choices"));
        }
        if ((type != "int" && type != "float") || !entry.contains("low") || !entry.contains("high")) {
            fail(name, entry);
        }
        return {{"name", type == "int" ? "IntDistribution" : "FloatDistribution"}, {"attributes", entry}};
    }

    /// The distribution that a text describes; null if it is not one of Hydra's.
    OrderedJson distribution(const std::string& text) const {
        if (const auto parts = parts_of(text); parts.size() > 1) {
            return choices_of(parts);
        }
        const auto open = text.find('(');
        if (open == std::string::npos || !text.ends_with(')')) {
            return choices(OrderedJson::array({element_of(text)}));
        }
        const auto function = text.substr(0, open);
        auto arguments = parts_of(text.substr(open + 1, text.size() - open - 2));
        if (function == "choice") {
            return choices_of(arguments);
        }
        if (function == "interval") {
            return interval(arguments);
        }
        if (function == "range") {
            return range(arguments);
        }
        static const std::set<std::string> around_another{"tag", "int", "float", "shuffle", "sort"};
        if (!around_another.contains(function)) {
            return {};
        }
        auto inner = distribution(arguments.back().substr(arguments.back().starts_with("sweep=") ? 6 : 0));
        if (!inner.is_null() && function == "tag" && std::ranges::find(arguments, "log") != arguments.end()) {
            inner.at("attributes")["log"] = true;
        }
        if (!inner.is_null() && function == "int" && inner.at("name") == "FloatDistribution") {
            inner.at("name") = "IntDistribution";
        }
        return inner;
    }

    static OrderedJson choices_of(const std::vector<std::string>& texts) { return choices(mapped(texts, element_of)); }

    /// The numeric arguments of a function, by name: both "1" and "stop=9" are accepted. Nothing if an argument is not
    /// a number.
    static std::optional<std::map<std::string, OrderedJson>> numbers_in(const std::vector<std::string>& arguments,
                                                                        const std::vector<std::string>& names) {
        std::map<std::string, OrderedJson> numbers;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto equals = arguments[i].find('=');
            if (equals == std::string::npos && i >= names.size()) {
                return {};
            }
            auto number = element_of(std::string(
                trimmed(std::string_view(arguments[i]).substr(equals == std::string::npos ? 0 : equals + 1))));
            if (!number.is_number()) {
                return {};
            }
            numbers[equals == std::string::npos ? names[i] : std::string(trimmed(arguments[i].substr(0, equals)))] =
                std::move(number);
        }
        return numbers;
    }

    /// An interval, which is of floating-point numbers even if its ends are whole.
    static OrderedJson interval(const std::vector<std::string>& arguments) {
        const auto numbers = numbers_in(arguments, {"start", "end"});
        if (!numbers || !numbers->contains("start") || !numbers->contains("end")) {
            return {};
        }
        return {{"name", "FloatDistribution"},
                {"attributes", {{"low", numbers->at("start")}, {"high", numbers->at("end")}}}};
    }

    OrderedJson range(const std::vector<std::string>& arguments) const {
        const bool has_stop_alone = arguments.size() == 1;
        auto numbers = numbers_in(arguments, has_stop_alone ? std::vector<std::string>{"stop"}
                                                            : std::vector<std::string>{"start", "stop", "step"});
        if (!numbers || !numbers->contains("stop")) {
            return {};
        }
        numbers->try_emplace("start", 0);
        numbers->try_emplace("step", 1);
        const auto& low = numbers->at("start");
        const auto& step = numbers->at("step");
        auto high = numbers->at("stop");
        const bool is_whole = low.is_number_integer() && high.is_number_integer() && step.is_number_integer();
        if (!(step > 0)) {
            return {};
        }
        if (!has_stop_) {
            const double size = (high.get<double>() - low.get<double>()) / step.get<double>();
            high = low.get<double>() + (std::ceil(size - 1e-9) - 1) * step.get<double>();
        }
        return {{"name", is_whole ? "IntDistribution" : "FloatDistribution"},
                {"attributes", {{"low", low}, {"high", high}, {"step", step}}}};
    }

    const ForeignFile& file_;
    bool has_stop_;
};

/// The method for Optuna's sampler, given by the class in the sampler's section or by the name that the defaults
/// choose.
ImportedLine method(const OrderedJson& root, const OrderedJson& sampler) {
    static const std::map<std::string, std::string> methods{
        {"TPESampler", "tpe"}, {"RandomSampler", "random"}, {"GridSampler", "grid"}, {"CmaEsSampler", "cmaes"},
        {"GPSampler", "gp"},   {"QMCSampler", "sobol"},     {"tpe", "tpe"},          {"random", "random"},
        {"grid", "grid"},      {"cmaes", "cmaes"}};
    auto name = sampler.is_object() ? sampler.value("_target_", "") : "";
    name = name.substr(name.rfind('.') + 1);
    if (name.empty()) {
        name = choice_in_defaults(root, "hydra/sweeper/sampler");
    }
    const auto found = methods.find(name);
    return {"method", found == methods.end() ? "tpe" : found->second,
            found == methods.end() && !name.empty() ? fmt::format("was {}", name) : ""};
}

}  // namespace

bool is_hydra(const OrderedJson& root) {
    const auto* sweeper = sweeper_of(root);
    return sweeper != nullptr && space_of(*sweeper) != nullptr;
}

ImportedSweep import_hydra(const OrderedJson& root, const ForeignFile& file) {
    const auto& sweeper = *sweeper_of(root);
    const auto target = sweeper.value("_target_", choice_in_defaults(root, "hydra/sweeper"));
    const bool is_grid = target.empty() || target == "basic" || target.ends_with("BasicSweeper");
    ImportedSweep result{.origin = is_grid ? "a Hydra sweep" : "a sweep for Hydra's Optuna sweeper"};
    if (const auto name = text_at(sweeper, "study_name")) {
        result.head.push_back(name_line(*name));
    }
    const auto directions = sweeper.value("direction", OrderedJson("minimize"));
    const auto& direction = directions.is_array() && !directions.empty() ? directions[0] : directions;
    const auto metric = text_at(root, "optimized_metric");
    result.head.push_back(
        {"metric",
         {{"name", metric.value_or("value")}, {"goal", direction == "maximize" ? "maximize" : "minimize"}},
         metric ? "" : "Hydra uses the script's return value; write the name that your script reports"});
    if (direction != "minimize" && direction != "maximize") {
        result.notes.push_back(fmt::format("direction: {} is not known; correct the goal of metric", flow(direction)));
    }
    if (directions.size() > 1) {
        result.notes.push_back(
            fmt::format("there are {} objectives; a sweep has one, so only the first is kept", directions.size()));
    }
    const auto sampler = sweeper.value("sampler", OrderedJson());
    result.head.push_back(is_grid ? ImportedLine{"method", "grid"} : method(root, sampler));
    if (!is_grid && result.head.back().value != "grid") {
        result.head.push_back({"run_cap", sweeper.value("n_trials", OrderedJson(20))});
    }
    if (sampler.is_object() && sampler.value("seed", OrderedJson()).is_number_integer()) {
        result.head.push_back({"seed", sampler.at("seed")});
    }
    const Space space(file, !is_grid);
    auto distributions = OrderedJson::object();
    for (const auto& [name, entry] : space_of(sweeper)->items()) {
        distributions[name] = space.distribution(name, entry);
    }
    result.parameters = import_optuna_distributions(distributions, file).parameters;
    result.tail.push_back({"command",
                           {"python3", "train.py", "hydra.run.dir=${trial_dir}", "${args_no_hyphens}"},
                           "write the name of your script, and its other arguments"});
    result.notes.emplace_back(
        "every trial trains until its program ends; to stop bad ones early, make the program report, and "
        "add scheduler: {type: asha, min: 1, max: 27}");
    static const std::set<std::string> written{"_target_",  "params",   "search_space", "study_name",
                                               "direction", "n_trials", "sampler",      "n_jobs"};
    std::vector<std::string> lost;
    for (const auto& [key, value] : sweeper.items()) {
        if (!written.contains(key) && !value.is_null()) {
            lost.push_back("hydra.sweeper." + key);
        }
    }
    note_lost(lost, result);
    return result;
}

}  // namespace crescendo::launch
