#include "trainer/settings_check.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/check.hpp"
#include "core/setting_path.hpp"
#include "core/spelling.hpp"
#include "datasets/samples/window_reader.hpp"
#include "datasets/system/own_process.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/data/normalization.hpp"
#include "trainer/data/task.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

/// Lists the classes that have samples: "17 samples of class 3, 2 of class 5".
std::string list_classes(const ClassCounts& counts) {
    constexpr int most_named = 5;
    std::string words;
    int num_listed = 0;
    for (std::int64_t number = 0; number < std::ssize(counts); ++number) {
        const auto count = counts[static_cast<std::size_t>(number)];
        if (count == 0 || ++num_listed > most_named) {
            continue;
        }
        words += text("{}{}{} of class {}", words.empty() ? "" : ", ", count,
                      !words.empty() ? ""
                      : count == 1   ? " sample"
                                     : " samples",
                      number);
    }
    return num_listed > most_named ? text("{}, and others of {} more", words, num_listed - most_named) : words;
}

/// Keeps in `counts` only classes that no trial learns: those from `known` on, and those without training samples,
/// unless `trainer.classes` counts them. Returns whether one of the latter is smaller than `known`.
bool pass_over_known(ClassCounts& counts, std::int64_t known, const Settings& settings, DataCache& data) {
    const auto& learned = data.classes(settings.data.train, settings.data);
    bool has_gaps = false;
    for (std::size_t number = 0; number < std::min(counts.size(), static_cast<std::size_t>(known)); ++number) {
        const bool is_gap = settings.classes == 0 && learned[number] == 0 && counts[number] > 0;
        counts[number] = is_gap ? counts[number] : 0;
        has_gaps = has_gaps || is_gap;
    }
    return has_gaps;
}

/// Checks before the trials that the model has an output for every class, because a class without one ends a trial at
/// its first evaluation.
void check_classes(const Settings& settings, const std::string& key, const std::string& location, DataCache& data,
                   std::vector<Problem>& problems) {
    auto unknown = data.classes(location, settings.data);
    const auto known = num_classes(settings, data);
    const auto num_counted = std::ssize(unknown);
    const bool has_gaps = pass_over_known(unknown, known, settings, data);
    const auto list = list_classes(unknown);
    if (list.empty()) {
        return;
    }
    if (settings.classes > 0) {
        problems.push_back(
            {"trainer.classes", text("{} classes are numbered from 0 to {}, but {} has {}; give at least {}", known,
                                     known - 1, location, list, num_counted)});
    } else if (has_gaps) {
        problems.push_back({key, text("{} has {}, but {} has no sample of these, so no trial can learn them; add them "
                                      "there, or leave them out here",
                                      location, list, settings.data.train)});
    } else {
        problems.push_back({key, text("{} has {}, but {} only has the classes 0 to {}, so no trial can learn the "
                                      "others; add them there, or leave them out here",
                                      location, list, settings.data.train, known - 1)});
    }
}

void check_data(const Settings& settings, const std::string& key, const std::string& location, DataCache& data,
                const Catalogue& catalogue, std::vector<Problem>& problems) try {
    if (location.empty()) {
        return;
    }
    datasets::now_reading(location);
    const auto samples = data.set(location, settings.data);
    const auto found = misfits(settings, *samples, key);
    problems.insert(problems.end(), found.begin(), found.end());
    const auto is_of_train = [](const Problem& problem) { return problem.key == "trainer.data.train"; };
    if (std::any_of(problems.begin(), problems.end(), is_of_train)) {
        return;  // everything else is compared with it
    }
    data.evaluation(location, settings.data);  // throws if memory is too small for the chunks, or means are unknown
    const auto& train = *data.set(settings.data.train, settings.data);
    CRESCENDO_VALIDATE(ask_alike(settings, *samples, train), key,
                       "{}: its samples and those of {} have different shapes; a model fits only one", location,
                       train.location());
    if (const auto input = scaled_in_one(*samples, train, settings.data)) {
        const auto type_in = [&](const auto& set) { return to_string(set.inputs()[*input].type); };
        throw InvalidInput(
            text("{}: its {} are {}, but those of {} are {}. Without data.normalize, bytes are divided by 255, and "
                 "other numbers are not; store both in the same type, or give data.normalize",
                 location, settings.data.inputs[*input], type_in(*samples), train.location(), type_in(train)),
            key);
    }
    const auto numbers = [&](const auto& set) { return learns_classes(settings, set) ? "whole" : "real"; };
    CRESCENDO_VALIDATE(learns_classes(settings, *samples) == learns_classes(settings, train), key,
                       "{}: its targets are {} numbers, but those of {} are {}; store both the same way: whole numbers "
                       "for classes, real ones for regression",
                       location, numbers(*samples), train.location(), numbers(train));
    if (found.empty() && learns_classes(settings, *samples)) {
        const auto contradiction = datasets::contradiction_of_classes(samples->targets()[0].classes, location,
                                                                      train.targets()[0].classes, train.location());
        CRESCENDO_VALIDATE(contradiction.empty(), key,
                           "{}, so trials would not be judged by the classes that they learn; convert both from "
                           "folders with the same classes, or renumber the targets of one and correct its attribute {}",
                           contradiction, datasets::class_names_attribute);
        check_classes(settings, key, location, data, problems);
    }
    if (found.empty() && location == settings.data.train) {
        const Task task = describe_task(settings, data);
        auto of_task = misfits_of_task(settings, task);
        if (of_task.empty() && catalogue.misfits_of_network) {
            of_task = catalogue.misfits_of_network(settings, task);
        }
        problems.insert(problems.end(), of_task.begin(), of_task.end());
    }
} catch (const InvalidInput& invalid) {
    problems.push_back({invalid.key().empty() ? key : invalid.key(), invalid.what()});
} catch (const std::runtime_error& unreadable) {
    problems.push_back({key, unreadable.what()});
} catch (const std::bad_alloc&) {
    problems.push_back(
        {key,
         text("{} needs more memory than this machine has: it is damaged, or its chunks are too large", location)});
}

