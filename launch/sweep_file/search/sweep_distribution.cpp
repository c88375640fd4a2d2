#include "launch/sweep_file/search/sweep_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

/// Whether the parser could read all of a value.
bool is_readable(const OrderedJson& json) {
    return !json.is_discarded() && (!json.is_structured() || std::all_of(json.begin(), json.end(), is_readable));
}

/// Whether all numbers in a value are finite. Programs get parameters as JSON, which has no infinity.
bool is_finite(const OrderedJson& json) {
    if (json.is_number_float()) {
        return std::isfinite(json.get<double>());
    }
    return !json.is_structured() || std::all_of(json.begin(), json.end(), is_finite);
}

Value read_value(const YamlSection& parameter, const std::string& name, const OrderedJson& json) {
    if (!is_readable(json)) {
        throw AlreadyTold{};
    }
    if (!is_finite(json)) {
        parameter.fail(name,
                       fmt::format("{} not a finite number, but programs get their parameters as JSON, which has no "
                                   "other numbers; use text, such as \"inf\"",
                                   json.is_structured() ? "contains a value that is" : "is"));
    }
    return value_from_json(json);
}

double read_number(const YamlSection& parameter, const std::string& name) {
    if (const auto number = parameter.number(name)) {
        return *number;
    }
    parameter.fail("", fmt::format("has no {0}; add {0}: with a number", name));
}

/// A whole number, which may be written as 2.0.
std::int64_t read_integer(const YamlSection& parameter, const std::string& name) {
    constexpr double exact = 9007199254740992.0;  // larger doubles stand for several whole numbers
    const double number = read_number(parameter, name);
    const auto& json = parameter.at(name);
    if (!json.is_number_integer() && !(std::fabs(number) <= exact && std::trunc(number) == number)) {
        parameter.fail(name,
                       fmt::format("{} is not whole; int_uniform takes whole numbers, uniform takes any", json.dump()));
    }
    return json.is_number_integer() ? json.get<std::int64_t>() : static_cast<std::int64_t>(number);
}

double number_or(const YamlSection& parameter, const std::string& name, double otherwise) {
    return parameter.number(name).value_or(otherwise);
}

/// e to the power of the entry `name`.
double read_exponent(const YamlSection& parameter, const std::string& name) {
    const double exponent = read_number(parameter, name);
    const double value = std::exp(exponent);
    if (!std::isnormal(value)) {
        parameter.fail(name, fmt::format("is {}, an exponent of e, but e^{} is out of range; to give the values "
                                         "themselves, use log_uniform_values",
                                         exponent, exponent));
    }
    return value;
}

std::vector<Value> read_values(const YamlSection& parameter) {
    if (!parameter.has("values")) {
        parameter.fail("", "has no values; add values: [a, b]");
    }
    const auto& list = parameter.at("values");
    if (!list.is_array()) {
        parameter.fail("values", fmt::format("{}; use a list, such as [16, 32, 64]", describe(list)));
    }
    std::vector<Value> values;
    bool all_read = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
        all_read &= parameter.attempt(
            [&] { values.push_back(read_value(parameter, fmt::format("values[{}]", i), list[i])); });
    }
    if (!all_read) {
        throw AlreadyTold{};
    }
    return values;
}

std::vector<double> read_probabilities(const YamlSection& parameter) {
    if (!parameter.has("probabilities")) {
        return {};
    }
    const auto& list = parameter.at("probabilities");
    const auto is_number = [](const OrderedJson& item) { return item.is_number(); };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_number)) {
        parameter.fail("probabilities", "takes a list of numbers, one for each value, such as [0.5, 0.3, 0.2]");
    }
    return list.get<std::vector<double>>();
}

Distribution read_categorical(const YamlSection& p) { return Categorical{read_values(p), read_probabilities(p)}; }

Distribution read_constant(const YamlSection& parameter) {
    if (!parameter.has("value")) {
        parameter.fail("", "has no value; add value: 0.1");
    }
    return Constant{read_value(parameter, "value", parameter.at("value"))};
}

template <class Range>
Distribution read_range(const YamlSection& p) {
    return Range{read_number(p, "min"), read_number(p, "max")};
}

template <class Range>
Distribution read_quantized_range(const YamlSection& p) {
    return Range{read_number(p, "min"), read_number(p, "max"), number_or(p, "q", 1)};
}

template <class Bell>
Distribution read_bell(const YamlSection& p) {
    return Bell{number_or(p, "mu", 0), number_or(p, "sigma", 1)};
}

template <class Bell>
Distribution read_quantized_bell(const YamlSection& p) {
    return Bell{number_or(p, "mu", 0), number_or(p, "sigma", 1), number_or(p, "q", 1)};
}

