#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Implements `crescendo-trainer --export`: writes a checkpoint's model into a folder, from which Python can run it
/// without Crescendo. The weights are those that evaluations use: the moving average or the optimizer's average if
/// there is one.
///
/// `request` has the trial's `settings`, the file `checkpoint`, and `folder`, which must exist. Writes model.pt (a
/// state dict), model.safetensors, the network (ModelSpec::write_network), export.json (data, preprocessing, reported
/// metrics), and load.py. Returns `resource`, the resource of the checkpoint's report, and `files`, the names of the
/// written files. If safetensors cannot hold a buffer's type, that file is omitted, and `left_out`, here and in
/// export.json, says why.
///
/// Throws InvalidInput if settings or data cannot be used, and std::runtime_error if the checkpoint cannot be used.
nlohmann::json export_model(const nlohmann::json& request, const Catalogue& catalogue);

}  // namespace crescendo::trainer
