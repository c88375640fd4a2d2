#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/files/temporary_log.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/connected_process.hpp"
#include "launch/sampling/proposal_source.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// What a SupervisedProgram is, and what it is to the user.
struct SupervisedSettings {
    std::string name;                  ///< "the sampler `python3 mine.py`"
    std::string loss;                  ///< what holds once it is given up: "configurations are drawn at random"
    std::vector<std::string> command;  ///< the program and its arguments
    std::chrono::seconds deadline;     ///< time for an answer, and for the program to start
    SourceSettings source;
};

/// A program of the user's that is asked about a sweep by JSON lines, and answers in the order of the questions.
///
/// What it does wrong is thrown to the one who asks, who calls fail(). The user then reads why, and the program may be
/// started again. The third time in a row it is given up.
class SupervisedProgram {
  public:
    explicit SupervisedProgram(SupervisedSettings settings);
    ~SupervisedProgram();
    SupervisedProgram(SupervisedProgram&&) = delete;
    SupervisedProgram& operator=(SupervisedProgram&&) = delete;

    bool is_running() const { return process_ != nullptr; }
    bool is_given_up() const { return is_given_up_; }

    /// Starts it, where it does not run. Throws std::runtime_error if it cannot be executed.
    void start();

    /// Sends what needs no answer.
    void tell(const OrderedJson& message) { process_->channel.send(message); }

    /// Sends what has to be answered within the deadline, once the questions before are.
    void ask(const OrderedJson& question);

    /// Questions that it has not answered.
    int num_asked() const { return num_asked_; }

    /// Sends what waits to be sent, and calls `take` with each answer that has arrived. `take` returns whether the
    /// answer shows that the program works. Throws what `take` throws, and std::runtime_error if the program has ended,
    /// is late or writes what nobody asked for. Call it every few seconds while an answer is due: the time of a longer
    /// pause, as in a job that was suspended, does not count. `now` is the present, but for tests.
    void receive(const std::function<bool(const std::string&)>& take, Clock::time_point now = Clock::now());

    /// No more questions will come, and answers do not matter: it may end.
    void dismiss();

    /// Tells the user what the program did that is no failure: "said that it is done".
    void note(const std::string& what) const;

    /// Ends the program and tells the user what it did wrong.
    void fail(const std::string& what);

    /// Waits until there is something to receive(), an answer is late, or a second is over.
    void await_answer() const;

    /// How long to wait for other things until there may be something to receive(); nothing if no answer is due.
    std::optional<std::chrono::milliseconds> patience() const;

  private:
    void stop();
    void excuse(Clock::time_point now);
    const std::string& log() const { return own_log_ ? own_log_->path() : settings_.source.log; }

    const SupervisedSettings settings_;
    std::optional<TemporaryLog> own_log_;  ///< if the settings have none
    std::unique_ptr<ConnectedProcess> process_;
    std::uintmax_t log_begin_ = 0;  ///< size of the log when the program was started
    int num_asked_ = 0;
    Clock::time_point due_;     ///< when the next answer is due
    Clock::time_point looked_;  ///< when it was last looked whether one is there
    bool is_dismissed_ = false;
    bool is_given_up_ = false;
    int failures_in_a_row_ = 0;
};

}  // namespace crescendo::launch
