#pragma once

#include <memory>
#include <vector>

namespace crescendo::trainer {

class ModelSpec;
class OptimizerSpec;
class Section;

/// A word that a setting takes, and the reader of the settings that go with it.
template <class Spec>
struct Choice {
    const char* name;
    std::shared_ptr<Spec> (*read)(Section& section);
};

using ModelTable = std::vector<Choice<ModelSpec>>;
using OptimizerTable = std::vector<Choice<OptimizerSpec>>;

/// What the settings `model` and `optimizer` may name. The first of each is the default.
///
/// All models and optimizers have Torch in them, and their settings stand in the same file. Who reads settings is given
/// the tables. So a model is one file and one row, reading needs no Torch, and a test may add a row of its own.
struct Catalogue {
    ModelTable models;
    OptimizerTable optimizers;
};

}  // namespace crescendo::trainer
