#pragma once
/// Samplers, search spaces and stop rules of your own for Crescendo, in a shared library.
///
/// Derive from Sampler, SearchSpace or StopRule, and list your classes in CRESCENDO_PLUGIN. docs/plugins.md is the
/// guide, examples/plugin/ a project to copy. This header needs C++17 and its standard library (of GCC 10 or later),
/// and nothing else.
///
/// A separate process beside `crescendo` loads the library. So if the library throws, hangs or crashes, the sweep loses
/// only the answer that it waited for. The process is then restarted, and a new object is told about all trials.
///
/// One object serves one session of a sweep. Its functions are called from one thread, one at a time. Each must return
/// within the `deadline` of the sweep file.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 10  // its std::variant takes a quoted string for a bool
#error "crescendo/plugin.hpp needs the standard library of GCC 10 or later"
#endif

/// Version of the interface between Crescendo and a plug-in: the structs below. Crescendo refuses a plug-in that was
/// built for another version.
#define CRESCENDO_PLUGIN_ABI 1

extern "C" {

// The interface. It is plain C, so that a plug-in may use another compiler and standard library than Crescendo. The
// caller owns everything that is pointed to; it stays valid until the call returns.

enum : std::uint32_t { crescendo_boolean, crescendo_integer, crescendo_number, crescendo_text, crescendo_json };

struct crescendo_value {
    std::uint32_t kind;
    std::int64_t integer;  ///< also a boolean, as 0 or 1
    double number;
    const char* text;  ///< also a list, a map or null, as JSON (crescendo_json)
};

struct crescendo_entry {
    const char* name;
    struct crescendo_value value;
};

struct crescendo_entries {
    const struct crescendo_entry* data;
    std::size_t size;
};

struct crescendo_parameter {
    const char* name;
    const char* distribution;           ///< the sweep file's word for it; null if the parameter is derived
    struct crescendo_entries settings;  ///< settings of the distribution: `min`, `max`, `q`, …
    const struct crescendo_value* values;
    std::size_t num_values;
    const double* probabilities;
    std::size_t num_probabilities;
    const char* when;        ///< null: the parameter is always there
    const char* expression;  ///< null: the parameter is searched
};

struct crescendo_search {
    const char* name;
    const char* metric;
    std::int32_t is_maximized;
    std::uint64_t seed;
    std::int64_t run_cap;       ///< -1: none
    std::int64_t max_resource;  ///< -1: none
    const struct crescendo_parameter* parameters;
    std::size_t num_parameters;
    const char* const* constraints;
    std::size_t num_constraints;
    struct crescendo_entries options;
};

struct crescendo_trial {
    std::int64_t id;
    std::int64_t proposal;  ///< -1: none
    const char* status;
    struct crescendo_entries config;
    std::int64_t resource;  ///< resource of the last report; 0: no report yet
    double value;
};

/// Receives the answer of a plug-in's function. Pass `context` to both functions; it has no other use.
struct crescendo_answer {
    void* context;
    void (*set)(void* context, const char* name, struct crescendo_value value);  ///< one value of a configuration
    void (*fail)(void* context, const char* message);                            ///< reports an exception
};

enum : std::uint32_t { crescendo_sampler, crescendo_search_space, crescendo_stop_rule };

enum : std::uint32_t { crescendo_config, crescendo_nothing_yet, crescendo_done, crescendo_draw_again };

/// One class of a plug-in. Functions that its kind does not have are null. If a function has called `fail`, its return
/// value is ignored.
struct crescendo_part {
    std::uint32_t kind;
    const char* name;
    /// Makes the object that is passed to all other functions as `self`.
    void* (*create)(const struct crescendo_search* search, struct crescendo_answer* answer);
    void (*destroy)(void* self);
    /// Returns crescendo_config after it has called `set` for each value.
    std::uint32_t (*propose)(void* self, std::int64_t number, struct crescendo_entries draw,
                             struct crescendo_answer* answer);
    void (*tell)(void* self, const struct crescendo_trial* trial, struct crescendo_answer* answer);
    /// Returns 0 if the trial should continue.
    std::int32_t (*stops)(void* self, const struct crescendo_trial* trial, struct crescendo_answer* answer);
};

/// What crescendo_plugin_entry() returns. It is valid as long as the library is loaded. `abi` is the first member in
/// every version.
struct crescendo_plugin_table {
    std::uint32_t abi;
    std::size_t num_parts;
    const struct crescendo_part* parts;
};

}  // extern "C"

