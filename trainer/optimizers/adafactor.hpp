#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `adafactor` (Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", ICML 2018), as
/// torch has it. Of a matrix it keeps a number for each row and each column. A kernel is matrices of its last two axes.
std::shared_ptr<OptimizerSpec> read_adafactor(Section& section);

}  // namespace crescendo::trainer
