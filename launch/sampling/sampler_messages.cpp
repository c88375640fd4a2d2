#include "launch/sampling/sampler_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "launch/json/bare_words.hpp"
#include "launch/json/value_json.hpp"
#include "launch/messages/line_channel.hpp"
#include "scheduler/space/membership.hpp"

namespace crescendo::launch {
namespace {

constexpr int version = 1;

OrderedJson to_json(const std::vector<Value>& values) {
    return mapped(values, [](const Value& each) { return launch::to_json(each); });
}

/// Describes a distribution in the words of the sweep file.
struct Describe {
    OrderedJson operator()(const Uniform& d) const { return range("uniform", d); }
    OrderedJson operator()(const LogUniformValues& d) const { return range("log_uniform_values", d); }
    OrderedJson operator()(const IntUniform& d) const { return range("int_uniform", d); }
    OrderedJson operator()(const QUniform& d) const { return quantized(range("q_uniform", d), d); }
    OrderedJson operator()(const QLogUniformValues& d) const { return quantized(range("q_log_uniform_values", d), d); }
    OrderedJson operator()(const Normal& d) const { return bell("normal", d); }
    OrderedJson operator()(const LogNormal& d) const { return bell("log_normal", d); }
    OrderedJson operator()(const QNormal& d) const { return quantized(bell("q_normal", d), d); }
    OrderedJson operator()(const QLogNormal& d) const { return quantized(bell("q_log_normal", d), d); }
    OrderedJson operator()(const Beta& d) const { return {{"distribution", "beta"}, {"a", d.a}, {"b", d.b}}; }
    OrderedJson operator()(const QBeta& d) const {
        return quantized({{"distribution", "q_beta"}, {"a", d.a}, {"b", d.b}}, d);
    }
    OrderedJson operator()(const Categorical& d) const {
        OrderedJson json{{"distribution", "categorical"}, {"values", to_json(d.values)}};
        if (!d.probabilities.empty()) {
            json["probabilities"] = d.probabilities;
        }
        return json;
    }
    OrderedJson operator()(const Constant& d) const {
        return {{"distribution", "constant"}, {"value", launch::to_json(d.value)}};
    }

    static OrderedJson range(const char* name, const auto& d) {
        return {{"distribution", name}, {"min", d.min}, {"max", d.max}};
    }
    static OrderedJson bell(const char* name, const auto& d) {
        return {{"distribution", name}, {"mu", d.mu}, {"sigma", d.sigma}};
    }
    static OrderedJson quantized(OrderedJson json, const auto& d) {
        json["q"] = d.q;
        return json;
    }
};

OrderedJson describe_space(const SearchSpace& space) {
    OrderedJson parameters = OrderedJson::object();
    for (const auto& parameter : space.parameters()) {
        auto json = parameter.is_derived() ? OrderedJson{{"expression", parameter.expression}}
                                           : std::visit(Describe{}, parameter.distribution);
        if (!parameter.when.empty()) {
            json["when"] = parameter.when;
        }
        parameters[parameter.name] = std::move(json);
    }
    return parameters;
}

/// The values of the parameters in the program's answer, without derived parameters. parse_line() has made numbers in
/// `line` that are not finite null, which may be a value of a parameter: only in the line itself are they told apart.
std::vector<std::optional<Value>> values_of(const Json& config, std::string_view line, const SearchSpace& space) {
    const auto with_zeros = parse_line(without_bare_words(line, "0")).at("config");
    const auto& parameters = space.parameters();
    std::vector<std::optional<Value>> values(parameters.size());
    for (const auto& [name, value] : config.items()) {
        const auto found = std::ranges::find(parameters, name, &Parameter::name);
        if (found == parameters.end()) {
            throw std::runtime_error(fmt::format("it gave a value to '{}', but there is no such parameter; there {} {}",
                                                 name, parameters.size() == 1 ? "is" : "are",
                                                 enumerate(names_of(parameters), " and ")));
        }
        if (!found->is_derived()) {
            if (value != with_zeros.at(name)) {
                throw std::runtime_error(
                    fmt::format("it gave '{}' a number that is not finite; give a finite number", name));
            }
            values[static_cast<std::size_t>(found - parameters.begin())] =
                member(space, name, value_from_json(value));
        }
    }
    return values;
}

/// The configuration with these values, without absent parameters.
Config config_of(const SearchSpace& space, const std::vector<std::optional<Value>>& values) {
    const auto& parameters = space.parameters();
    const auto assignment = space.rules().apply(values);
    Config config;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].is_derived() || !assignment.is_active[i]) {
            continue;
        }
        if (!values[i]) {
            const auto& when = parameters[i].when;
            throw std::runtime_error(
                fmt::format("it gave no value to '{}', {}; give one", parameters[i].name,
                            when.empty() ? "which every configuration has" : "which is active when " + when));
        }
        config.emplace_back(parameters[i].name, *values[i]);
    }
    return space.in_order(config);
}

