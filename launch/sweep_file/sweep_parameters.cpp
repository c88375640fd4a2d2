#include "launch/sweep_file/sweep_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "launch/messages/value_json.hpp"
#include "launch/yaml/spelling.hpp"

namespace crescendo::launch {
namespace {

Value read_value(const YamlSection& parameter, const std::string& name, const OrderedJson& json) {
    if (!json.is_primitive() || json.is_null()) {
        parameter.fail(name,
                       fmt::format("{}, and a parameter is a number, a boolean or text; describe it with text that "
                                   "the trainer understands, such as \"none\" or \"3x3\"",
                                   describe(json)));
    }
    if (json.is_number_float() && !std::isfinite(json.get<double>())) {
        parameter.fail(name,
                       "is not a finite number, and programs get their parameters as JSON, which has none; use "
                       "text, such as \"inf\"");
    }
    return value_from_json(json);
}

double read_number(const YamlSection& parameter, const std::string& name) {
    if (const auto number = parameter.number(name)) {
        return *number;
    }
    parameter.fail("", fmt::format("has no {0}; add {0}: with a number", name));
}

std::int64_t read_integer(const YamlSection& parameter, const std::string& name) {
    read_number(parameter, name);
    if (!parameter.at(name).is_number_integer()) {
        parameter.fail(name, fmt::format("{} is not whole; int_uniform takes whole numbers, uniform takes any",
                                         parameter.at(name).dump()));
    }
    return parameter.at(name).get<std::int64_t>();
}

double read_min(const YamlSection& parameter) { return read_number(parameter, "min"); }
double read_max(const YamlSection& parameter) { return read_number(parameter, "max"); }
double read_q(const YamlSection& parameter) { return parameter.number("q").value_or(1.0); }

Distribution read_categorical(const YamlSection& parameter) {
    if (!parameter.has("values")) {
        parameter.fail("", "has no values; add values: [a, b]");
    }
    const auto& list = parameter.at("values");
    if (!list.is_array()) {
        parameter.fail("values", fmt::format("{}; it takes a list, such as [16, 32, 64]", describe(list)));
    }
    Categorical categorical;
    bool all_read = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
        all_read &= parameter.attempt(
            [&] { categorical.values.push_back(read_value(parameter, fmt::format("values[{}]", i), list[i])); });
    }
    if (!all_read) {
        throw AlreadyTold{};
    }
    return categorical;
}

Distribution read_constant(const YamlSection& parameter) {
    if (!parameter.has("value")) {
        parameter.fail("", "has no value; add value: 0.1");
    }
    return Constant{read_value(parameter, "value", parameter.at("value"))};
}

using Read = Distribution (*)(const YamlSection&);

/// What a distribution is read by, and the keys it has beside `distribution`.
struct Reader {
    Read read;
    std::vector<std::string> keys;
};

const std::vector<std::pair<std::string, Reader>>& readers() {
    static const std::vector<std::pair<std::string, Reader>> all{
        {"uniform",
         {[](const YamlSection& p) -> Distribution {
              return Uniform{read_min(p), read_max(p)};
          },
          {"min", "max"}}},
        {"log_uniform_values",
         {[](const YamlSection& p) -> Distribution {
              return LogUniformValues{read_min(p), read_max(p)};
          },
          {"min", "max"}}},
        {"int_uniform",
         {[](const YamlSection& p) -> Distribution {
              return IntUniform{read_integer(p, "min"), read_integer(p, "max")};
          },
          {"min", "max"}}},
        {"q_uniform",
         {[](const YamlSection& p) -> Distribution {
              return QUniform{read_min(p), read_max(p), read_q(p)};
          },
          {"min", "max", "q"}}},
        {"q_log_uniform_values",
         {[](const YamlSection& p) -> Distribution {
              return QLogUniformValues{read_min(p), read_max(p), read_q(p)};
          },
          {"min", "max", "q"}}},
        {"categorical", {read_categorical, {"values"}}},
        {"constant", {read_constant, {"value"}}},
    };
    return all;
}

/// Words of W&B that are not spoken here.
std::vector<UnsupportedWord> unsupported_distributions() {
    const std::string values_themselves =
        "its min and max are exponents; use log_uniform_values with the values themselves";
    const std::string no_bell = "use uniform or log_uniform_values with the range that matters";
    return {{"log_uniform", values_themselves},
            {"q_log_uniform", "its min and max are exponents; use q_log_uniform_values with the values themselves"},
            {"inv_log_uniform", values_themselves},
            {"inv_log_uniform_values", "use log_uniform_values"},
            {"categorical_w_probabilities", "use categorical, and repeat a value to make it more likely"},
            {"normal", no_bell},
            {"q_normal", no_bell},
            {"log_normal", no_bell},
            {"q_log_normal", no_bell},
            {"beta", no_bell},
            {"q_beta", no_bell}};
}

std::string infer_distribution(const YamlSection& parameter) {
    if (parameter.has("values")) {
        return "categorical";
    }
    if (parameter.has("value")) {
        return "constant";
    }
    if (parameter.has("min") && parameter.has("max")) {
        const bool whole = parameter.at("min").is_number_integer() && parameter.at("max").is_number_integer();
        return whole ? "int_uniform" : "uniform";
    }
    parameter.fail("", "has no range; give it values: [a, b], or min: and max:, or value:");
}

/// The keys that the distribution `word` does not have, and the numbers that are none, are mistakes. Returns whether
/// there are any.
bool has_mistaken_keys(const YamlSection& parameter, const std::string& word, const std::vector<std::string>& keys) {
    bool mistaken = false;
    for (const auto& [key, value] : parameter.map().items()) {
        mistaken |= !parameter.attempt([&, &key = key] {
            if (key != "distribution" && std::find(keys.begin(), keys.end(), key) == keys.end()) {
                parameter.fail(key, fmt::format("has no meaning for the distribution {}, which has {}; remove it, or "
                                                "name another distribution",
                                                word, enumerate(keys, " and ")));
            }
            if (key == "min" || key == "max" || key == "q") {
                parameter.number(key);
            }
        });
    }
    return mistaken;
}

Distribution read_distribution(const YamlSection& parameter) {
    const auto named = parameter.choice("distribution", readers(), unsupported_distributions());
    if (parameter.has("parameters")) {
        parameter.fail("parameters", "a parameter cannot hold others; move them up and give each a name of its own");
    }
    if (!parameter.allow({"distribution", "min", "max", "values", "value", "q"})) {
        throw AlreadyTold{};
    }
    const auto word = named ? parameter.string("distribution").value() : infer_distribution(parameter);
    const auto reader =
        std::find_if(readers().begin(), readers().end(), [&](const auto& r) { return r.first == word; });
    const auto& [read, keys] = reader->second;
    if (has_mistaken_keys(parameter, word, keys)) {
        throw AlreadyTold{};
    }
    return read(parameter);
}

YamlSection read_parameter(const YamlSection& parameters, const std::string& name) {
    const auto& value = parameters.at(name);
    if (value.is_array()) {
        parameters.fail(name, fmt::format("this is a list; to choose from it write {0}: {{values: [...]}}", name));
    }
    if (value.is_primitive() && !value.is_null()) {
        parameters.fail(
            name, fmt::format("{}; for one fixed value write {}: {{value: {}}}", describe(value), name, value.dump()));
    }
    return parameters.section(name, "{min: 0.1, max: 0.9}").value();
}

}  // namespace

std::vector<Parameter> read_parameters(const YamlSection& section) {
    std::vector<Parameter> parameters;
    for (const auto& [name, value] : section.map().items()) {
        section.attempt([&, &name = name] {
            const Parameter parameter{name, read_distribution(read_parameter(section, name))};
            SearchSpace({parameter});  // throws where its range makes no sense
            parameters.push_back(parameter);
        });
    }
    return parameters;
}

}  // namespace crescendo::launch
