#include "scheduler/expressions/leaves.hpp"

#include <utility>

#include "scheduler/expressions/comparison.hpp"

namespace crescendo {

Literal::Literal(Value value, std::size_t offset) : Node(type_of(value), offset), value_(std::move(value)) {}

Reference::Reference(std::string name, const Symbol& symbol, std::size_t offset)
    : Node(symbol.type, offset), name_(std::move(name)), index_(symbol.index), choices_(symbol.values) {}

void check_choice(const Node& left, const Node& right) {
    const auto* name = dynamic_cast<const Reference*>(&left);
    const auto* literal = dynamic_cast<const Literal*>(&right);
    if (name == nullptr || literal == nullptr || name->choices().empty()) {
        return;
    }
    std::string known;
    for (const auto& choice : name->choices()) {
        if (are_equal(to_datum(choice), to_datum(literal->value()))) {
            return;
        }
        known += text("{}{}", known.empty() ? "" : ", ", to_string(choice));
    }
    throw ExpressionError(text("{} is never {}, so this comparison decides nothing; its values are {}", name->name(),
                               to_string(literal->value()), known),
                          literal->offset());
}

}  // namespace crescendo