namespace crescendo::plugin {

/// A list, a map or null, as JSON text.
struct Json {
    std::string text;
};

/// The value of a parameter.
using Value = std::variant<bool, std::int64_t, double, std::string, Json>;

/// Values by name: a configuration, or options.
class Config {
  public:
    bool has(const std::string& name) const { return find(name) != nullptr; }

    /// Throws std::invalid_argument if there is a value of another name, such as an option that is misspelt in the
    /// file.
    void allow(std::initializer_list<const char*> names) const {
        std::string known;
        for (const char* name : names) {
            known += (known.empty() ? "" : ", ") + std::string(name);
        }
        for (const auto& [name, value] : entries_) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                throw std::invalid_argument("unknown option '" + name + "'; there is " +
                                            (known.empty() ? "none" : known));
            }
        }
    }

    /// Throws std::out_of_range if there is no value of this name.
    const Value& at(const std::string& name) const {
        if (const auto* value = find(name)) {
            return *value;
        }
        throw std::out_of_range("there is no value '" + name + "'");
    }

    /// The value as a number. Whole numbers count, and a boolean is 0 or 1. Throws std::out_of_range as at() does, and
    /// std::invalid_argument if the value is something else.
    double number(const std::string& name) const {
        const auto& value = at(name);
        if (const auto* number = std::get_if<double>(&value)) {
            return *number;
        }
        return static_cast<double>(whole(name, "number"));
    }
    /// As number(name), or `fallback` if there is no value of this name.
    double number(const std::string& name, double fallback) const { return has(name) ? number(name) : fallback; }

    /// The value as a whole number. A boolean is 0 or 1; the floating-point number 2.0 does not count. Throws
    /// std::out_of_range as at() does, and std::invalid_argument if the value is something else.
    std::int64_t integer(const std::string& name) const { return whole(name, "whole number"); }
    /// As integer(name), or `fallback` if there is no value of this name.
    std::int64_t integer(const std::string& name, std::int64_t fallback) const {
        return has(name) ? integer(name) : fallback;
    }

    /// The value as text. Throws std::out_of_range as at() does, and std::invalid_argument if the value is not a text.
    const std::string& text(const std::string& name) const { return of<std::string>(name, "text"); }
    /// As text(name), or `fallback` if there is no value of this name.
    std::string text(const std::string& name, const std::string& fallback) const {
        return has(name) ? text(name) : fallback;
    }

    /// Sets the value of a name, and replaces the old value if there is one.
    void set(const std::string& name, Value value) {
        for (auto& entry : entries_) {
            if (entry.first == name) {
                entry.second = std::move(value);
                return;
            }
        }
        entries_.emplace_back(name, std::move(value));
    }

    std::size_t size() const { return entries_.size(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }

  private:
    const Value* find(const std::string& name) const {
        for (const auto& entry : entries_) {
            if (entry.first == name) {
                return &entry.second;
            }
        }
        return nullptr;
    }

    std::int64_t whole(const std::string& name, const char* what) const {
        const auto* const flag = std::get_if<bool>(&at(name));
        return flag != nullptr ? std::int64_t{*flag} : of<std::int64_t>(name, what);
    }

    template <class T>
    const T& of(const std::string& name, const char* what) const {
        if (const auto* value = std::get_if<T>(&at(name))) {
            return *value;
        }
        throw std::invalid_argument("the value '" + name + "' is not a " + what);
    }

    std::vector<std::pair<std::string, Value>> entries_;
};

/// A parameter, as the sweep file describes it.
struct Parameter {
    std::string name;
    std::string distribution;           ///< "uniform", "categorical", …; empty if the parameter is derived
    Config settings;                    ///< its settings: `min`, `max`, `mu`, `sigma`, `a`, `b`, `q`
    std::vector<Value> values;          ///< values of a categorical parameter or a constant
    std::vector<double> probabilities;  ///< one per value; empty: all values are equally likely
    std::string when;                   ///< condition without which the parameter is absent; empty: none
    std::string expression;             ///< expression of a derived parameter; empty if it is searched
};

enum class Goal { minimize, maximize };

/// What the sweep file searches. A constructor must copy what it keeps of a Search, because the Search is destroyed
/// after the constructor returns.
struct Search {
    std::string name;    ///< of the sweep
    std::string metric;
    Goal goal = Goal::minimize;
    std::uint64_t seed = 0;
    std::optional<std::int64_t> run_cap;       ///< number of trials
    std::optional<std::int64_t> max_resource;  ///< resource at which a trial is complete
    std::vector<Parameter> parameters;         ///< in the order of the sweep file
    std::vector<std::string> constraints;
    Config options;  ///< the sampler's or stop rule's `options:` in the sweep file

