#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/value.hpp"
#include "scheduler/space/distribution.hpp"

namespace crescendo {

/// The values that a distribution can take, if there are finitely many. Numbers are in ascending order, and listed
/// values in the order of their list. A value that is listed twice counts once, and one with the probability 0 does not
/// count.
class FiniteValues {
  public:
    /// Nothing if there are infinitely many, or too many to count.
    static std::optional<FiniteValues> of(const Distribution& distribution);

    /// As of(), but also for q_normal and q_log_normal: the multiples of q that value_at() gives. These are finitely
    /// many, because it looks some eight standard deviations far.
    static std::optional<FiniteValues> reachable_of(const Distribution& distribution);

    /// At least 1.
    std::int64_t size() const;
    /// `index` is in [0, size()).
    Value at(std::int64_t index) const;
    /// Index of a value; nothing if the distribution cannot take it. A multiple of q may be rounded differently than by
    /// at(): 0.3 is found although 3 * 0.1 is 0.30000000000000004.
    std::optional<std::int64_t> index_of(const Value& value) const;

  private:
    /// The multiples of q from first * q on. The ends are exactly `min` and `max`.
    struct Multiples {
        double first, min, max, q;
        std::int64_t count;
    };

    /// Single values, of which there may be thousands.
    struct List {
        std::vector<Value> values;
        std::map<Value, std::int64_t> indices;
    };

    using Values = std::variant<std::shared_ptr<const List>, IntUniform, Multiples>;

    explicit FiniteValues(Values values) : values_(std::move(values)) {}

    static std::optional<FiniteValues> of_multiples(double first, double last, double min, double max, double q);

    std::optional<std::int64_t> index_of(const Multiples& multiples, double number) const;

    static FiniteValues of_list(const std::vector<Value>& values);

    struct Make;

    Values values_;
};

}  // namespace crescendo
