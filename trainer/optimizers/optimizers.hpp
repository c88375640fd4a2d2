#pragma once

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Every optimizer, by the word that the setting `optimizer` takes.
OptimizerTable optimizers();

}  // namespace crescendo::trainer
