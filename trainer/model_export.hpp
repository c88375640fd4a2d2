#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Answers `crescendo-trainer --export`: writes a checkpoint's model into a folder, from which Python runs it without
/// Crescendo. The weights are those that evaluations take: the moving average, or the optimizer's, if there is one.
///
/// `request` has `settings` of the trial, the file `checkpoint`, and `folder`, which is there. Written are model.pt (a
/// state dict), model.safetensors, the network (ModelSpec::write_network), export.json (data, preprocessing, reported
/// metrics), and load.py. Returns `resource`, the report that the checkpoint is of, and `files`, their names. If
/// safetensors cannot hold a buffer's type, there is no such file, and `left_out`, of export.json too, says why.
///
/// Throws InvalidInput for settings and data that cannot be used, and std::runtime_error for a checkpoint.
nlohmann::json export_model(const nlohmann::json& request, const Catalogue& catalogue);

}  // namespace crescendo::trainer
