#pragma once

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Every model, by the word that the setting `model` takes.
ModelTable models();

}  // namespace crescendo::trainer
