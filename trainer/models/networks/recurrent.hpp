#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `lstm`: layers of long short-term memory (Hochreiter and Schmidhuber, 1997) over a series, torch's LSTM. The outputs
/// follow from the last step.
std::shared_ptr<ModelSpec> read_lstm(Section& section);

/// `gru`: the same of gated recurrent units (Cho et al., EMNLP 2014), torch's GRU.
std::shared_ptr<ModelSpec> read_gru(Section& section);

}  // namespace crescendo::trainer
