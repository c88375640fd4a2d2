#include "scheduler/space/membership.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "scheduler/space/quantized.hpp"

namespace crescendo {
namespace {

/// Largest relative distance of a number from a listed one, or from the end of a range: 0.1 + 0.2 means 0.3, and
/// exp(log(0.1)) means 0.1.
constexpr double rounding = 1e-12;

std::optional<double> number(const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return static_cast<double>(*whole);
    }
    const auto* real = std::get_if<double>(&value);
    return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

std::optional<Value> within(double min, double max, std::optional<double> number) {
    if (!number) {
        return {};
    }
    const double inside = std::clamp(*number, min, max);
    return std::fabs(*number - inside) <= rounding * std::fabs(inside) ? std::optional<Value>(inside) : std::nullopt;
}

std::optional<Value> multiple(double q, double min, double max, std::optional<double> number) {
    if (!number) {
        return {};
    }
    const double times = *number / q;
    const double tolerance = multiple_tolerance(times);
    const bool is_multiple = std::fabs(std::nearbyint(times) - times) <= tolerance;
    const bool is_inside = min - tolerance * q <= *number && *number <= max + tolerance * q;
    return is_multiple && is_inside ? std::optional<Value>(std::clamp(*number, min, max)) : std::nullopt;
}

/// Whether `given` means the listed value: it is equal, or the same number up to rounding.
bool means(const Value& given, const Value& listed) {
    const auto a = number(given);
    const auto b = number(listed);
    return given == listed || (a && b && std::fabs(*a - *b) <= rounding * std::fabs(*b));
}

struct Member {
    const Value& value;

    std::optional<double> given() const { return number(value); }

    std::optional<Value> operator()(const Uniform& d) const { return within(d.min, d.max, given()); }
    std::optional<Value> operator()(const LogUniformValues& d) const { return within(d.min, d.max, given()); }
    std::optional<Value> operator()(const IntUniform& d) const {
        constexpr double exact = 9007199254740992.0;  // 2^53: a double can hold every whole number up to here
        const auto* whole = std::get_if<std::int64_t>(&value);
        const auto real = whole == nullptr ? given() : std::nullopt;
        if (whole == nullptr && (!real || *real != std::nearbyint(*real) || std::fabs(*real) > exact)) {
            return {};
        }
        const auto meant = whole != nullptr ? *whole : static_cast<std::int64_t>(*real);
        return d.min <= meant && meant <= d.max ? std::optional<Value>(meant) : std::nullopt;
    }
    std::optional<Value> operator()(const QUniform& d) const { return multiple(d.q, d.min, d.max, given()); }
    std::optional<Value> operator()(const QLogUniformValues& d) const { return multiple(d.q, d.min, d.max, given()); }
    std::optional<Value> operator()(const Normal&) const { return within(-HUGE_VAL, HUGE_VAL, given()); }
    std::optional<Value> operator()(const LogNormal&) const { return within(0, HUGE_VAL, given()); }
    std::optional<Value> operator()(const QNormal& d) const { return multiple(d.q, -HUGE_VAL, HUGE_VAL, given()); }
    std::optional<Value> operator()(const QLogNormal& d) const { return multiple(d.q, 0, HUGE_VAL, given()); }
    std::optional<Value> operator()(const Beta&) const { return within(0, 1, given()); }
    /// The last multiple may be beyond 1, because numbers near 1 are rounded up to it.
    std::optional<Value> operator()(const QBeta& d) const { return multiple(d.q, 0, quantized(1, d.q), given()); }
    std::optional<Value> operator()(const Categorical& d) const {
        for (std::size_t i = 0; i < d.values.size(); ++i) {
            if (means(value, d.values[i]) && (d.probabilities.empty() || d.probabilities[i] > 0)) {
                return d.values[i];
            }
        }
        return {};
    }
    std::optional<Value> operator()(const Constant& d) const {
        return means(value, d.value) ? std::optional(d.value) : std::nullopt;
    }
};

/// The value for a message. Text is quoted, so that "0.5" is not taken for the number.
std::string in_words(const Value& value) {
    const auto* words = std::get_if<std::string>(&value);
    return words == nullptr ? to_string(value) : text("the text '{}'", *words);
}

}  // namespace

std::optional<Value> member(const Distribution& distribution, const Value& value) {
    return std::visit(Member{value}, distribution);
}

std::string values_in_words(const Distribution& distribution) {
    return std::visit(
        []<class D>(const D& d) -> std::string {
            if constexpr (std::is_same_v<D, Categorical>) {
                constexpr std::size_t most = 10;  // there may be thousands
                std::vector<std::string> values;
                for (std::size_t i = 0; i < std::min(d.values.size(), most); ++i) {
                    values.push_back(to_string(d.values[i]));
                }
                return ": " + enumerate(values, ", ") +
                       (d.values.size() > most ? text(" or {} others", d.values.size() - most) : "");
            } else if constexpr (std::is_same_v<D, IntUniform>) {
                return text(": whole numbers from {} to {}", d.min, d.max);
            } else if constexpr (requires { d.min; }) {
                return text(": from {} to {}", d.min, d.max);
            } else {
                return "";
            }
        },
        distribution);
}

Value member(const SearchSpace& space, const std::string& name, const Value& value) {
    const auto& parameters = space.parameters();
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& each) { return each.name == name; });
    if (found == parameters.end() || found->is_derived()) {
        return value;  // SearchSpace::in_order() reports an unknown name, or checks a derived value
    }
    const auto meant = member(found->distribution, value);
    CRESCENDO_VALIDATE(meant, "config",
                       "a configuration has {} = {}, which the parameter cannot be; choose one of its values{}", name,
                       in_words(value), values_in_words(found->distribution));
    return *meant;
}

Config member(const SearchSpace& space, const Config& config) {
    Config result = config;
    for (auto& [name, value] : result) {
        value = member(space, name, value);
    }
    return space.in_order(result);
}

}  // namespace crescendo
