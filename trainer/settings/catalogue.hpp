#pragma once

#include <memory>
#include <vector>

namespace crescendo::trainer {

class ModelSpec;
class OptimizerSpec;
class Section;

/// A word that a setting takes, and the reader of the settings that go with it. "*.pt" stands for every word that ends
/// with ".pt".
template <class Spec>
struct Choice {
    const char* name;
    std::shared_ptr<Spec> (*read)(Section& section);
};

using ModelTable = std::vector<Choice<ModelSpec>>;
using OptimizerTable = std::vector<Choice<OptimizerSpec>>;

/// What the settings `model` and `optimizer` may name. The first of each is the default.
///
/// The tables are an argument of parse_settings, because a model is one file and one row: its settings stand beside its
/// network, which needs Torch. Reading settings needs none. Its tests bring models of their own, and a test of the
/// trainer may add one.
struct Catalogue {
    ModelTable models;
    OptimizerTable optimizers;
};

}  // namespace crescendo::trainer