/// Parses a line that is an answer of any kind. Throws std::runtime_error if it says that the program gives up.
Json parse_answer(std::string_view line, std::string_view example) {
    auto answer = parse_line(line, example);
    if (const auto error = answer.find("error"); error != answer.end() && !error->is_null()) {
        throw std::runtime_error(fmt::format(
            "it gave up: {}", error->is_string() ? error->get<std::string>().substr(0, 500) : error->dump()));
    }
    return answer;
}

/// Checks the number of the proposal, if the answer has one. This detects an answer that is out of order.
void require_turn(const Json& answer, int proposal) {
    const auto said = answer.find("proposal");
    if (said != answer.end() && !said->is_null() && *said != proposal) {
        throw std::runtime_error(fmt::format("it answered proposal {} when {} was due; answer proposals in order",
                                             one_line(*said).substr(0, 20), proposal));
    }
}

std::string start_of(const Json& answer) { return one_line(answer).substr(0, 200); }

}  // namespace

OrderedJson begin_message(const SweepFile& file, const OrderedJson& options) {
    const auto& spec = file.spec;
    const auto constraints = mapped(spec.space.rules().constraints(), [](const auto& each) { return each.text(); });
    return {{"request", "begin"},
            {"version", version},
            {"name", file.name},
            {"metric", spec.metric},
            {"goal", goals.of(spec.goal)},
            {"seed", spec.seed},
            {"run_cap", spec.run_cap},
            {"max_resource", spec.scheduler.has_max() ? OrderedJson(spec.scheduler.max.value) : OrderedJson(nullptr)},
            {"parameters", describe_space(spec.space)},
            {"constraints", std::move(constraints)},
            {"options", options}};
}

OrderedJson tell_message(const Trial& trial, Goal goal, std::optional<int> proposal) {
    OrderedJson json{{"request", "tell"}, {"trial", trial.id.value}};
    if (proposal) {
        json["proposal"] = *proposal;
    }
    json["status"] = to_string(trial.status);
    json["config"] = launch::to_json(trial.config);
    if (trial.loss) {
        json["resource"] = trial.resource.value;
        const double value = from_loss(goal, *trial.loss);
        json["value"] = std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
    }
    return json;
}

OrderedJson propose_message(int proposal, const Config& draw) {
    return {{"request", "propose"}, {"proposal", proposal}, {"draw", launch::to_json(draw)}};
}

OrderedJson judge_message(const Trial& trial, Goal goal) {
    auto json = tell_message(trial, goal, {});
    json["request"] = "judge";
    return json;
}

OrderedJson refused_message(int proposal, const std::string& reason) {
    return {{"request", "refused"}, {"proposal", proposal}, {"reason", reason}};
}

SamplerAnswer answer_from(std::string_view line, int proposal, const SearchSpace& space) {
    constexpr std::string_view example = R"({"config":{"lr":0.1}})";
    const auto answer = parse_answer(line, example);
    require_turn(answer, proposal);
    if (answer.contains("draw_again") && answer["draw_again"] == true) {
        return {.refusal = "it asked for another draw"};
    }
    if (answer.contains("done") && answer["done"] == true) {
        return {.is_done = true};
    }
    const auto config = answer.find("config");
    if (config != answer.end() && config->is_null()) {
        return {};
    }
    if (config == answer.end() || !config->is_object()) {
        throw std::runtime_error(
            fmt::format("it answered {}, which has no configuration; write {}", start_of(answer), example));
    }
    const auto values = values_of(*config, line, space);
    try {
        return {.config = config_of(space, values)};
    } catch (const InvalidInput& error) {
        return {.refusal = error.what()};
    }
}

bool stop_from(std::string_view line) {
    constexpr std::string_view example = R"({"stop":false})";
    const auto answer = parse_answer(line, example);
    const auto stop = answer.find("stop");
    if (stop == answer.end() || !stop->is_boolean()) {
        throw std::runtime_error(
            fmt::format("it answered {}, which does not say whether to stop; write {}", start_of(answer), example));
    }
    return *stop;
}

}  // namespace crescendo::launch
