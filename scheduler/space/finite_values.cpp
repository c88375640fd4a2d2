#include "scheduler/space/finite_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "scheduler/space/quantized.hpp"

namespace crescendo {
namespace {

constexpr double most_values = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<FiniteValues> FiniteValues::of_multiples(double first, double last, double min, double max, double q) {
    const double count = last - first + 1;
    if (count > most_values) {
        return {};
    }
    return FiniteValues(Multiples{first, min, max, q, static_cast<std::int64_t>(count)});
}

FiniteValues FiniteValues::of_list(const std::vector<Value>& values) {
    List list;
    for (const auto& value : values) {
        if (list.indices.try_emplace(value, std::ssize(list.values)).second) {
            list.values.push_back(value);
        }
    }
    return FiniteValues(std::make_shared<const List>(std::move(list)));
}

struct FiniteValues::Make {
    using Result = std::optional<FiniteValues>;

    Result operator()(const IntUniform& d) const {
        const bool fits = static_cast<double>(d.max) - static_cast<double>(d.min) < most_values;
        return fits ? Result(FiniteValues(d)) : Result();
    }
    Result operator()(const QUniform& d) const { return of_range(d); }
    Result operator()(const QLogUniformValues& d) const { return of_range(d); }
    Result operator()(const QBeta& d) const {
        return of_multiples(0, std::round(1 / d.q), 0, std::numeric_limits<double>::max(), d.q);
    }
    Result operator()(const Categorical& d) const {
        std::vector<Value> values;
        for (std::size_t i = 0; i < d.values.size(); ++i) {
            const bool is_possible = d.probabilities.empty() || d.probabilities[i] > 0;
            if (is_possible) {
                values.push_back(d.values[i]);
            }
        }
        return of_list(values);
    }
    Result operator()(const Constant& d) const { return of_list({d.value}); }
    Result operator()(const auto&) const { return {}; }

    Result of_range(const auto& d) const {
        return of_multiples(first_multiple(d.min, d.q), last_multiple(d.max, d.q), d.min, d.max, d.q);
    }
};

std::optional<FiniteValues> FiniteValues::of(const Distribution& distribution) {
    return std::visit(Make{}, distribution);
}

std::optional<FiniteValues> FiniteValues::reachable_of(const Distribution& distribution) {
    const auto multiples_of = [&](double q) {
        constexpr double most = std::numeric_limits<double>::max();
        const auto times_at = [&](double coordinate) {
            return std::round(std::get<double>(value_at(distribution, coordinate)) / q);
        };
        return of_multiples(times_at(0), times_at(1 - 0x1.0p-53), -most, most, q);
    };
    if (const auto* normal = std::get_if<QNormal>(&distribution)) {
        return multiples_of(normal->q);
    }
    if (const auto* normal = std::get_if<QLogNormal>(&distribution)) {
        return multiples_of(normal->q);
    }
    return of(distribution);
}

std::int64_t FiniteValues::size() const {
    if (const auto* range = std::get_if<IntUniform>(&values_)) {
        return range->max - range->min + 1;
    }
    if (const auto* multiples = std::get_if<Multiples>(&values_)) {
        return multiples->count;
    }
    return std::ssize(std::get<std::shared_ptr<const List>>(values_)->values);
}

Value FiniteValues::at(std::int64_t index) const {
    CRESCENDO_EXPECT(index >= 0 && index < size());
    if (const auto* range = std::get_if<IntUniform>(&values_)) {
        return range->min + index;
    }
    if (const auto* multiples = std::get_if<Multiples>(&values_)) {
        const double value = (multiples->first + static_cast<double>(index)) * multiples->q;
        return std::clamp(value, multiples->min, multiples->max);
    }
    return std::get<std::shared_ptr<const List>>(values_)->values[static_cast<std::size_t>(index)];
}

std::optional<std::int64_t> FiniteValues::index_of(const Multiples& multiples, double number) const {
    const double times = number / multiples.q;
    const double index = std::round(times) - multiples.first;
    if (!(index >= 0 && index < static_cast<double>(multiples.count))) {
        return {};
    }
    const auto found = static_cast<std::int64_t>(index);
    const double distance = std::fabs(number - std::get<double>(at(found)));
    return distance <= multiple_tolerance(times) * multiples.q ? std::optional(found) : std::nullopt;
}

std::optional<std::int64_t> FiniteValues::index_of(const Value& value) const {
    if (const auto* range = std::get_if<IntUniform>(&values_)) {
        const auto* number = std::get_if<std::int64_t>(&value);
        const bool is_inside = number != nullptr && *number >= range->min && *number <= range->max;
        return is_inside ? std::optional(*number - range->min) : std::nullopt;
    }
    if (const auto* multiples = std::get_if<Multiples>(&values_)) {
        const auto* number = std::get_if<double>(&value);
        return number == nullptr ? std::nullopt : index_of(*multiples, *number);
    }
    const auto& indices = std::get<std::shared_ptr<const List>>(values_)->indices;
    const auto found = indices.find(value);
    return found == indices.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace crescendo
