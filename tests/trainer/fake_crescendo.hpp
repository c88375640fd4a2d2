#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::trainer::test {

using Json = nlohmann::json;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The path of a program of this build; all programs are in the folder of the running test.
std::string path_of(const std::string& program);

/// The contents of a join order other than the members.
struct Terms {
    Json settings;
    std::filesystem::path directory;
    std::int64_t batch_multiple = 1;
    std::int64_t accumulation = 1;
    std::optional<std::int64_t> checkpoint_at;
    std::optional<std::int64_t> reported;
    std::int64_t max_resource = 100;
    std::uint64_t seed = 1;
    std::uint64_t sweep_seed = 1;
    std::int64_t trial = 0;
};

/// Plays crescendo's side of the trial protocol for a few trainers, which are processes as in a sweep.
///
/// Trainers are numbered from 0. A test fails if something that it waits for does not happen within a minute, or if a
/// trainer fails or ends unexpectedly; the trainer's own message is shown.
///
/// Starting LibTorch takes half a second of processor time. So trainers without their own environment serve later tests
/// of the same process if they are idle at the end or leave their trial when told to.
class FakeCrescendo {
  public:
    /// Reuses idle trainers of earlier tests or starts new ones, and waits until all are idle.
    explicit FakeCrescendo(int num_trainers, const std::string& program, const Environment& environment = {});
    FakeCrescendo(const FakeCrescendo&) = delete;
    FakeCrescendo& operator=(const FakeCrescendo&) = delete;
    ~FakeCrescendo();

    /// Has the members, in the order of their ranks, join in a new generation. `state` is as in the protocol.
    void join(const std::vector<int>& members, const std::string& state, const Terms& terms);
    /// Sends the decision "continue" to every member.
    void go_on(const std::vector<int>& members, const Terms& terms);
    /// Makes the members leave and waits until they have. Returns whether one of them saved the trial.
    bool leave(const std::vector<int>& members, bool save, std::int64_t trial = 0);
    /// Joins and continues after each report until `resource`; returns the last report.
    Json train(const std::vector<int>& members, const std::string& state, const Terms& terms, std::int64_t resource);

    void send(int trainer, const Json& message);
    /// Takes the oldest message of this type, and serves the store while waiting for it.
    Json await(int trainer, const std::string& type) { return await_one_of(trainer, {type}); }
    Json await_one_of(int trainer, const std::vector<std::string>& types);

    /// Serves the store until this file exists.
    void await_file(const std::filesystem::path& file);

    /// The number of system calls for reading that the trainer has made so far.
    std::int64_t num_reads(int trainer) const;

    /// Serves the store until the trainer has this file open.
    void await_open(int trainer, const std::filesystem::path& file);

    void kill(int trainer);
    void signal(int trainer, int number);
    /// Stops the trainer without killing it.
    void stop(int trainer);
    /// Closes the trainer's channel.
    void hang_up(int trainer);
    /// Waits for the trainer to end. Returns its exit status, or minus the signal that ended it.
    int wait_for_end(int trainer);

  private:
    struct Trainer {
        pid_t pid = 0;
        int fd = -1;
        std::string unread;
        std::deque<Json> messages;
        bool ended = false;
        std::string program;
        std::optional<std::int64_t> trial;  ///< the trial that it is training
        bool serves_others = false;         ///< whether it may serve another test
    };
    struct Request {
        int trainer;
        Json content;
    };
    using Space = std::map<std::string, Json>;  ///< a generation's keys

    static std::vector<Trainer>& idle();
    static void end(Trainer& trainer);
    bool has_left(int number);
    void start(const std::string& program, const Environment& environment);
    void read_some(const std::string& waiting_for);
    bool read_within(int milliseconds, const std::string& waiting_for);
    bool read_from(int trainer);
    void take_lines(int trainer);
    void serve(int trainer, const Json& request);
    void answer_waiting();

    std::vector<Trainer> trainers_;
    std::map<std::pair<std::int64_t, std::int64_t>, Space> store_;
    std::vector<Request> waiting_;
    std::int64_t generation_ = 0;
};

}  // namespace crescendo::trainer::test