std::vector<Problem> problems_of(const json& section, const Catalogue& catalogue, DataCache& data) {
    std::vector<Problem> problems;
    const Settings settings = parse_settings(section, catalogue, problems);
    if (!problems.empty() && problems.front().key == plugins_key) {
        return problems;
    }
    check_data(settings, "trainer.data.train", settings.data.train, data, catalogue, problems);
    check_data(settings, "trainer.data.validation", settings.data.validation, data, catalogue, problems);
    check_data(settings, "trainer.data.test", settings.data.test, data, catalogue, problems);
    return problems;
}

/// Checks that the trials report the sweep's metric. Otherwise the sweep would fail after their first epochs. The
/// settings and the training set must have no problems.
std::vector<Problem> problems_of_metric(const std::string& metric, const Settings& settings, DataCache& data) {
    const auto reported = reported_metrics(settings, *data.set(settings.data.train, settings.data));
    if (std::find(reported.begin(), reported.end(), metric) != reported.end()) {
        return {};
    }
    return {{"metric.name",
             text("no trial reports '{}', so none can be judged; they report {}{}", metric, enumerate(reported, ", "),
                  settings.data.validation.empty() ? ", and more with data.validation" : "")}};
}

/// Returns the settings with the first value of each parameter.
json first_settings(const json& request) {
    const json parameters = request.value("parameters", json::object());
    json settings = request.at("settings");
    for (const auto& [name, values] : parameters.items()) {
        if (!values.empty()) {
            set_at(settings, name, values.front());
        }
    }
    return settings;
}

/// The rows of `table` that trials of the sweep can choose, by the setting `key` or the parameter of this name.
template <class Spec>
std::vector<Choice<Spec>> choices_of(const json& request, const char* key, const std::vector<Choice<Spec>>& table) {
    json words = request.value("parameters", json::object()).value(key, json::array());
    if (request.at("settings").contains(key)) {
        words.push_back(request.at("settings").at(key));
    }
    if (words.empty()) {
        return {table.front()};
    }
    std::vector<Choice<Spec>> choices;
    std::copy_if(table.begin(), table.end(), std::back_inserter(choices), [&](const Choice<Spec>& choice) {
        return choice.name[0] == '*' || std::find(words.begin(), words.end(), choice.name) != words.end();
    });
    return choices;
}

/// Warns about settings, searched or not, of models and optimizers that no trial uses.
std::vector<Problem> remarks_on_unused(const json& request, const Catalogue& catalogue) {
    Catalogue used = catalogue;
    used.models = choices_of(request, "model", catalogue.models);
    used.optimizers = choices_of(request, "optimizer", catalogue.optimizers);
    std::vector<Problem> remarks;
    parse_settings(first_settings(request), used, remarks);
    const json parameters = request.value("parameters", json::object());
    for (auto& [key, message] : remarks) {
        const std::string name = key.substr(key.find('.') + 1);
        key = (parameters.contains(name) ? "parameters." : "trainer.") + name;
        message = "changes nothing, because no model and no optimizer of this sweep has such a setting; leave it out";
    }
    return remarks;
}

