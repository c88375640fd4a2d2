#include "scheduler/space/rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "scheduler/space/rules_reader.hpp"

namespace crescendo {
namespace {

/// `value` as expressions see it if the parameter has this type; absent if such a parameter cannot have it.
Datum seen(const Value& value, Type type) {
    const auto datum = to_datum(value);
    if (const auto* whole = std::get_if<std::int64_t>(&datum); whole != nullptr && type == Type::number) {
        return static_cast<double>(*whole);
    }
    const auto* number = std::get_if<double>(&datum);
    if (number != nullptr && type == Type::whole && std::trunc(*number) == *number && std::fabs(*number) < 0x1p63) {
        return static_cast<std::int64_t>(*number);  // other launchers may write 3.0
    }
    return type == Type::mixed || type_of(value) == type ? datum : Datum{};
}

/// The value that an expression chose. Expressions see lists, maps and null as text: a view of such a parameter's text
/// means the parameter's value.
Value chosen(const Datum& computed, const Assignment& assignment) {
    if (const auto* view = std::get_if<std::string_view>(&computed)) {
        for (const auto& value : assignment.values) {
            const auto* json = value ? std::get_if<JsonValue>(&*value) : nullptr;
            if (json != nullptr && json->text.data() == view->data()) {
                return *json;
            }
        }
    }
    return to_value(computed);
}

/// Whether a given value is the computed one, up to rounding: the given one may come from another machine, or from a
/// printed number. Older journals have lists, maps and null as text.
bool agree(const Value& given, const Datum& computed) {
    if (const auto* number = std::get_if<double>(&computed)) {
        const auto other = seen(given, Type::number);
        return !is_absent(other) && std::fabs(std::get<double>(other) - *number) <= 1e-9 * std::fabs(*number);
    }
    if (std::holds_alternative<std::string_view>(computed)) {
        return to_datum(given) == computed;
    }
    return seen(given, type_of(to_value(computed))) == computed;
}

}  // namespace

std::string rule_key(const std::string& parameter, const char* entry) {
    return text("parameters.{}.{}", parameter, entry);
}

std::string constraint_key(std::size_t constraint) { return text("constraints[{}]", constraint); }

Rules::Rules(const std::vector<Parameter>& parameters, const std::vector<std::string>& constraints,
             std::vector<ExpressionError>& problems) {
    Reader reader(parameters, *this, problems);
    reader.read_parameters();
    reader.read_constraints(constraints);
}

/// The result of a rule. An error names the values that it was evaluated with.
template <class Key>
Datum Rules::evaluate(const Expression& expression, const Assignment& assignment, const Key& key) const {
    try {
        return expression.evaluate(assignment.data);
    } catch (const ExpressionError& error) {
        std::string values;
        for (const auto& name : names_in(expression.text())) {
            const auto has_name = [&](const Dependent& each) { return each.name == name.text; };
            const auto found = std::find_if(parameters_.begin(), parameters_.end(), has_name);
            const auto& datum = assignment.data[static_cast<std::size_t>(found - parameters_.begin())];
            const auto value = text("{} = {}", name.text, is_absent(datum) ? "nothing" : to_string(to_value(datum)));
            if (values.find(value) == std::string::npos) {
                values += (values.empty() ? "" : ", ") + value;
            }
        }
        throw ExpressionError(values.empty() ? error.what() : text("{} (with {})", error.what(), values),
                              error.offset(), key());
    }
}

Assignment Rules::apply(std::vector<std::optional<Value>> given) const {
    Assignment assignment(std::move(given));
    if (empty()) {
        return assignment;  // without rules, nothing uses `data`
    }
    for (const auto index : order_) {
        const auto& parameter = parameters_[index];
        if (parameter.when) {
            const auto key = [&] { return rule_key(parameter.name, "when"); };
            assignment.is_active[index] = evaluate(*parameter.when, assignment, key) == Datum{true};
        }
        if (parameter.value && assignment.is_active[index]) {
            derive(parameter, index, assignment);
        }
        if (assignment.is_active[index] && assignment.values[index]) {
            show(parameter, index, assignment);
        }
    }
    return assignment;
}

void Rules::derive(const Dependent& parameter, std::size_t index, Assignment& assignment) const {
    const auto key = [&] { return rule_key(parameter.name, "expression"); };
    const auto computed = evaluate(*parameter.value, assignment, key);
    auto& value = assignment.values[index];
    if (is_absent(computed)) {
        assignment.is_active[index] = false;
    } else if (!value) {
        value = chosen(computed, assignment);
    } else {
        CRESCENDO_VALIDATE(agree(*value, computed), "config",
                           "a configuration has {} = {}, but the parameter is computed from others and is {}; leave it "
                           "out",
                           parameter.name, to_string(*value), to_string(to_value(computed)));
    }
}

void Rules::show(const Dependent& parameter, std::size_t index, Assignment& assignment) const {
    const auto& value = *assignment.values[index];
    assignment.data[index] = seen(value, parameter.type);
    CRESCENDO_VALIDATE(!is_absent(assignment.data[index]), "config",
                       "a configuration has {} = {}, but expressions use it as {}; give it such a value",
                       parameter.name, to_string(value), describe(parameter.type));
}

bool Rules::allows(std::size_t constraint, const Assignment& assignment) const {
    const auto key = [&] { return constraint_key(constraint); };
    return evaluate(constraints_[constraint], assignment, key) != Datum{false};
}

std::optional<std::size_t> Rules::broken(const Assignment& assignment) const {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (!allows(i, assignment)) {
            return i;
        }
    }
    return {};
}

}  // namespace crescendo