using Read = Distribution (*)(const YamlSection&);

/// How to read a distribution, and the keys it has beside `distribution`.
struct Reader {
    Read read;
    std::vector<std::string> keys;
};

/// All distributions, with W&B's defaults. `log_uniform` gives exponents of e. An inverse log-uniform x has a uniform
/// log(1/x), so log(x) is uniform too.
const std::vector<std::pair<std::string, Reader>>& readers() {
    static const std::vector<std::pair<std::string, Reader>> all{
        {"uniform", {read_range<Uniform>, {"min", "max"}}},
        {"q_uniform", {read_quantized_range<QUniform>, {"min", "max", "q"}}},
        {"int_uniform",
         {[](const YamlSection& p) -> Distribution {
              return IntUniform{read_integer(p, "min"), read_integer(p, "max")};
          },
          {"min", "max"}}},
        {"log_uniform_values", {read_range<LogUniformValues>, {"min", "max"}}},
        {"q_log_uniform_values", {read_quantized_range<QLogUniformValues>, {"min", "max", "q"}}},
        {"inv_log_uniform_values", {read_range<LogUniformValues>, {"min", "max"}}},
        {"log_uniform",
         {[](const YamlSection& p) -> Distribution {
              return LogUniformValues{read_exponent(p, "min"), read_exponent(p, "max")};
          },
          {"min", "max"}}},
        {"q_log_uniform",
         {[](const YamlSection& p) -> Distribution {
              return QLogUniformValues{read_exponent(p, "min"), read_exponent(p, "max"), number_or(p, "q", 1)};
          },
          {"min", "max", "q"}}},
        {"inv_log_uniform",
         {[](const YamlSection& p) -> Distribution {
              return LogUniformValues{1 / read_exponent(p, "max"), 1 / read_exponent(p, "min")};
          },
          {"min", "max"}}},
        {"normal", {read_bell<Normal>, {"mu", "sigma"}}},
        {"q_normal", {read_quantized_bell<QNormal>, {"mu", "sigma", "q"}}},
        {"log_normal", {read_bell<LogNormal>, {"mu", "sigma"}}},
        {"q_log_normal", {read_quantized_bell<QLogNormal>, {"mu", "sigma", "q"}}},
        {"beta",
         {[](const YamlSection& p) -> Distribution {
              return Beta{number_or(p, "a", 1), number_or(p, "b", 1)};
          },
          {"a", "b"}}},
        {"q_beta",
         {[](const YamlSection& p) -> Distribution {
              return QBeta{number_or(p, "a", 1), number_or(p, "b", 1), number_or(p, "q", 1)};
          },
          {"a", "b", "q"}}},
        {"categorical", {read_categorical, {"values", "probabilities"}}},
        {"categorical_w_probabilities", {read_categorical, {"values", "probabilities"}}},
        {"constant", {read_constant, {"value"}}},
    };
    return all;
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
    if (parameter.has("mu") || parameter.has("sigma")) {
        parameter.fail("", "has mu or sigma, but no distribution; add distribution: normal, or log_normal");
    }
    parameter.fail("", "has no range; add values: [a, b], or min: and max:, or value:");
}

/// The name of the distribution with the values of `word` rounded to multiples of q; "" if there is none.
std::string rounded_to_q(const std::string& word) {
    const auto rounded = "q_" + (word == "int_uniform" ? "uniform" : word);
    const bool is_known = std::ranges::any_of(readers(), [&](const auto& each) { return each.first == rounded; });
    return is_known ? rounded : "";
}

constexpr std::array<std::string_view, 7> numbers{"min", "max", "q", "mu", "sigma", "a", "b"};

/// Adds a mistake for each key that the distribution `word` does not have, and for each number that is not one. Returns
/// whether there are any.
bool has_mistaken_keys(const YamlSection& parameter, const std::string& word, const std::vector<std::string>& keys) {
    bool mistaken = false;
    for (const auto& [key, value] : parameter.map().items()) {
        mistaken |= !parameter.attempt([&, &key = key] {
            if (key != "distribution" && key != "when" && std::find(keys.begin(), keys.end(), key) == keys.end()) {
                const auto rounded = rounded_to_q(word);
                const auto remedy =
                    key != "q" || rounded.empty()
                        ? std::string("remove it, or name another distribution")
                        : fmt::format("{} distribution: {}", parameter.has("distribution") ? "write" : "add", rounded);
                parameter.fail(key, fmt::format("has no meaning for the distribution {}, which has {}; {}", word,
                                                enumerate(keys, " and "), remedy));
            }
            if (std::find(numbers.begin(), numbers.end(), key) != numbers.end()) {
                parameter.number(key);
            }
        });
    }
    return mistaken;
}

