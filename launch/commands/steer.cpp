#include "launch/commands/steer.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "launch/commands/sweep_session.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/display/printable.hpp"
#include "launch/steering/idle_sweep.hpp"
#include "launch/steering/request_folder.hpp"

namespace crescendo::launch {
namespace {

/// If the requests changed the sweep's state, says how the sweep continues (unless they ended it), and rewrites the
/// table of its trials.
void settle(const IdleSweep& idle) {
    if (!idle.has_decided()) {
        return;
    }
    const auto& recorded = idle.recorded();
    const bool goes_on = recorded.history.sweep().state() == SweepState::running;
    if (goes_on && state_of_job(recorded.directory) == JobState::queued) {
        fmt::print("job {}, which is queued, continues the sweep with this change\n", recorded.directory.job());
    } else if (goes_on) {
        fmt::print("the sweep is not running now; `{}` continues it\n", recorded.directory.way_to_continue());
    }
    write_results(recorded.file, recorded.history, recorded.directory);  // last, because a full disk can make it throw
}

void print(const Answer& answer) {
    fmt::print(answer.is_accepted ? stdout : stderr, "{}{}\n", answer.is_accepted ? "" : "crescendo: ",
               printable(answer.text));
}

}  // namespace

ExitCode ask_for(const std::filesystem::path& path, const std::vector<Request>& requests) {
    const auto directory = SweepDirectory::open(path);
    std::optional<IdleSweep> idle;
    auto code = ExitCode::done;
    for (const auto& request : requests) {
        std::optional<Answer> answer;
        std::string name;
        if (!idle && SweepLock::holder(directory)) {
            const SentRequest sent(directory.requests(), request);
            name = sent.name();
            answer = await_answer(sent, directory);
        }
        if (!answer) {
            if (!idle) {
                idle.emplace(directory);
            }
            answer = idle->obey(request, name);
        }
        print(*answer);
        code = answer->is_accepted ? code : ExitCode::bad_input;
    }
    if (idle) {
        settle(*idle);
    }
    return code;
}

TrialId trial_named(const std::string& word) {
    const auto id = number_from<int>(word);
    CRESCENDO_VALIDATE(id && *id >= 0, "",
                       "'{}' is not a trial; trials are numbered from 0, and `crescendo trials` lists them", word);
    return TrialId{*id};
}

}  // namespace crescendo::launch
