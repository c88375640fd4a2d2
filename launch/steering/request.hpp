#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/overrides.hpp"

namespace crescendo::launch {

/// Stop one trial. The others continue.
struct StopRequest {
    TrialId trial;
};

/// Have one trial save and give its slots back. The others continue.
struct PauseRequest {
    TrialId trial;
};

/// Let a trial that was paused continue.
struct ResumeRequest {
    TrialId trial;
};

/// Try a failed trial again; without a trial, all failed trials that can be tried again.
struct RetryRequest {
    std::optional<TrialId> trial;
};

/// Give new values to keys that may change.
struct SetRequest {
    std::vector<Override> settings;
};

/// Keep a remark of the user about a trial, or about the sweep.
struct NoteRequest {
    std::optional<TrialId> trial;
    std::string text;
};

/// Add and remove tags of a trial, or of the sweep.
struct TagRequest {
    std::optional<TrialId> trial;
    std::vector<std::string> add;
    std::vector<std::string> remove;
};

/// Start a trial with these values next, before those that the sampler proposes.
struct EnqueueRequest {
    std::vector<std::pair<std::string, std::string>> values;  ///< names of parameters, and their values as YAML
};

/// What a user may ask of a sweep from any node that sees its directory.
using Request = std::variant<StopRequest, PauseRequest, ResumeRequest, RetryRequest, SetRequest, NoteRequest,
                             TagRequest, EnqueueRequest>;

Json to_json(const Request& request);

/// Throws InvalidInput if `json` is no request.
Request request_from_json(const Json& json);

}  // namespace crescendo::launch
