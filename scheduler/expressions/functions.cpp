#include "scheduler/expressions/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "scheduler/expressions/arithmetic.hpp"

namespace crescendo {
namespace {

using Arguments = std::span<const Datum>;  // none is absent

/// Converts a whole number in floating point to 64 bits. Throws ExpressionError at `node` if it does not fit.
std::int64_t whole(double number, const Node& node) {
    if (!(number >= -0x1p63 && number < 0x1p63)) {
        node.fail("gives a whole number beyond 64 bits; use smaller ranges");
    }
    return static_cast<std::int64_t>(number);
}

/// The whole number nearest to x; the even one if two are equally near, as in Python. Does not depend on the rounding
/// mode.
double rounded(double x) {
    const double below = std::floor(x);
    const double part = x - below;  // exact
    if (part != 0.5) {
        return part < 0.5 ? below : below + 1;
    }
    return std::fmod(below, 2) == 0 ? below : below + 1;
}

Datum square_root(Arguments of, const Node& node) {
    const double x = std::get<double>(of[0]);
    if (x < 0) {
        node.fail(text("takes the root of {}; use a range that begins at 0", to_string(x)));
    }
    return std::sqrt(x);
}

Datum logarithm(Arguments of, const Node& node) {
    const double x = std::get<double>(of[0]);
    if (x <= 0) {
        node.fail(text("takes the logarithm of {}; use a range above 0", to_string(x)));
    }
    return std::log(x);
}

Datum absolute(Arguments of, const Node& node) {
    if (const auto* number = std::get_if<double>(&of[0])) {
        return std::fabs(*number);
    }
    const auto value = std::get<std::int64_t>(of[0]);
    if (value == std::numeric_limits<std::int64_t>::min()) {
        node.fail("gives a whole number beyond 64 bits; use smaller ranges");
    }
    return value < 0 ? -value : value;
}

/// int(x), which also takes true and false.
Datum truncated(Arguments of, const Node& node) {
    if (const auto* flag = std::get_if<bool>(&of[0])) {
        return std::int64_t{*flag};
    }
    return whole(std::trunc(std::get<double>(of[0])), node);
}

/// How the type of a result follows from the types of the arguments.
enum class Result {
    number,  ///< arguments are widened
    whole,   ///< arguments are widened
    common,  ///< whole if all arguments are
};

struct FunctionRow {
    std::string_view name;
    std::size_t least, most;  ///< numbers of arguments
    Result result;
    Datum (*compute)(Arguments, const Node&);
};

constexpr std::size_t any_number = 4000;

constexpr std::array<FunctionRow, 11> functions{{
    {"sqrt", 1, 1, Result::number, square_root},
    {"log", 1, 1, Result::number, logarithm},
    {"exp", 1, 1, Result::number,
     [](Arguments of, const Node& node) { return Datum{node.finite(std::exp(std::get<double>(of[0])))}; }},
    {"pow", 2, 2, Result::number,
     [](Arguments of, const Node& node) {
         return Datum{power(std::get<double>(of[0]), std::get<double>(of[1]), node)};
     }},
    {"min", 2, any_number, Result::common,
     [](Arguments of, const Node&) { return *std::min_element(of.begin(), of.end()); }},
    {"max", 2, any_number, Result::common,
     [](Arguments of, const Node&) { return *std::max_element(of.begin(), of.end()); }},
    {"abs", 1, 1, Result::common, absolute},
    {"floor", 1, 1, Result::whole,
     [](Arguments of, const Node& node) { return Datum{whole(std::floor(std::get<double>(of[0])), node)}; }},
    {"ceil", 1, 1, Result::whole,
     [](Arguments of, const Node& node) { return Datum{whole(std::ceil(std::get<double>(of[0])), node)}; }},
    {"round", 1, 1, Result::whole,
     [](Arguments of, const Node& node) { return Datum{whole(rounded(std::get<double>(of[0])), node)}; }},
    {"int", 1, 1, Result::whole, truncated},
}};

class Call : public Node {
  public:
    Call(Type type, const FunctionRow& row, std::vector<NodePtr> arguments, std::size_t offset)
        : Node(type, offset), row_(row), arguments_(std::move(arguments)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        std::array<Datum, 2> few;  // so that calls with at most two arguments allocate nothing
        std::vector<Datum> many(arguments_.size() > few.size() ? arguments_.size() : 0);
        const auto data = many.empty() ? std::span(few).first(arguments_.size()) : std::span(many);
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            data[i] = arguments_[i]->evaluate(values);
            if (is_absent(data[i])) {
                return {};
            }
        }
        return row_.compute(data, *this);
    }

  private:
    const FunctionRow& row_;
    std::vector<NodePtr> arguments_;
};

void check_arguments(const FunctionRow& row, const std::vector<NodePtr>& arguments, std::size_t offset) {
    if (arguments.size() < row.least || arguments.size() > row.most) {
        const auto* taken = row.least == 1 ? "one number" : row.most == 2 ? "two numbers" : "two numbers or more";
        throw ExpressionError(text("{} takes {}, not {}; write {}({})", row.name, taken, arguments.size(), row.name,
                                   row.least == 1 ? "x" : "x, y"),
                              offset);
    }
    for (const auto& argument : arguments) {
        const bool is_flag = row.name == "int" && argument->type() == Type::boolean;
        if (!is_numeric(argument->type()) && !is_flag) {
            throw ExpressionError(text("{} takes numbers, but this is {}; compare it first, or use another parameter",
                                       row.name, describe(argument->type())),
                                  argument->offset());
        }
    }
}

}  // namespace

NodePtr make_call(const std::string& name, std::vector<NodePtr> arguments, std::size_t offset) {
    const auto row =
        std::find_if(functions.begin(), functions.end(), [&](const FunctionRow& each) { return each.name == name; });
    if (row == functions.end()) {
        std::string known;
        for (const auto& each : functions) {
            known += text("{}{}", known.empty() ? "" : ", ", each.name);
        }
        throw ExpressionError(text("there is no function {}; the functions are {}", name, known), offset);
    }
    check_arguments(*row, arguments, offset);
    const bool are_whole = std::all_of(arguments.begin(), arguments.end(),
                                       [](const NodePtr& each) { return each->type() == Type::whole; });
    if (row->result != Result::common || !are_whole) {
        std::transform(arguments.begin(), arguments.end(), arguments.begin(), widened);
    }
    const bool gives_whole = row->result == Result::whole || (row->result == Result::common && are_whole);
    return std::make_shared<Call>(gives_whole ? Type::whole : Type::number, *row, std::move(arguments), offset);
}

}  // namespace crescendo
