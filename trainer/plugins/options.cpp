#include "trainer/plugins/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "core/spelling.hpp"

namespace crescendo::trainer {

namespace {

using plugin::Option;
using plugin::Value;

/// Reads an option into its default value, whose type is the option's type.
struct Reader {
    Section& section;
    const Option& option;

    void operator()(bool& value) const { section.flag(name(), value); }
    void operator()(std::int64_t& value) const {
        section.integer(name(), value, static_cast<std::int64_t>(option.min), option.max);
    }
    void operator()(double& value) const { section.number(name(), value, {.min = option.min, .below = option.below}); }
    void operator()(std::string& value) const {
        std::vector<std::pair<const char*, std::string>> words;
        for (const auto& word : option.words) {
            words.emplace_back(word.c_str(), word);
        }
        section.choice<std::string>(name(), value, words);
    }
    void operator()(plugin::Json&) const {}  // mistake_of() rejects it

    const char* name() const { return option.name.c_str(); }
};

/// Whether an option's default value is allowed.
struct Allowed {
    const Option& option;

    bool operator()(bool) const { return true; }
    bool operator()(std::int64_t value) const {
        return static_cast<double>(value) >= option.min && value <= option.max;
    }
    bool operator()(double value) const { return value >= option.min && value < option.below; }
    bool operator()(const std::string& value) const {
        return std::find(option.words.begin(), option.words.end(), value) != option.words.end();
    }
    bool operator()(const plugin::Json&) const { return false; }
};

struct Description {
    const Option& option;

    std::string operator()(bool value) const { return text("true or false, by default {}", value ? "true" : "false"); }
    std::string operator()(std::int64_t value) const {
        return text("{} to {}, by default {}", static_cast<std::int64_t>(option.min), option.max, value);
    }
    std::string operator()(double value) const {
        const std::string limit = std::isinf(option.below) ? "" : text(" and less than {}", option.below);
        return text("at least {}{}, by default {}", option.min, limit, value);
    }
    std::string operator()(const std::string& value) const {
        return text("one of {}, by default {}", enumerate(option.words, ", "), value);
    }
    std::string operator()(const plugin::Json& value) const { return value.text; }
};

}  // namespace

plugin::Config read_options(Section& section, const std::vector<Option>& options) {
    plugin::Config values;
    for (const auto& option : options) {
        Value value = option.fallback;
        std::visit(Reader{section, option}, value);
        values.set(option.name, value);
    }
    return values;
}

std::string mistake_of(const std::vector<Option>& options) {
    std::set<std::string> names;
    for (const auto& option : options) {
        if (option.name.empty() || !names.insert(option.name).second) {
            return text("the option name \"{}\" is empty or used twice", option.name);
        }
        if (!std::visit(Allowed{option}, option.fallback)) {
            return text("the option {} does not allow its own default", option.name);
        }
    }
    return {};
}

std::string describe(const Option& option) {
    return option.name + ": " + std::visit(Description{option}, option.fallback);
}

}  // namespace crescendo::trainer
