#include "scheduler/space/rules_reader.hpp"

#include <algorithm>
#include <utility>

namespace crescendo {
namespace {

/// The type of a distribution's values, as expressions see them.
struct TypeOf {
    Type operator()(const IntUniform&) const { return Type::whole; }
    Type operator()(const Categorical& d) const {
        Type type = type_of(d.values.front());
        for (const auto& value : d.values) {
            type = common_type(type, type_of(value));
        }
        return type;
    }
    Type operator()(const Constant& d) const { return type_of(d.value); }
    template <class OfNumbers>
    Type operator()(const OfNumbers&) const {
        return Type::number;
    }
};

}  // namespace

Rules::Reader::Reader(const std::vector<Parameter>& parameters, Rules& rules, std::vector<ExpressionError>& problems)
    : parameters_(parameters), rules_(rules), problems_(problems), states_(parameters.size(), State::unread) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        indices_.emplace(parameters[i].name, i);
        rules_.parameters_.push_back({parameters[i].name});
    }
}

void Rules::Reader::read_parameters() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        read(i);
    }
}

void Rules::Reader::read_constraints(const std::vector<std::string>& constraints) {
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        if (auto constraint = condition(constraints[i], constraint_key(i), "a constraint")) {
            rules_.constraints_.push_back(*std::move(constraint));
        }
    }
}

void Rules::Reader::read(std::size_t index) {
    if (states_[index] != State::unread) {
        return;
    }
    states_[index] = State::being_read;
    path_.push_back(index);
    const auto& parameter = parameters_[index];
    auto& dependent = rules_.parameters_[index];
    const auto num_problems = problems_.size();
    if (!parameter.when.empty()) {
        const auto key = rule_key(parameter.name, "when");
        read_those_in(parameter.when, key, index);
        dependent.when = condition(parameter.when, key, "a condition");
    }
    if (parameter.is_derived()) {
        const auto key = rule_key(parameter.name, "expression");
        read_those_in(parameter.expression, key, index);
        dependent.value = expression(parameter.expression, key);
    }
    const bool has_all = dependent.when.has_value() != parameter.when.empty() &&
                         dependent.value.has_value() == parameter.is_derived();
    if (has_all && problems_.size() == num_problems) {
        add_symbol(index);
    } else {
        unknown_.insert(parameter.name);
    }
    rules_.num_dependent_ += !parameter.when.empty() || parameter.is_derived();
    rules_.order_.push_back(index);
    path_.pop_back();
    states_[index] = State::read;
}

void Rules::Reader::read_those_in(const std::string& text, const std::string& key, std::size_t parameter) {
    std::vector<Token> names;
    try {
        names = names_in(text);
    } catch (const ExpressionError&) {
        return;  // expression() reports it
    }
    for (const auto& name : names) {
        const auto found = indices_.find(name.text);
        if (found == indices_.end()) {
            continue;  // expression() reports it
        }
        if (states_[found->second] == State::being_read) {
            report_cycle(found->second, key, name.offset);
            unknown_.insert(parameters_[parameter].name);
            unknown_.insert(name.text);
        }
        read(found->second);
        rules_.parameters_[parameter].may_be_absent |= rules_.parameters_[found->second].may_be_absent;
    }
}

void Rules::Reader::report_cycle(std::size_t begin, const std::string& key, std::size_t offset) {
    std::string path;
    for (auto each = std::find(path_.begin(), path_.end(), begin); each != path_.end(); ++each) {
        path += text("{} needs ", parameters_[*each].name);
    }
    problems_.emplace_back(text("{}{}: none of them can come first; remove one of them from the rule of another", path,
                                parameters_[begin].name),
                           offset, key);
}

/// The expression; nothing if it has a mistake. The mistake is reported unless it follows from one in another rule.
std::optional<Expression> Rules::Reader::expression(const std::string& text, const std::string& key) {
    try {
        return Expression(text, symbols_);
    } catch (const ExpressionError& error) {
        if (!unknown_.contains(error.unknown_name())) {
            problems_.push_back(error.at(key));
        }
    }
    return {};
}

std::optional<Expression> Rules::Reader::condition(const std::string& text, const std::string& key, const char* what) {
    auto read = expression(text, key);
    if (read && read->type() != Type::boolean) {
        problems_.emplace_back(crescendo::text("this is {}, but {} must be true or false; compare it, as in x > 0",
                                               describe(read->type()), what),
                               0, key);
        return {};
    }
    return read;
}

void Rules::Reader::add_symbol(std::size_t index) {
    const auto& [name, distribution, when, expression] = parameters_[index];
    auto& dependent = rules_.parameters_[index];
    dependent.may_be_absent |= dependent.when.has_value();
    dependent.type = dependent.value ? dependent.value->type() : std::visit(TypeOf{}, distribution);
    Symbol symbol{index, dependent.type};
    if (const auto* choices = std::get_if<Categorical>(&distribution)) {
        symbol.values = choices->values;
    }
    symbols_.emplace(name, std::move(symbol));
}

}  // namespace crescendo