    /// Whether the value `a` of the metric is better than `b`. NaN is worse than every number.
    bool is_better(double a, double b) const {
        return std::isnan(b) ? !std::isnan(a) : goal == Goal::minimize ? a < b : a > b;
    }
};

/// A trial's last report.
struct Report {
    std::int64_t resource;  ///< such as the number of epochs
    double value;           ///< the reported value of the metric; NaN if it was not finite
};

struct Trial {
    std::int64_t id;
    std::optional<std::int64_t> proposal;  ///< number of the proposal that it uses, if this object made that proposal
    std::string status;                    ///< running, waiting, paused, held, stopped, finished or failed
    Config config;                         ///< includes derived parameters, omits absent ones
    std::optional<Report> report;

    bool has_ended() const { return status == "stopped" || status == "finished" || status == "failed"; }
};

/// No proposal is possible until tell() brings news of a trial.
struct NothingYet {};

/// There are no more proposals: the sweep ends with the trials that it has.
struct Done {};

using Proposal = std::variant<Config, NothingYet, Done>;

/// Proposes the configurations of a sweep. Its constructor takes a `const Search&`.
class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Returns a value for each parameter that is not derived. Values of absent parameters are ignored. An unknown
    /// name, or a value outside of its parameter's distribution, counts as a failure, like an exception.
    ///
    /// `number` counts the calls of a session from 0. `draw` is a random configuration from the search space that
    /// satisfies its constraints. If the proposal violates a constraint of the sweep file, propose() is called again.
    virtual Proposal propose(std::int64_t number, const Config& draw) = 0;

    /// Receives a trial's present state when the trial starts, reports, ends, or is retried. The first calls of a
    /// session cover the trials that the sweep already has.
    virtual void tell(const Trial& trial) { (void)trial; }
};

/// Gives random configurations a structure that the sweep file cannot express. Its constructor takes a `const Search&`.
class SearchSpace {
  public:
    virtual ~SearchSpace() = default;

    /// Returns the configuration to use: `draw`, which comes from the parameters of the sweep file, or a changed one.
    /// Returns nothing to reject `draw`; then another one is drawn, up to a thousand times in a row.
    virtual std::optional<Config> shape(Config draw) = 0;
};

/// Ends trials that are not worth their time. Its constructor takes a `const Search&`.
class StopRule {
  public:
    virtual ~StopRule() = default;

    /// Returns whether to end a trial. It is called for each new report: `trial.report` has a value.
    virtual bool stops(const Trial& trial) = 0;

    /// Receives the present state of a trial that has no new report: when it starts, ends, or is retried.
    virtual void tell(const Trial& trial) { (void)trial; }
};

/// Conversions between the structs of the C interface and the classes above.
namespace boundary {

inline Value value_of(const crescendo_value& value) {
    switch (value.kind) {
        case crescendo_boolean:
            return value.integer != 0;
        case crescendo_integer:
            return value.integer;
        case crescendo_number:
            return value.number;
        case crescendo_text:
            return std::string(value.text);
        default:
            return Json{value.text};
    }
}

/// The result points into `value`, and is valid as long as `value` is.
inline crescendo_value to_c(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return {crescendo_boolean, *flag ? 1 : 0, 0, ""};
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return {crescendo_integer, *integer, 0, ""};
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return {crescendo_number, 0, *number, ""};
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return {crescendo_text, 0, 0, text->c_str()};
    }
    return {crescendo_json, 0, 0, std::get<Json>(value).text.c_str()};
}

inline Config config_of(const crescendo_entries& entries) {
    Config config;
    for (std::size_t i = 0; i < entries.size; ++i) {
        config.set(entries.data[i].name, value_of(entries.data[i].value));
    }
    return config;
}

inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

inline std::optional<std::int64_t> count_of(std::int64_t count) {
    return count < 0 ? std::nullopt : std::optional<std::int64_t>(count);
}

inline Parameter parameter_of(const crescendo_parameter& given) {
    Parameter parameter{given.name, text_of(given.distribution), config_of(given.settings), {}, {}, text_of(given.when),
                        text_of(given.expression)};
    for (std::size_t i = 0; i < given.num_values; ++i) {
        parameter.values.push_back(value_of(given.values[i]));
    }
    parameter.probabilities.assign(given.probabilities, given.probabilities + given.num_probabilities);
    return parameter;
}

inline Search search_of(const crescendo_search& given) {
    Search search{given.name,
                  given.metric,
                  given.is_maximized != 0 ? Goal::maximize : Goal::minimize,
                  given.seed,
                  count_of(given.run_cap),
                  count_of(given.max_resource),
                  {},
                  {given.constraints, given.constraints + given.num_constraints},
                  config_of(given.options)};
    for (std::size_t i = 0; i < given.num_parameters; ++i) {
        search.parameters.push_back(parameter_of(given.parameters[i]));
    }
    return search;
}

