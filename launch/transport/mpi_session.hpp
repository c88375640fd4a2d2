#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/wire.hpp"

namespace crescendo::launch {

/// What a message between ranks holds.
enum class MessageKind { setup = 1, orders, notices, goodbye, examination, echo };

struct Message {
    int from = 0;
    MessageKind kind = MessageKind::orders;
    Bytes content;
};

/// Our place among the processes that mpirun or srun started together, and the mail between them.
///
/// Nothing here ever waits: MPI offers no descriptor to wait on, and its own waiting burns a core. A send to
/// a rank that died succeeds; who is alive has to be found out by heartbeats. One thread.
class MpiSession {
  public:
    /// None where no launcher of MPI programs started us: then no call of MPI is made at all.
    static std::unique_ptr<MpiSession> join(int& argc, char**& argv);

    /// Finalizes MPI, unless a rank was given up: it would wait for it for ever.
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// "Open MPI v4.1.4", "MPICH 4.0.2"
    static std::string library();

    /// How Slurm starts processes that this MPI knows of: "srun --mpi=pmix".
    static const char* srun();

    int rank() const { return rank_; }
    int size() const { return size_; }

    /// Takes the content over; it travels while we do other things.
    void send(int to, MessageKind kind, Bytes content);

    /// The oldest message that has arrived, if any has.
    std::optional<Message> receive();

    /// At rank 0: a last message to every rank, a byte that is 1 where a rank was given up: then nobody may
    /// finalize MPI. Before it, each has to answer an echo within the time-out of heartbeats. Done by the destructor if
    /// not before.
    void send_everybody_home();

    /// `to` is dead: nothing is sent to it any more.
    void give_up(int to) { given_up_.at(static_cast<std::size_t>(to)) = true; }

    // All ranks together; each waits for the slowest, so only while they set themselves up. After the time-out of
    // heartbeats all ranks are given up, and std::system_error is thrown.
    std::vector<int> gather(int value);                             ///< at rank 0: by rank; else empty
    std::vector<std::string> all_gather(const std::string& value);  ///< by rank, the first 255 bytes of each
    int sum_below(int value);                                       ///< of the ranks below ours

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

}  // namespace crescendo::launch
