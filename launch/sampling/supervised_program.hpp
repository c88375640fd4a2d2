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

/// How to run a SupervisedProgram, and how to describe it to the user.
struct SupervisedSettings {
    std::string name;                  ///< name in messages: "the sampler `python3 mine.py`"
    std::vector<std::string> command;  ///< the program and its arguments
    std::chrono::seconds deadline;     ///< time for each answer, and for the program to start
    SourceSettings source;
};

/// A user's program that is asked about a sweep in JSON lines, and answers the questions in order.
///
/// Its mistakes are thrown as exceptions to the caller, who calls fail(). The user is then told why, and the program
/// may be restarted. After the third failure in a row it is given up.
class SupervisedProgram {
  public:
    explicit SupervisedProgram(SupervisedSettings settings);
    ~SupervisedProgram();
    SupervisedProgram(SupervisedProgram&&) = delete;
    SupervisedProgram& operator=(SupervisedProgram&&) = delete;

    bool is_running() const { return process_ != nullptr; }
    bool is_given_up() const { return is_given_up_; }

    /// Starts the program, unless it runs. Throws std::runtime_error if it cannot be executed.
    void start();

    /// Sends a message that needs no answer. Its keys keep their order.
    void tell(const OrderedJson& message) { process_->channel.send_line(one_line(message)); }

    /// Sends a question. Its answer is due within the deadline, which starts once all earlier questions are answered.
    void ask(const OrderedJson& question);

    /// Number of questions without an answer.
    int num_asked() const { return num_asked_; }

    /// Sends pending messages, and calls `take` with each answer that has arrived. `take` returns whether the answer
    /// shows that the program works. Throws what `take` throws, and std::runtime_error if the program has ended, is
    /// late, or writes without being asked. Call it every few seconds while an answer is due: the time of a longer
    /// pause, as in a suspended job, does not count towards the deadline. `now` is the present time, except in tests.
    void receive(const std::function<bool(const std::string&)>& take, Clock::time_point now = Clock::now());

    /// Ends the questions. Answers no longer matter, and the program may end.
    void dismiss();

    /// Tells the user about something that the program did and that is no failure: "said that it is done".
    void note(const std::string& what) const;

    /// Ends the program, and tells the user what it did wrong and, if that gives it up, what follows: "configurations
    /// are drawn at random from now on".
    void fail(const std::string& what, const std::string& loss);

    /// Waits until there is something to receive(), an answer is late, or a second has passed.
    void await_answer() const;

    /// How long the caller may wait for other things before there may be something to receive(); nothing if no answer
    /// is due.
    std::optional<std::chrono::milliseconds> patience() const;

  private:
    void stop();
    void excuse(Clock::time_point now);
    const std::string& log() const { return own_log_ ? own_log_->path() : settings_.source.log; }

    const SupervisedSettings settings_;
    std::optional<TemporaryLog> own_log_;  ///< if the settings name no log
    std::unique_ptr<ConnectedProcess> process_;
    std::uintmax_t log_begin_ = 0;  ///< log size in bytes when the program was started
    int num_asked_ = 0;
    Clock::time_point due_;     ///< when the next answer is due
    Clock::time_point looked_;  ///< when receive() last ran
    bool is_dismissed_ = false;
    bool is_given_up_ = false;
    int failures_in_a_row_ = 0;
};

}  // namespace crescendo::launch
