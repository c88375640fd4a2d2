#include "scheduler/expressions/logic.hpp"

#include <utility>

namespace crescendo {
namespace {

void check_condition(const Node& operand, const char* word) {
    if (operand.type() != Type::boolean) {
        throw ExpressionError(
            text("'{}' takes conditions, but this is {}; compare it, as in x > 0", word, describe(operand.type())),
            operand.offset());
    }
}

/// `and`, which false decides, or `or`, which true decides.
class Junction : public Node {
  public:
    Junction(bool decisive, NodePtr left, NodePtr right, std::size_t offset)
        : Node(Type::boolean, offset), decisive_(decisive), left_(std::move(left)), right_(std::move(right)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto left = left_->evaluate(values);
        if (left == decisive_) {
            return left;
        }
        const auto right = right_->evaluate(values);
        return right == decisive_ || !is_absent(left) ? right : left;
    }

  private:
    Datum decisive_;
    NodePtr left_;
    NodePtr right_;
};

class Not : public Node {
  public:
    Not(NodePtr operand, std::size_t offset) : Node(Type::boolean, offset), operand_(std::move(operand)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto datum = operand_->evaluate(values);
        return is_absent(datum) ? datum : Datum{!std::get<bool>(datum)};
    }

  private:
    NodePtr operand_;
};

class Choice : public Node {
  public:
    Choice(NodePtr yes, NodePtr condition, NodePtr no, std::size_t offset)
        : Node(yes->type(), offset), yes_(std::move(yes)), condition_(std::move(condition)), no_(std::move(no)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto condition = condition_->evaluate(values);
        if (is_absent(condition)) {
            return {};
        }
        return (std::get<bool>(condition) ? yes_ : no_)->evaluate(values);
    }

  private:
    NodePtr yes_;
    NodePtr condition_;
    NodePtr no_;
};

}  // namespace

NodePtr make_and(NodePtr left, NodePtr right, std::size_t offset) {
    check_condition(*left, "and");
    check_condition(*right, "and");
    return std::make_shared<Junction>(false, std::move(left), std::move(right), offset);
}

NodePtr make_or(NodePtr left, NodePtr right, std::size_t offset) {
    check_condition(*left, "or");
    check_condition(*right, "or");
    return std::make_shared<Junction>(true, std::move(left), std::move(right), offset);
}

NodePtr make_not(NodePtr operand, std::size_t offset) {
    check_condition(*operand, "not");
    return std::make_shared<Not>(std::move(operand), offset);
}

NodePtr make_choice(NodePtr yes, NodePtr condition, NodePtr no, std::size_t offset) {
    check_condition(*condition, "if");
    if (common_type(yes->type(), no->type()) == Type::number) {
        yes = widened(std::move(yes));
        no = widened(std::move(no));
    }
    if (yes->type() != no->type()) {
        throw ExpressionError(text("gives {} or {}; both sides of if and else must have the same type",
                                   describe(yes->type()), describe(no->type())),
                              offset);
    }
    return std::make_shared<Choice>(std::move(yes), std::move(condition), std::move(no), offset);
}

}  // namespace crescendo