inline Trial trial_of(const crescendo_trial& given) {
    Trial trial{given.id, count_of(given.proposal), given.status, config_of(given.config), {}};
    if (given.resource > 0) {
        trial.report = Report{given.resource, given.value};
    }
    return trial;
}

inline void give(const Config& config, crescendo_answer* answer) {
    for (const auto& entry : config) {
        answer->set(answer->context, entry.first.c_str(), to_c(entry.second));
    }
}

/// Returns what `body` returns. If `body` throws, passes the exception's message to `answer` and returns `otherwise`,
/// because no exception may cross the C interface.
template <class Result, class Body>
Result guarded(crescendo_answer* answer, Result otherwise, const Body& body) {
    try {
        return body();
    } catch (const std::exception& error) {
        answer->fail(answer->context, error.what());
    } catch (...) {
        answer->fail(answer->context, "an exception that is not a std::exception");
    }
    return otherwise;
}

template <class Part, class Kind>
void* create(const crescendo_search* search, crescendo_answer* answer) {
    return guarded<void*>(answer, nullptr,
                          [&]() -> void* { return static_cast<Kind*>(new Part(search_of(*search))); });
}

template <class Kind>
void destroy(void* self) {
    delete static_cast<Kind*>(self);
}

template <class Kind>
void tell(void* self, const crescendo_trial* trial, crescendo_answer* answer) {
    guarded(answer, 0, [&] {
        static_cast<Kind*>(self)->tell(trial_of(*trial));
        return 0;
    });
}

inline std::uint32_t propose(void* self, std::int64_t number, crescendo_entries draw, crescendo_answer* answer) {
    return guarded<std::uint32_t>(answer, crescendo_done, [&]() -> std::uint32_t {
        const auto proposal = static_cast<Sampler*>(self)->propose(number, config_of(draw));
        if (const auto* config = std::get_if<Config>(&proposal)) {
            give(*config, answer);
            return crescendo_config;
        }
        return std::holds_alternative<Done>(proposal) ? crescendo_done : crescendo_nothing_yet;
    });
}

inline std::uint32_t shape(void* self, std::int64_t, crescendo_entries draw, crescendo_answer* answer) {
    return guarded<std::uint32_t>(answer, crescendo_done, [&]() -> std::uint32_t {
        const auto config = static_cast<SearchSpace*>(self)->shape(config_of(draw));
        if (config) {
            give(*config, answer);
        }
        return config ? crescendo_config : crescendo_draw_again;
    });
}

inline std::int32_t stops(void* self, const crescendo_trial* trial, crescendo_answer* answer) {
    return guarded<std::int32_t>(answer, 0,
                                 [&] { return static_cast<StopRule*>(self)->stops(trial_of(*trial)) ? 1 : 0; });
}

}  // namespace boundary

/// For CRESCENDO_PLUGIN: the sampler that `sampler: {type: name}` selects.
template <class Part>
crescendo_part sampler(const char* name) {
    return {crescendo_sampler,  name, boundary::create<Part, Sampler>, boundary::destroy<Sampler>,
            boundary::propose, boundary::tell<Sampler>, nullptr};
}

/// For CRESCENDO_PLUGIN: the search space that `sampler: {type: name}` selects.
template <class Part>
crescendo_part search_space(const char* name) {
    return {crescendo_search_space, name, boundary::create<Part, SearchSpace>, boundary::destroy<SearchSpace>,
            boundary::shape,        nullptr, nullptr};
}

/// For CRESCENDO_PLUGIN: the stop rule that `stop_rule: name` selects.
template <class Part>
crescendo_part stop_rule(const char* name) {
    return {crescendo_stop_rule, name, boundary::create<Part, StopRule>, boundary::destroy<StopRule>, nullptr,
            boundary::tell<StopRule>, boundary::stops};
}

}  // namespace crescendo::plugin

/// Lists the classes of a plug-in. Use it once per library:
///
///     CRESCENDO_PLUGIN(crescendo::plugin::sampler<Climber>("climber"),
///                      crescendo::plugin::stop_rule<Plateau>("plateau"))
#define CRESCENDO_PLUGIN(...)                                                                       \
    extern "C" __attribute__((visibility("default"))) const crescendo_plugin_table*                 \
    crescendo_plugin_entry() {                                                                      \
        static const crescendo_part parts[] = {__VA_ARGS__};                                        \
        static const crescendo_plugin_table table = {CRESCENDO_PLUGIN_ABI, std::size(parts), parts}; \
        return &table;                                                                              \
    }
