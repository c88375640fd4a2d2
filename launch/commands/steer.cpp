#include "launch/commands/steer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "launch/messages/event_json.hpp"
#include "launch/record/recorded_sweep.hpp"
#include "launch/record/sweep_lock.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/steering/request_folder.hpp"
#include "launch/steering/steering.hpp"
#include "launch/system/shell.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/view/printable.hpp"

namespace crescendo::launch {
namespace {

/// What the coordinator answers; nothing if it ended before it took the request.
std::optional<Answer> ask(const SweepDirectory& directory, const Request& request) {
    constexpr std::chrono::seconds patience{60};
    const SentRequest sent(directory.requests(), request);
    const auto begin = std::chrono::steady_clock::now();
    for (int turn = 1;; ++turn) {
        if (auto answer = sent.take_answer()) {
            return answer;
        }
        const bool is_late = std::chrono::steady_clock::now() - begin > patience;
        if ((is_late || (turn % 20 == 0 && !SweepLock::holder(directory))) && sent.withdraw()) {
            CRESCENDO_VALIDATE(!is_late, "",
                               "{}: the process that works on the sweep gave no answer in {} s, and the request was "
                               "taken back; `crescendo status` says how the sweep is",
                               directory.path().string(), patience.count());
            return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
}

/// A sweep that nobody works on, with its journal.
class IdleSweep {
  public:
    explicit IdleSweep(const SweepDirectory& directory)
        : lock_(directory),
          recorded_(RecordedSweep::recover(directory)),
          journal_(Journal::open(directory.journal(), recorded_.end)) {}

    Answer obey(const Request& request) {
        try {
            begin();
            const auto steered = launch::steer(request, recorded_.directory, recorded_.history, time_);
            for (const auto& record : steered.records) {
                take(record);
                has_events_ = has_events_ || record.contains("event");
            }
            if (!steered.records.empty()) {
                for (const auto& record : std::exchange(records_, {})) {
                    journal_.append(record);
                }
                journal_.sync();
            }
            return {true, steered.text};
        } catch (const InvalidInput& error) {
            return {false, error.what()};
        }
    }

    /// Says how the sweep continues, if what was asked for decides something.
    void advise() const {
        if (has_events_ && recorded_.history.sweep().state() == SweepState::running) {
            fmt::print("nobody works on the sweep now; `crescendo resume {}` continues it\n",
                       shell_quoted(recorded_.directory.path()));
        }
    }

  private:
    /// What the last session ran waits now. This is a session of no slots, so that it counts for no time.
    void begin() {
        if (std::exchange(has_begun_, true)) {
            return;
        }
        take(session_note(time_, host_name(), 0));
        if (const auto slots = recorded_.history.sweep().slots(); !slots.empty()) {
            Json lost = launch::to_json(SlotsLost{slots});
            lost["time"] = time_;
            take(lost);
        }
    }

    void take(const Json& record) {
        records_.push_back(record);
        recorded_.history.apply(record);
    }

    SweepLock lock_;
    RecordedSweep recorded_;
    Journal journal_;
    std::vector<Json> records_;  ///< records that are not in the journal: nothing came of them so far
    const double time_ = wall_clock();  ///< of all records
    bool has_begun_ = false;
    bool has_events_ = false;
};

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
        if (!idle && SweepLock::holder(directory)) {
            answer = ask(directory, request);
        }
        if (!answer) {
            if (!idle) {
                idle.emplace(directory);
            }
            answer = idle->obey(request);
        }
        print(*answer);
        code = answer->is_accepted ? code : ExitCode::bad_input;
    }
    if (idle) {
        idle->advise();
    }
    return code;
}

TrialId trial_named(const std::string& word) {
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    CRESCENDO_VALIDATE(error == std::errc{} && end == word.data() + word.size() && id >= 0, "",
                       "'{}' is no trial; trials have whole numbers from 0, and `crescendo trials` lists them", word);
    return TrialId{id};
}

}  // namespace crescendo::launch