/// Whether a value looks like a list of choices: several different ones. A list that is meant as a whole, such as [3,
/// 3], may repeat items.
bool looks_like_choices(const OrderedJson& value) {
    if (!value.is_array() || value.size() < 2) {
        return false;
    }
    for (auto item = value.begin(); item != value.end(); ++item) {
        if (item->is_structured() || std::find(value.begin(), item, *item) != item) {
            return false;
        }
    }
    return true;
}

/// YAML splits `(8, 8)` at its comma into two texts.
std::optional<std::string> doubt_about_tuples(const YamlSection& parameter) {
    if (!parameter.has("values")) {
        return {};
    }
    for (const auto& value : parameter.at("values")) {
        if (value.is_string() && value.get_ref<const std::string&>().starts_with('(')) {
            return fmt::format(
                "has the text '{}' among its values; if it is a Python tuple, write lists: values: [[8, 8], [16]]",
                value.get<std::string>());
        }
    }
    return {};
}

/// YAML splits `0,1` at its comma into two numbers.
std::optional<std::string> doubt_about_repeats(const YamlSection& parameter) {
    if (!parameter.has("values") || !parameter.at("values").is_array()) {
        return {};
    }
    std::set<std::string> seen;
    for (const auto& value : parameter.at("values")) {
        if (const auto text = value.dump(); !seen.insert(text).second) {
            return fmt::format(
                "lists {} twice; remove one of the two, or if the comma is part of a number, write it as 0.1 or 1000",
                text);
        }
    }
    return {};
}

}  // namespace

Distribution read_distribution(const YamlSection& parameter) {
    const auto words = mapped(readers(), &std::pair<std::string, Reader>::first);
    const auto named = parameter.word(
        "distribution", words,
        {{"inv_uniform", "no tool defines it; use uniform, or log_uniform_values for several orders of magnitude"},
         {"loguniform", "write log_uniform_values, whose min and max are values"},
         {"qloguniform", "write q_log_uniform_values, whose min and max are values"},
         {"randint", "write int_uniform, whose max is one of the values"},
         {"choice", "write values: [a, b], without a distribution"},
         {"gaussian", "write normal, with mu and sigma"},
         {"permutation",
          "list the orders, as in values: [[1, 2, 3], [2, 1, 3]]; for many items, search a number for each, and let "
          "the program sort by them"}});
    if (!parameter.allow({"distribution", "min", "max", "values", "value", "q", "mu", "sigma", "a", "b",
                          "probabilities", "when", "expression"})) {
        throw AlreadyTold{};
    }
    const auto word = named ? *named : infer_distribution(parameter);
    const auto& [read, keys] = std::ranges::find(readers(), word, &std::pair<std::string, Reader>::first)->second;
    if (has_mistaken_keys(parameter, word, keys)) {
        throw AlreadyTold{};
    }
    return read(parameter);
}

std::optional<std::string> doubt_about_distribution(const YamlSection& parameter) {
    if (parameter.has("value") && !parameter.has("distribution") && looks_like_choices(parameter.at("value"))) {
        return "is this whole list in every trial; to choose one of its items, write values: instead of value:; to "
               "keep the list, add distribution: constant";
    }
    for (const auto doubt : {doubt_about_tuples, doubt_about_repeats}) {
        if (auto found = doubt(parameter)) {
            return found;
        }
    }
    if (!parameter.has("min") || !parameter.has("max")) {
        return {};
    }
    const auto min = parameter.at("min");
    const auto max = parameter.at("max");
    const auto word = parameter.has("distribution") ? parameter.string("distribution").value() : "";
    constexpr int hardly_an_exponent = 23;  // e^23 is 10^10: more than any batch or width
    if ((word == "log_uniform" || word == "q_log_uniform") && ((min > 0 && max <= 1) || max > hardly_an_exponent)) {
        return fmt::format(
            "min and max of {0} are exponents of e, so its values are from {1:.4g} to {2:.4g}; for values "
            "from {3} to {4} write {5}log_uniform_values",
            word, std::exp(min.get<double>()), std::exp(max.get<double>()), min.dump(), max.dump(),
            word.front() == 'q' ? "q_" : "");
    }
    if (word.empty() && min.is_number_integer() && max.is_number_integer() && min == 0 && max == 1) {
        return "is 0 or 1, because both ends are whole numbers; for all numbers between them write min: 0.0";
    }
    return {};
}

}  // namespace crescendo::launch
