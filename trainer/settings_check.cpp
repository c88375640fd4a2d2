#include "trainer/settings_check.hpp"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/check.hpp"
#include "datasets/own_process.hpp"
#include "trainer/data_cache.hpp"
#include "trainer/task.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

void check_data(const Settings& settings, const std::string& key, const std::string& location, DataCache& data,
                std::vector<Problem>& problems) try {
    if (location.empty()) return;
    datasets::now_reading(location);
    const auto samples = data.set(location, settings.data);
    const auto found = misfits(settings, *samples, key);
    problems.insert(problems.end(), found.begin(), found.end());
    data.evaluation(location, settings.data);  // refuses a memory too small for the chunks, and unknown means
    const auto& train = *data.set(settings.data.train, settings.data);
    if (!ask_alike(settings, *samples, train)) {
        problems.push_back({key, text("{}: its samples have another shape than those of {}; a model fits one", location,
                                      train.location())});
    }
} catch (const InvalidInput& invalid) {
    problems.push_back({invalid.key().empty() ? key : invalid.key(), invalid.what()});
} catch (const std::runtime_error& unreadable) {
    problems.push_back({key, unreadable.what()});
} catch (const std::bad_alloc&) {
    problems.push_back({key, text("{} asks for more memory than there is: it is damaged, or its chunks are too large "
                                  "for this machine",
                                  location)});
}

std::vector<Problem> problems_of(const json& section, DataCache& data) {
    std::vector<Problem> problems;
    const Settings settings = parse_settings(section, problems);
    check_data(settings, "trainer.data.train", settings.data.train, data, problems);
    check_data(settings, "trainer.data.validation", settings.data.validation, data, problems);
    check_data(settings, "trainer.data.test", settings.data.test, data, problems);
    return problems;
}

}  // namespace

std::vector<Problem> check_settings(const json& request) {
    const json parameters = request.value("parameters", json::object());
    json settings = request.at("settings");
    for (const auto& [name, values] : parameters.items()) {
        if (!values.empty()) settings[name] = values.front();
    }
    std::vector<Problem> all;
    DataCache data;
    const auto check = [&](const json& section) {
        for (Problem& problem : problems_of(section, data)) {
            const std::string name = problem.key.substr(problem.key.find('.') + 1);
            if (parameters.contains(name)) problem.key = "parameters." + name;
            if (std::find(all.begin(), all.end(), problem) == all.end()) all.push_back(std::move(problem));
        }
    };
    check(settings);
    for (const auto& [name, values] : parameters.items()) {
        for (const json& value : values) {
            json section = settings;
            section[name] = value;
            check(section);
        }
    }
    return all;
}

}  // namespace crescendo::trainer
