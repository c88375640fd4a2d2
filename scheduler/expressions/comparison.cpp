#include "scheduler/expressions/comparison.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <utility>

namespace crescendo {
namespace {

std::partial_ordering order_of(const Datum& left, const Datum& right) {
    const auto* whole = std::get_if<std::int64_t>(&left);
    return whole != nullptr ? *whole <=> std::get<std::int64_t>(right)
                            : std::get<double>(left) <=> std::get<double>(right);
}

struct ComparisonRow {
    std::string_view sign;
    bool (*holds)(const Datum&, const Datum&);
    bool needs_order;
};

constexpr std::array<ComparisonRow, 6> comparisons{{
    {"==", [](const Datum& a, const Datum& b) { return are_equal(a, b); }, false},
    {"!=", [](const Datum& a, const Datum& b) { return !are_equal(a, b); }, false},
    {"<", [](const Datum& a, const Datum& b) { return order_of(a, b) < 0; }, true},
    {"<=", [](const Datum& a, const Datum& b) { return order_of(a, b) <= 0; }, true},
    {">", [](const Datum& a, const Datum& b) { return order_of(a, b) > 0; }, true},
    {">=", [](const Datum& a, const Datum& b) { return order_of(a, b) >= 0; }, true},
}};

class Comparison : public Node {
  public:
    Comparison(const ComparisonRow& row, NodePtr left, NodePtr right, std::size_t offset)
        : Node(Type::boolean, offset), row_(row), left_(std::move(left)), right_(std::move(right)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto left = left_->evaluate(values);
        const auto right = right_->evaluate(values);
        return is_absent(left) || is_absent(right) ? Datum{} : Datum{row_.holds(left, right)};
    }

  private:
    const ComparisonRow& row_;
    NodePtr left_;
    NodePtr right_;
};

class Membership : public Node {
  public:
    Membership(NodePtr left, std::vector<NodePtr> items, std::size_t offset)
        : Node(Type::boolean, offset), left_(std::move(left)), items_(std::move(items)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto left = left_->evaluate(values);
        if (is_absent(left)) {
            return {};
        }
        bool has_absent = false;
        for (const auto& item : items_) {
            const auto each = item->evaluate(values);
            if (are_equal(left, each)) {
                return true;
            }
            has_absent |= is_absent(each);
        }
        return has_absent ? Datum{} : Datum{false};
    }

  private:
    NodePtr left_;
    std::vector<NodePtr> items_;
};

void check_comparable(const Node& left, const Node& right, std::size_t offset) {
    const bool may_be_equal = left.type() == Type::mixed || right.type() == Type::mixed ||
                              common_type(left.type(), right.type()) != Type::mixed;
    if (!may_be_equal) {
        throw ExpressionError(text("{} is never equal to {}; compare values of one type (text in quotes, numbers "
                                   "without)",
                                   describe(left.type()), describe(right.type())),
                              offset);
    }
}

}  // namespace

bool are_equal(const Datum& left, const Datum& right) {
    const auto* whole = std::get_if<std::int64_t>(&left);
    const auto* number = std::get_if<double>(&right);
    if (whole != nullptr && number != nullptr) {
        return static_cast<double>(*whole) == *number;
    }
    return left.index() > right.index() ? are_equal(right, left) : left == right;
}

NodePtr make_comparison(std::string_view sign, NodePtr left, NodePtr right, std::size_t offset) {
    const auto row = std::find_if(comparisons.begin(), comparisons.end(),
                                  [&](const ComparisonRow& each) { return each.sign == sign; });
    CRESCENDO_EXPECT(row != comparisons.end());
    if (!row->needs_order) {
        check_comparable(*left, *right, offset);
        return std::make_shared<Comparison>(*row, std::move(left), std::move(right), offset);
    }
    for (const auto& operand : {left, right}) {
        if (!is_numeric(operand->type())) {
            throw ExpressionError(text("'{}' compares numbers, but its {} side is {}; use ==, != or in", sign,
                                       operand == left ? "left" : "right", describe(operand->type())),
                                  operand->offset());
        }
    }
    const bool both_whole = common_type(left->type(), right->type()) == Type::whole;
    return std::make_shared<Comparison>(*row, both_whole ? left : widened(left), both_whole ? right : widened(right),
                                        offset);
}

NodePtr make_membership(NodePtr left, std::vector<NodePtr> items, std::size_t offset) {
    for (const auto& item : items) {
        check_comparable(*left, *item, item->offset());
    }
    return std::make_shared<Membership>(std::move(left), std::move(items), offset);
}

}  // namespace crescendo
