#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "launch/import/optuna_study.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view sqlite_magic = "SQLite format 3";

/// Parses the name and the attributes of a distribution, which may be JSON text.
OrderedJson unpacked(const OrderedJson& distribution) {
    auto json = distribution.is_string() ? OrderedJson::parse(distribution.get<std::string>(), nullptr, false)
                                         : distribution;
    return json.is_object() && json.contains("name") && json.at("name").is_string() && json.contains("attributes") &&
                   json.at("attributes").is_object()
               ? json
               : OrderedJson();
}

ImportedLine parameter(const std::string& name, const OrderedJson& distribution, const std::string& path) {
    const auto json = unpacked(distribution);
    CRESCENDO_VALIDATE(!json.is_null(), "", "{}: {} has no Optuna distribution", path, name);
    const std::string kind = json.at("name");
    const auto& attributes = json.at("attributes");
    const auto number = [&](const char* key) {
        CRESCENDO_VALIDATE(attributes.contains(key) && attributes.at(key).is_number(), "",
                           "{}: {}: {} has no number {}", path, name, kind, key);
        return attributes.at(key).get<double>();
    };
    const auto given = [&](const char* key) {
        return attributes.contains(key) && attributes.at(key).is_number() ? attributes.at(key).get<double>() : 0;
    };
    const auto whole = [&](const char* key) {
        number(key);  // it must be one
        const auto exact = whole_number(attributes.at(key));
        CRESCENDO_VALIDATE(exact, "",
                           "{}: {}: {} has {}: {}, which does not fit in a 64-bit integer; use a number closer to 0",
                           path, name, kind, key, flow(attributes.at(key)));
        return *exact;
    };
    if (kind == "CategoricalDistribution") {
        CRESCENDO_VALIDATE(attributes.contains("choices") && attributes.at("choices").is_array(), "",
                           "{}: {}: a categorical distribution has no choices", path, name);
        const auto& choices = attributes.at("choices");
        return {name, choices.size() == 1 ? constant(choices[0]) : choice(choices)};
    }
    const double low = number("low");
    const double high = number("high");
    const bool is_log = attributes.value("log", OrderedJson(false)) == true || kind == "LogUniformDistribution" ||
                        kind == "IntLogUniformDistribution";
    if (kind == "IntDistribution" || kind == "IntUniformDistribution" || kind == "IntLogUniformDistribution") {
        if (is_log && low < high) {
            return {name, {{"distribution", "q_log_uniform_values"}, {"min", low}, {"max", high}, {"q", 1}}};
        }
        return whole_numbers(name, whole("low"), whole("high"), given("step") > 1 ? whole("step") : 1);
    }
    const double step = kind == "DiscreteUniformDistribution" ? number("q") : given("step");
    if (low == high) {
        return {name, constant(low)};
    }
    if (step > 0) {
        return stepped_numbers(name, low, high, step);
    }
    return {name, is_log ? log_uniform(low, high) : uniform(low, high)};
}

ImportedSweep sweep_of(const OptunaStudy& study, const std::string& origin, const std::string& path) {
    CRESCENDO_VALIDATE(!study.distributions.empty(), "",
                       "{}: the study has no trial with parameters yet, and a storage has parameters only in its "
                       "trials; run one trial, or give the distributions as JSON",
                       path);
    ImportedSweep result{.origin = origin};
    if (!study.name.empty()) {
        result.head.push_back(name_line(study.name));
    }
    const bool minimizes = study.minimizes.empty() || study.minimizes[0];
    result.head.push_back(
        {"metric",
         {{"name", study.metrics.empty() ? "value" : study.metrics[0]}, {"goal", minimizes ? "minimize" : "maximize"}},
         study.metrics.empty() ? "Optuna does not name it; write the name that your program reports" : ""});
    if (study.minimizes.size() > 1) {
        result.notes.push_back(fmt::format("the study has {} objectives; a sweep has one, so only the first is kept",
                                           study.minimizes.size()));
    }
    if (study.num_trials > 0) {
        result.head.push_back({"run_cap", study.num_trials, "the number of trials in the study"});
    }
    result.notes.emplace_back(
        "Optuna stores neither the sampler nor the pruner; add scheduler: {type: asha, min: 1, "
        "max: 27} to stop bad trials early");
    result.notes.emplace_back(add_program);
    int most = 0;
    for (const auto& [name, number] : study.num_with) {
        most = std::max(most, number);
    }
    for (const auto& [name, distribution] : study.distributions.items()) {
        auto line = parameter(name, distribution, path);
        const auto remark = [&](const std::string& text) { line.comment += (line.comment.empty() ? "" : "; ") + text; };
        if (study.changed.contains(name)) {
            remark("other trials had another range; this is the last one");
        }
        if (const auto uses = study.num_with.find(name); uses != study.num_with.end() && uses->second < most) {
            remark(
                fmt::format("{} of {} trials have it; if other parameters decide that, add when:", uses->second, most));
        }
        result.parameters.push_back(std::move(line));
    }
    return result;
}

}  // namespace

void OptunaStudy::add(const std::string& parameter, const std::string& distribution, int trials) {
    auto json = OrderedJson::parse(distribution);
    if (const auto known = distributions.find(parameter); known != distributions.end() && *known != json) {
        changed.insert(parameter);
    }
    distributions[parameter] = std::move(json);
    num_with[parameter] += trials;
}

bool is_optuna_distributions(const OrderedJson& root) {
    const auto is_distribution = [](const OrderedJson& each) {
        const auto json = unpacked(each);
        return !json.is_null() && json.at("name").get<std::string>().ends_with("Distribution");
    };
    return root.is_object() && !root.empty() && std::all_of(root.begin(), root.end(), is_distribution);
}

ImportedSweep import_optuna_distributions(const OrderedJson& root, const ForeignFile& file) {
    return sweep_of({.name = "", .distributions = root}, "Optuna distributions", file.path);
}

bool is_optuna_storage(const ForeignFile& file) {
    const auto first = OrderedJson::parse(file.text.substr(0, file.text.find('\n')), nullptr, false);
    return file.text.starts_with(sqlite_magic) || (first.is_object() && first.contains("op_code"));
}

ImportedSweep import_optuna_storage(const ForeignFile& file) {
    const bool is_database = file.text.starts_with(sqlite_magic);
    const auto studies = is_database ? studies_of_database(file.path) : studies_of_journal(file.text, file.path);
    const auto names = fmt::format("'{}'", fmt::join(names_of(studies), "', '"));
    CRESCENDO_VALIDATE(!studies.empty(), "", "{}: holds no study", file.path);
    CRESCENDO_VALIDATE(file.study || studies.size() == 1, "--study",
                       "{}: holds {} studies; add --study with one of {}", file.path, studies.size(), names);
    const auto found = file.study ? std::ranges::find(studies, *file.study, &OptunaStudy::name) : studies.begin();
    CRESCENDO_VALIDATE(found != studies.end(), "--study", "{}: holds no study '{}'; it holds {}", file.path, *file.study,
                       names);
    return sweep_of(*found, is_database ? "an Optuna database" : "an Optuna journal", file.path);
}

}  // namespace crescendo::launch
