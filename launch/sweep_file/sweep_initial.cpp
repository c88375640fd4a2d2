#include "launch/sweep_file/sweep_initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/draws.hpp"
#include "core/spelling.hpp"
#include "launch/json/value_json.hpp"
#include "scheduler/space/completion.hpp"
#include "scheduler/space/membership.hpp"

namespace crescendo::launch {
namespace {

/// Reads one of the points.
class PointReader {
  public:
    PointReader(const SweepFile& sweep, TrialId trial)
        : space_(sweep.spec.space),
          groups_(sweep.groups),
          random_(draws(sweep.spec.seed, Purpose::configuration, trial)) {}

    /// Reads a point. Nothing if it has a mistake.
    std::optional<Config> read(const YamlSection& point) {
        read_values(point, "");
        if (has_mistake_) {
            return {};
        }
        const bool is_allowed = point.attempt([&] { check_rules(point); });
        return is_allowed ? std::optional(config_) : std::nullopt;
    }

  private:
    /// Reads the values of a map. Names begin with `prefix`.
    void read_values(const YamlSection& values, const std::string& prefix) {
        for (const auto& [key, value] : values.map().items()) {
            const auto name = prefix + key;
            if (std::ranges::find(groups_, name) != groups_.end() && value.is_object()) {
                read_values(YamlSection(value, values.key_of(key), values.mistakes()), name + ".");
                continue;
            }
            has_mistake_ |= !values.attempt([&, &key = key, &value = value] {
                config_.emplace_back(name, value_of(values, key, name, Json(value)));
            });
        }
    }

    Value value_of(const YamlSection& values, const std::string& key, const std::string& name,
                   const Json& value) const {
        const auto& parameters = space_.parameters();
        const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
        if (parameter == parameters.end()) {
            const auto names = names_of(parameters);
            values.fail(key, fmt::format("is not a parameter{}; the parameters are {}", did_you_mean(name, names),
                                         enumerate(names, " and ")));
        }
        if (parameter->is_derived()) {
            values.fail(key, "is computed from other parameters; leave it out");
        }
        const auto meant = member(parameter->distribution, value_from_json(value));
        if (!meant) {
            values.fail(key, fmt::format("is {}, which the parameter cannot be; choose one of the values that "
                                         "`parameters:` allows{}",
                                         value.dump(), values_in_words(parameter->distribution)));
        }
        if (std::ranges::find(config_, name, &Config::value_type::first) != config_.end()) {
            values.fail(key, "is given twice, in a map and under its dotted name; remove one");
        }
        return *meant;
    }

    void check_rules(const YamlSection& point) const {
        const auto num_free = std::ranges::count_if(space_.parameters(),
                                                    [](const Parameter& parameter) { return !parameter.is_derived(); });
        if (std::ssize(config_) == num_free) {
            try {
                space_.in_order(config_);
            } catch (const InvalidInput& error) {  // the error says which rule does not hold
                point.fail("", error.what());
            }
        } else if (!complete(space_, config_, {}, random_)) {
            point.fail("", why_incomplete(space_, config_, random_));
        }
    }

    const SearchSpace& space_;
    const std::vector<std::string>& groups_;
    CounterRandom random_;  // the trial's generator: a point that can be completed here can be completed there
    Config config_;
    bool has_mistake_ = false;
};

}  // namespace

std::vector<Config> read_initial(const YamlSection& file, const SweepFile& sweep) {
    if (!file.has("initial")) {
        return {};
    }
    const auto& list = file.at("initial");
    constexpr auto example = "write initial: [{lr: 0.01}, {lr: 0.1, width: 64}]";
    if (!list.is_array()) {
        file.fail("initial",
                  fmt::format("{}, but the initial points must be a list of maps; {}", describe(list), example));
    }
    std::vector<Config> points;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto key = fmt::format("initial[{}]", i);
        file.attempt([&] {
            if (!list[i].is_object()) {
                file.fail(key,
                          fmt::format("{}, but a point must be a map of parameters; {}", describe(list[i]), example));
            }
            PointReader reader(sweep, TrialId{static_cast<std::int32_t>(i)});
            if (auto point = reader.read(YamlSection(list[i], key, file.mistakes()))) {
                points.push_back(*std::move(point));
            }
        });
    }
    return points;
}

}  // namespace crescendo::launch
