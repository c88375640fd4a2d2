#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/wire.hpp"

namespace crescendo::launch {

/// The kinds of messages between ranks.
enum class MessageKind { setup = 1, orders, notices, goodbye, examination, echo };

struct Message {
    int from = 0;
    MessageKind kind = MessageKind::orders;
    Bytes content;
};

/// This process's rank among the processes that an MPI launcher started together, and the messages between them.
///
/// Sending and receiving never wait: MPI offers no descriptor to wait on, and its own waiting keeps a core busy. A send
/// to a dead rank succeeds; only heartbeats show which ranks are alive. For use by one thread.
class MpiSession {
  public:
    /// Returns nullptr, without calling any MPI function, if no MPI launcher started this process or if Crescendo was
    /// built without MPI.
    static std::unique_ptr<MpiSession> join(int& argc, char**& argv);

    /// Finalizes MPI, unless a rank was given up: MPI would wait for that rank forever.
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// Name and version of the MPI library: "Open MPI v4.1.4", "MPICH 4.0.2"; empty if Crescendo was built without MPI.
    static std::string library();

    /// The interface through which processes of this MPI library learn about each other from their launcher: "pmix",
    /// "pmi2". Empty without MPI.
    static const char* pmi();

    int rank() const { return rank_; }
    int size() const { return size_; }

    /// Sends `content`, which the session takes over, without waiting for the transfer.
    void send(int to, MessageKind kind, Bytes content);

    /// The oldest message that has arrived, if any.
    std::optional<Message> receive();

    /// Sends a last message to every rank; only for rank 0. First, each rank must answer an echo within the heartbeat
    /// timeout. The message's byte is 1 if a rank was given up: then no rank may finalize MPI. The destructor calls
    /// this function if it was not called before.
    void send_everybody_home();

    /// Marks rank `to` as dead: nothing more is sent to it.
    void give_up(int to) { given_up_.at(static_cast<std::size_t>(to)) = true; }

    /// Whether the ranks lost each other during setup.
    bool is_torn() const;

    /// Returns the values of all ranks, by rank. All ranks must call it together, and it waits for the slowest, so use
    /// it only at the start. After the heartbeat timeout all ranks are given up and std::system_error is thrown: the
    /// session is torn.
    std::vector<std::string> all_gather(const std::string& value);

  private:
    struct Sending;

    MpiSession(int& argc, char**& argv);
    void give_up_silent_ranks();
    bool has_given_up() const;
    void forget_sent();
    template <class Start>
    void together(const Start& start);

    int rank_ = 0;
    int size_ = 1;
    std::vector<bool> given_up_;
    bool sent_home_ = false;
    std::list<std::unique_ptr<Sending>> sending_;
};

/// The number of ranks that work together; 1 if no MPI launcher started this process.
inline int num_ranks(const MpiSession* session) { return session != nullptr ? session->size() : 1; }

}  // namespace crescendo::launch
