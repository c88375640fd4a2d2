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

/// Save one trial and free its slots. The others continue.
struct PauseRequest {
    TrialId trial;
};

/// Let a paused trial continue.
struct ResumeRequest {
    TrialId trial;
};

/// Retry a failed trial; without a trial, all failed trials that can be retried.
struct RetryRequest {
    std::optional<TrialId> trial;
};

/// Set new values for keys that may change.
struct SetRequest {
    std::vector<Override> settings;
};

/// Save a user's remark about a trial, or about the sweep.
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

/// Start a trial with these values next, before the sampler's proposals.
struct EnqueueRequest {
    std::vector<std::pair<std::string, std::string>> values;  ///< names of parameters, with their values as YAML
};

/// A user's request to a sweep, from any node that sees its directory.
using Request = std::variant<StopRequest, PauseRequest, ResumeRequest, RetryRequest, SetRequest, NoteRequest,
                             TagRequest, EnqueueRequest>;

Json to_json(const Request& request);

/// Throws InvalidInput if `json` is not a request.
Request request_from_json(const Json& json);

}  // namespace crescendo::launch
