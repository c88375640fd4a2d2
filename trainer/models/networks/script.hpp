#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `NAME.pt`: a network that Python has saved as TorchScript. Its weights are those of the file.
///
/// `constants` sets attributes of the network by name, and those of its modules by theirs: {slope: 0.1}.
std::shared_ptr<ModelSpec> read_script(Section& section);

}  // namespace crescendo::trainer
