#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/value.hpp"
#include "scheduler/expressions/expression.hpp"
#include "scheduler/space/parameter.hpp"

namespace crescendo {

/// Values of some of the parameters, and these values as expressions see them.
struct Assignment {
    /// `given` has an entry for each parameter.
    explicit Assignment(std::vector<std::optional<Value>> given)
        : values(std::move(given)), data(values.size()), is_active(values.size(), true) {}
    // Not copyable, because `data` has views of `values`.
    Assignment(Assignment&&) = default;
    Assignment& operator=(Assignment&&) = default;

    std::vector<std::optional<Value>> values;
    std::vector<Datum> data;
    std::vector<bool> is_active;  ///< false: the parameter is absent, whether or not it has a value
};

/// How the parameters of a search space depend on each other: conditions, derived values and constraints.
class Rules {
  public:
    Rules() = default;

    /// Adds the mistake in each wrong rule to `problems`, with the key "parameters.<name>.when",
    /// "parameters.<name>.expression" or "constraints[<index>]". Such a rule is left out.
    Rules(const std::vector<Parameter>& parameters, const std::vector<std::string>& constraints,
          std::vector<ExpressionError>& problems);

    /// Whether there is no rule at all.
    bool empty() const { return num_dependent_ == 0 && constraints_.empty(); }

    const std::vector<Expression>& constraints() const { return constraints_; }

    /// The type of a parameter's values, as expressions see them.
    Type type(std::size_t parameter) const { return parameters_[parameter].type; }

    /// Whether a parameter may be absent from some configurations, as far as its rules tell.
    bool may_be_absent(std::size_t parameter) const { return parameters_[parameter].may_be_absent; }

    /// Indices of all parameters, each after those that it depends on.
    const std::vector<std::size_t>& order() const { return order_; }

    /// Decides which parameters are absent, and computes the derived ones that are not given. Throws InvalidInput (key
    /// "config") if the parameter cannot have a given value, and ExpressionError with the key of the rule if a rule has
    /// no result, such as 1 / 0.
    Assignment apply(std::vector<std::optional<Value>> given) const;

    /// Whether a constraint allows a result of apply(). It does if it depends on an absent parameter. Throws
    /// ExpressionError as apply() does.
    bool allows(std::size_t constraint, const Assignment& assignment) const;

    /// The first constraint that does not allow a result of apply(). Throws ExpressionError as apply() does.
    std::optional<std::size_t> broken(const Assignment& assignment) const;

  private:
    class Reader;

    struct Dependent {
        std::string name;
        Type type = Type::mixed;
        bool may_be_absent = false;
        std::optional<Expression> when{};
        std::optional<Expression> value{};
    };

    template <class Key>
    Datum evaluate(const Expression& expression, const Assignment& assignment, const Key& key) const;
    void derive(const Dependent& parameter, std::size_t index, Assignment& assignment) const;
    void show(const Dependent& parameter, std::size_t index, Assignment& assignment) const;

    std::vector<Dependent> parameters_;
    std::vector<std::size_t> order_;
    std::vector<Expression> constraints_;
    int num_dependent_ = 0;
};

/// Key of the entry `when` or `expression` of a parameter.
std::string rule_key(const std::string& parameter, const char* entry);

/// Key of a constraint.
std::string constraint_key(std::size_t constraint);

}  // namespace crescendo