/// Warns about a shuffle among only a few chunks at a time.
std::vector<Problem> remarks_on_shuffle(const DataSettings& settings, DataCache& data) {
    constexpr std::int64_t few_chunks = 8;
    if (settings.shuffle == datasets::Shuffle::none) {
        return {};
    }
    const auto samples = data.set(settings.train, settings);
    const auto shape = plan_windows(*samples, {0, samples->size()}, settings.shuffle, settings.memory);
    const auto held = shape.window_chunks();
    if (shape.num_windows == 1 || held >= few_chunks) {
        return {};
    }
    const auto chunk_bytes = samples->chunk_bytes(samples->chunk_samples()) + samples->chunk_samples() * 9;
    const auto mebibytes = (2 * few_chunks * chunk_bytes >> 20) + 1;
    return {{"trainer.data.memory",
             text("a shuffle window holds {} of the {} chunks of {}, so samples that are stored together are used "
                  "together; use {}MiB or more, or smaller chunks (crescendo data rechunk)",
                  held, shape.num_chunks(), settings.train, mebibytes)}};
}

/// Warns about inputs with large numbers, such as a sensor's counts: numbers in the thousands ruin the weights in the
/// first step, without an error.
std::vector<Problem> remarks_on_scale(const DataSettings& settings, DataCache& data) {
    const auto samples = data.set(settings.train, settings);
    std::vector<Problem> remarks;
    for (std::size_t i = 0; i < samples->inputs().size(); ++i) {
        const auto& field = samples->inputs()[i];
        const auto& name = settings.inputs[i];
        if (!settings.normalizes(name) && !field.is_real() && size_of(field.type) > 1) {
            remarks.push_back(
                {"trainer.data.normalize", text("{} has {} numbers in {}, which enter the network as they are stored; "
                                                "if they are large, set standard, else none",
                                                settings.train, to_string(field.type), name)});
        }
    }
    return remarks;
}

/// Warns about sets that share samples, because a metric on one set then says little about what was learned from the
/// other.
std::vector<Problem> remarks_on_overlap(const DataSettings& settings, DataCache& data) {
    std::vector<Problem> remarks;
    const auto compare = [&](const char* key, const std::string& location, const std::string& other,
                             const char* consequence) {
        const auto place = location.empty() || other.empty()
                               ? ""
                               : data.set(location, settings)->common_place(*data.set(other, settings));
        if (!place.empty()) {
            remarks.push_back({key, text("{} and {} share samples, such as {}, so {}; use other samples here", location,
                                         other, place, consequence)});
        }
    };
    compare("trainer.data.validation", settings.validation, settings.train,
            "trials are judged on samples that they learned from");
    compare("trainer.data.test", settings.test, settings.train, "the test uses samples that trials learned from");
    compare("trainer.data.test", settings.test, settings.validation, "the test uses samples that chose the best trial");
    return remarks;
}

}  // namespace

std::vector<Problem> check_settings(const json& request, const Catalogue& catalogue) {
    const json parameters = request.value("parameters", json::object());
    const json settings = first_settings(request);
    std::vector<Problem> all;
    DataCache data;
    const auto check = [&](const json& section) {
        for (Problem& problem : problems_of(section, catalogue, data)) {
            const std::string name = problem.key.substr(problem.key.find('.') + 1);
            if (parameters.contains(name)) {
                problem.key = "parameters." + name;
            }
            if (std::find(all.begin(), all.end(), problem) == all.end()) {
                all.push_back(std::move(problem));
            }
        }
    };
    check(settings);
    for (const auto& [name, values] : parameters.items()) {
        for (const json& value : values) {
            json section = settings;
            set_at(section, name, value);
            check(section);
        }
    }
    if (all.empty() && request.contains("metric")) {
        const auto& metric = request.at("metric").get_ref<const std::string&>();
        return problems_of_metric(metric, parse_settings(settings, catalogue, all), data);
    }
    return all;
}

std::vector<Problem> remarks_on_settings(const json& request, const Catalogue& catalogue) {
    std::vector<Problem> ignored;
    auto remarks = remarks_on_unused(request, catalogue);
    const auto settings = parse_settings(first_settings(request), catalogue, ignored).data;
    DataCache data;
    for (const auto& of_data :
         {remarks_on_shuffle(settings, data), remarks_on_overlap(settings, data), remarks_on_scale(settings, data)}) {
        remarks.insert(remarks.end(), of_data.begin(), of_data.end());
    }
    return remarks;
}

}  // namespace crescendo::trainer
