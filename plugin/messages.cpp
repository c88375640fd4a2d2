#include "plugin/messages.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace crescendo::plugin {

crescendo_search Structs::search(const Message& begin) {
    auto& parameters = parameters_.emplace_back();
    for (const auto& [name, json] : begin.at("parameters").items()) {
        parameters.push_back(parameter(name, json));
    }
    auto& constraints = lists_.emplace_back();
    for (const auto& constraint : begin.at("constraints")) {
        constraints.push_back(keep(constraint));
    }
    const auto count = [&](const char* key) {
        const auto& number = begin.at(key);
        return number.is_null() ? std::int64_t{-1} : number.get<std::int64_t>();
    };
    return {keep(begin.at("name")),
            keep(begin.at("metric")),
            begin.at("goal") == "maximize" ? 1 : 0,
            begin.at("seed"),
            count("run_cap"),
            count("max_resource"),
            parameters.data(),
            parameters.size(),
            constraints.data(),
            constraints.size(),
            entries(begin.value("options", Message::object()))};
}

crescendo_trial Structs::trial(const Message& tell) {
    crescendo_trial trial{tell.at("trial"), tell.value("proposal", std::int64_t{-1}), keep(tell.at("status")),
                          entries(tell.at("config")), 0, 0};
    if (tell.contains("resource")) {
        trial.resource = tell.at("resource");
        const auto& value = tell.at("value");
        trial.value = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    }
    return trial;
}

crescendo_entries Structs::entries(const Message& object) {
    auto& entries = entries_.emplace_back();
    for (const auto& [name, json] : object.items()) {
        entries.push_back({keep(name), value(json)});
    }
    return {entries.data(), entries.size()};
}

crescendo_value Structs::value(const Message& json) {
    if (json.is_boolean()) {
        return {crescendo_boolean, json.get<bool>() ? 1 : 0, 0, ""};
    }
    if (json.is_number_integer()) {
        return {crescendo_integer, json.get<std::int64_t>(), 0, ""};
    }
    if (json.is_number()) {
        return {crescendo_number, 0, json.get<double>(), ""};
    }
    if (json.is_string()) {
        return {crescendo_text, 0, 0, keep(json)};
    }
    return {crescendo_json, 0, 0, keep(json.dump())};
}

crescendo_parameter Structs::parameter(const std::string& name, const Message& json) {
    crescendo_parameter parameter{};
    parameter.name = keep(name);
    const auto text = [&](const char* key) { return json.contains(key) ? keep(json.at(key)) : nullptr; };
    parameter.distribution = text("distribution");
    parameter.when = text("when");
    parameter.expression = text("expression");
    auto settings = Message::object();
    for (const char* key : {"min", "max", "mu", "sigma", "a", "b", "q"}) {
        if (json.contains(key)) {
            settings[key] = json.at(key);
        }
    }
    parameter.settings = entries(settings);
    auto& values = values_.emplace_back();
    for (const auto& each : json.value("values", Message::array())) {
        values.push_back(value(each));
    }
    if (json.contains("value")) {
        values.push_back(value(json.at("value")));
    }
    parameter.values = values.data();
    parameter.num_values = values.size();
    const auto& probabilities =
        numbers_.emplace_back(json.value("probabilities", std::vector<double>{}));
    parameter.probabilities = probabilities.data();
    parameter.num_probabilities = probabilities.size();
    return parameter;
}

Message to_json(const crescendo_value& value) {
    switch (value.kind) {
        case crescendo_boolean:
            return value.integer != 0;
        case crescendo_integer:
            return value.integer;
        case crescendo_number:
            if (!std::isfinite(value.number)) {
                throw std::runtime_error(std::to_string(value.number) +
                                         ", which is not a valid value; give a finite number");
            }
            return value.number;
        case crescendo_text:
            return value.text;
        default:
            break;
    }
    auto json = Message::parse(value.text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) {
        throw std::runtime_error(std::string(value.text) + ", which is not JSON");
    }
    return json;
}

}  // namespace crescendo::plugin
