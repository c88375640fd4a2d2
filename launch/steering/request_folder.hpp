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

/// What the process that works on the sweep says to a request.
struct Answer {
    bool is_accepted = false;
    std::string text;  ///< what was done, or why it was not
};

/// A request on its way: a file in the sweep's folder `requests`, which the coordinator takes, and beside it the
/// answer. No port is opened, and any node that sees the folder can ask.
///
/// A request is `{"crc":"9ae1b2c3","request":{"ask":"stop","trial":17},"version":1}`, where "crc" is the CRC-32 of the
/// request's text. It gets its name when it is whole.
class SentRequest {
  public:
    /// Throws InvalidInput if the folder cannot be written, or belongs to another user.
    SentRequest(const std::filesystem::path& folder, const Request& request);

    /// Name of the request. It is unlike any other, so that nothing is done twice.
    const std::string& name() const { return name_; }

    /// Takes the answer, if it is there.
    std::optional<Answer> take_answer() const;

    /// Takes the request back. Returns false if the coordinator has it already.
    bool withdraw() const;

  private:
    std::filesystem::path folder_;
    std::string name_;
};

/// What the process that works on the sweep answers; nothing if none does and the request was taken back. Throws
/// InvalidInput if there is no answer after `patience`: says whether the request was taken back, or taken by somebody.
std::optional<Answer> await_answer(const SentRequest& sent, const SweepDirectory& directory,
                                   std::chrono::seconds patience = std::chrono::seconds(60));

/// The coordinator's end of the folder.
class RequestInbox {
  public:
    /// Makes the folder, in place of one that another user made, and removes answers that an earlier session left.
    explicit RequestInbox(std::filesystem::path folder);

    struct Arrived {
        std::string name;
        std::optional<Request> request;  ///< none: the file is refused
        std::string refusal;             ///< why
    };

    /// The next request, in the order in which they were sent. It looks into the folder only now and then, because
    /// metadata servers are slow.
    std::optional<Arrived> next();

    /// Answers a request that next() gave, and removes its file.
    void answer(const std::string& name, const Answer& answer);

  private:
    void look();

    std::filesystem::path folder_;
    std::deque<std::string> names_;    ///< requests that the last look found
    std::set<std::string> undeletable_;  ///< answered files that are still there
    std::chrono::steady_clock::time_point next_look_;
};

/// How long a coordinator lets requests lie before it looks.
inline constexpr std::chrono::milliseconds between_looks{200};

}  // namespace crescendo::launch
