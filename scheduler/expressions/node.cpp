#include "scheduler/expressions/node.hpp"

#include <cmath>
#include <utility>

namespace crescendo {
namespace {

class Widened : public Node {
  public:
    explicit Widened(NodePtr node) : Node(Type::number, node->offset()), node_(std::move(node)) {}

    Datum evaluate(std::span<const Datum> values) const override {
        const auto datum = node_->evaluate(values);
        const auto* whole = std::get_if<std::int64_t>(&datum);
        return whole == nullptr ? datum : Datum{static_cast<double>(*whole)};
    }

  private:
    NodePtr node_;
};

}  // namespace

double Node::finite(double x) const {
    if (!std::isfinite(x)) {
        fail("gives a number too large to represent; use smaller ranges");
    }
    return x;
}

NodePtr widened(NodePtr node) {
    return node->type() == Type::whole ? std::make_shared<Widened>(std::move(node)) : std::move(node);
}

}  // namespace crescendo
