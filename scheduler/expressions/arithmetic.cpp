#include "scheduler/expressions/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace crescendo {
namespace {

constexpr const char* by_zero = "divides by zero; leave 0 out of the range, or add a number to the divisor";
constexpr const char* no_whole = "gives a whole number beyond 64 bits; use smaller ranges, or write 1.0 * in front";

class Arithmetic : public Node {
  public:
    using OfWhole = std::int64_t (*)(std::int64_t, std::int64_t, const Node&);
    using OfNumbers = double (*)(double, double, const Node&);

    Arithmetic(Type type, OfWhole of_whole, OfNumbers of_numbers, NodePtr left, NodePtr right, std::size_t offset)
        : Node(type, offset),
          of_whole_(of_whole),
          of_numbers_(of_numbers),
          left_(std::move(left)),
          right_(std::move(right)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto left = left_->evaluate(values);
        const auto right = right_->evaluate(values);
        if (is_absent(left) || is_absent(right)) {
            return {};
        }
        if (type() == Type::whole) {
            return of_whole_(std::get<std::int64_t>(left), std::get<std::int64_t>(right), *this);
        }
        return finite(of_numbers_(std::get<double>(left), std::get<double>(right), *this));
    }

  private:
    OfWhole of_whole_;
    OfNumbers of_numbers_;
    NodePtr left_;
    NodePtr right_;
};

/// The quotient, rounded down, and the remainder.
std::pair<std::int64_t, std::int64_t> divided(std::int64_t x, std::int64_t y, const Node& node) {
    if (y == 0) {
        node.fail(by_zero);
    }
    if (x == std::numeric_limits<std::int64_t>::min() && y == -1) {
        node.fail(no_whole);
    }
    const bool is_below = x % y != 0 && (x < 0) != (y < 0);
    return is_below ? std::pair{x / y - 1, x % y + y} : std::pair{x / y, x % y};
}

double divisor(double y, const Node& node) {
    if (y == 0) {
        node.fail(by_zero);
    }
    return y;
}

double remainder(double x, double y, const Node& node) {
    const double rest = std::fmod(x, divisor(y, node));  // exact
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/// The quotient that matches the remainder, as in Python: 1.0 // 0.1 is 9, because 0.1 is a little more than a tenth.
double quotient(double x, double y, const Node& node) {
    const double rest = std::fmod(x, divisor(y, node));
    const bool is_below = rest != 0 && (rest < 0) != (y < 0);
    const double times = (x - rest) / y - (is_below ? 1 : 0);  // whole, but for rounding
    const double whole = std::floor(times);
    return (times - whole > 0.5 ? whole + 1 : whole) + 0.0;  // 0 instead of -0
}

struct OperatorRow {
    std::string_view sign;
    Arithmetic::OfWhole of_whole;  ///< none: whole numbers are widened
    Arithmetic::OfNumbers of_numbers;
};

template <bool (*Overflows)(std::int64_t, std::int64_t, std::int64_t*)>
std::int64_t checked(std::int64_t x, std::int64_t y, const Node& node) {
    std::int64_t result = 0;
    if (Overflows(x, y, &result)) {
        node.fail(no_whole);
    }
    return result;
}

bool adds(std::int64_t x, std::int64_t y, std::int64_t* sum) { return __builtin_add_overflow(x, y, sum); }
bool subtracts(std::int64_t x, std::int64_t y, std::int64_t* rest) { return __builtin_sub_overflow(x, y, rest); }
bool multiplies(std::int64_t x, std::int64_t y, std::int64_t* product) { return __builtin_mul_overflow(x, y, product); }

constexpr std::array<OperatorRow, 7> operators{{
    {"+", checked<adds>, [](double x, double y, const Node&) { return x + y; }},
    {"-", checked<subtracts>, [](double x, double y, const Node&) { return x - y; }},
    {"*", checked<multiplies>, [](double x, double y, const Node&) { return x * y; }},
    {"/", nullptr, [](double x, double y, const Node& node) { return x / divisor(y, node); }},
    {"//", [](std::int64_t x, std::int64_t y, const Node& node) { return divided(x, y, node).first; }, quotient},
    {"%", [](std::int64_t x, std::int64_t y, const Node& node) { return divided(x, y, node).second; }, remainder},
    {"**", nullptr, power},
}};

class Negative : public Node {
  public:
    Negative(NodePtr operand, std::size_t offset) : Node(operand->type(), offset), operand_(std::move(operand)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto datum = operand_->evaluate(values);
        if (const auto* number = std::get_if<double>(&datum)) {
            return -*number;
        }
        const auto* whole = std::get_if<std::int64_t>(&datum);
        return whole == nullptr ? Datum{} : Datum{checked<subtracts>(0, *whole, *this)};
    }

  private:
    NodePtr operand_;
};

}  // namespace

NodePtr make_arithmetic(std::string_view sign, NodePtr left, NodePtr right, std::size_t offset) {
    const auto row =
        std::find_if(operators.begin(), operators.end(), [&](const OperatorRow& each) { return each.sign == sign; });
    CRESCENDO_EXPECT(row != operators.end());
    for (const auto& operand : {left, right}) {
        if (!is_numeric(operand->type())) {
            throw ExpressionError(text("'{}' takes numbers, but its {} side is {}; compare it first, or use another "
                                       "parameter",
                                       sign, operand == left ? "left" : "right", describe(operand->type())),
                                  operand->offset());
        }
    }
    const bool is_whole = row->of_whole != nullptr && common_type(left->type(), right->type()) == Type::whole;
    return std::make_shared<Arithmetic>(is_whole ? Type::whole : Type::number, row->of_whole, row->of_numbers,
                                        is_whole ? left : widened(left), is_whole ? right : widened(right), offset);
}

NodePtr make_negative(NodePtr operand, std::size_t offset) {
    if (!is_numeric(operand->type())) {
        throw ExpressionError(
            text("'-' takes a number, but this is {}; to negate a condition, write not", describe(operand->type())),
            operand->offset());
    }
    return std::make_shared<Negative>(std::move(operand), offset);
}

double power(double x, double y, const Node& node) {
    if (x == 0 && y < 0) {
        node.fail(by_zero);
    }
    const double result = std::pow(x, y);
    if (std::isnan(result)) {
        node.fail("takes a root of a number below 0; use a range above 0, or a whole exponent");
    }
    return node.finite(result);
}

}  // namespace crescendo
