#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/steering/request.hpp"

namespace crescendo::launch {

/// The answer to a request, from the process that works on the sweep.
struct Answer {
    bool is_accepted = false;
    std::string text;  ///< what was done, or why nothing was
};

/// A request in transit: a file in the sweep's folder `requests`, which the coordinator takes, with the answer in a
/// second file. No port is opened, and any node that sees the folder can send requests.
///
/// A request is `{"crc":"9ae1b2c3","request":{"ask":"stop","trial":17},"version":1}`, where "crc" is the CRC-32 of the
/// request's text. The file gets its name only when it is complete.
class SentRequest {
  public:
    /// Throws InvalidInput if the folder cannot be written, or belongs to another user.
    SentRequest(const std::filesystem::path& folder, const Request& request);

    /// Name of the request. It is unique, so that nothing is done twice.
    const std::string& name() const { return name_; }

    /// Takes the answer, if there is one.
    std::optional<Answer> take_answer() const;

    /// Withdraws the request. Returns false if the coordinator has already taken it.
    bool withdraw() const;

  private:
    std::filesystem::path folder_;
    std::string name_;
};

/// Waits for the answer of the process that works on the sweep. Returns nothing if no process works on it and the
/// request was withdrawn. Throws InvalidInput if there is no answer after `patience`; the message says whether the
/// request was withdrawn or had been taken.
std::optional<Answer> await_answer(const SentRequest& sent, const SweepDirectory& directory,
                                   std::chrono::seconds patience = std::chrono::seconds(60));

/// The coordinator's end of the request folder.
class RequestInbox {
  public:
    /// Creates the folder, replacing one that another user made, and removes answers that an earlier session left.
    explicit RequestInbox(std::filesystem::path folder);

    struct Arrived {
        std::string name;
        std::optional<Request> request;  ///< none: the request is refused
        std::string refusal;             ///< why it is refused
    };

    /// The next request, in the order of sending. Looks into the folder only now and then, because metadata servers are
    /// slow.
    std::optional<Arrived> next();

    /// Answers a request that next() returned, and removes its file.
    void answer(const std::string& name, const Answer& answer);

  private:
    void look();

    std::filesystem::path folder_;
    std::deque<std::string> names_;    ///< requests found by the last look
    std::set<std::string> undeletable_;  ///< answered files that could not be removed
    std::chrono::steady_clock::time_point next_look_;
};

/// Time between a coordinator's looks for requests.
inline constexpr std::chrono::milliseconds between_looks{200};

}  // namespace crescendo::launch
