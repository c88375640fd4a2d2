#include "launch/transport/mpi_session.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "launch/transport/heartbeat.hpp"

namespace crescendo::launch {
namespace {

/// Whether a launcher has set one of the variables that tell a process its rank: Open MPI's mpirun, PMIx (srun,
/// prterun), PMI (srun, Hydra).
bool started_by_launcher() {
    return std::ranges::any_of(std::array{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"},
                               [](const char* name) { return std::getenv(name) != nullptr; });
}

constexpr const char* network_advice =
    "On nodes with several networks, tell MPI which one to use; for Open MPI, for example, set "
    "OMPI_MCA_btl_tcp_if_include=ib0";

/// MPI_Init and MPI_Finalize wait for every rank, even for one that died on its way there. While this object lives,
/// SIGALRM ends us after four times the heartbeat timeout, and the other ranks likewise. Then the user can launch us
/// again.
class Watchdog {
  public:
    Watchdog() { ::alarm(static_cast<unsigned>(4 * SilenceTimer::timeout_of_environment().count())); }
    ~Watchdog() { ::alarm(0); }
    Watchdog(Watchdog&&) = delete;
    Watchdog& operator=(Watchdog&&) = delete;
};

}  // namespace

/// A message being sent. MPI reads the content until the request is complete.
struct MpiSession::Sending {
    Bytes content;
    MPI_Request request = MPI_REQUEST_NULL;
};

std::unique_ptr<MpiSession> MpiSession::join(int& argc, char**& argv) {
    return started_by_launcher() ? std::unique_ptr<MpiSession>(new MpiSession(argc, argv)) : nullptr;
}

MpiSession::MpiSession(int& argc, char**& argv) {
    const Watchdog watchdog;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    given_up_.resize(static_cast<std::size_t>(size_));
}

std::string MpiSession::library() {
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(name, &length);
    auto text = std::string(name).substr(0, std::string_view(name).find_first_of(",\n"));
    if (const auto at = text.find(" Version:"); at != std::string::npos) {  // "MPICH Version:\t4.0.2"
        text.replace(at, text.find_first_not_of(" \t", at + 9) - at, " ");
    }
    return text;
}

const char* MpiSession::pmi() {
#ifdef OPEN_MPI
    return "pmix";
#else
    return "pmi2";  // MPICH and its derivatives
#endif
}

MpiSession::~MpiSession() {
    send_everybody_home();
    if (!has_given_up()) {
        const Watchdog watchdog;
        for (const auto& each : sending_) {
            MPI_Wait(&each->request, MPI_STATUS_IGNORE);
        }
        MPI_Finalize();
    }
}

void MpiSession::send(int to, MessageKind kind, Bytes content) {
    if (given_up_.at(static_cast<std::size_t>(to))) {
        return;
    }
    forget_sent();
    auto sending = std::make_unique<Sending>(Sending{std::move(content)});
    MPI_Isend(sending->content.data(), static_cast<int>(sending->content.size()), MPI_BYTE, to, static_cast<int>(kind),
              MPI_COMM_WORLD, &sending->request);
    sending_.push_back(std::move(sending));
}

void MpiSession::send_everybody_home() {
    if (rank_ != 0 || std::exchange(sent_home_, true)) {
        return;
    }
    give_up_silent_ranks();
    for (int rank = 1; rank < size_; ++rank) {
        send(rank, MessageKind::goodbye, {static_cast<std::uint8_t>(has_given_up())});
    }
}

/// A rank may have died since its last message.
void MpiSession::give_up_silent_ranks() {
    std::set<int> silent;
    for (int rank = 1; rank < size_; ++rank) {
        if (!given_up_[static_cast<std::size_t>(rank)]) {
            send(rank, MessageKind::echo, {});
            silent.insert(rank);
        }
    }
    const auto until = std::chrono::steady_clock::now() + SilenceTimer::timeout_of_environment();
    while (!silent.empty() && std::chrono::steady_clock::now() < until) {
        if (const auto message = receive(); !message) {
            std::this_thread::sleep_for(Pace::shortest);
        } else if (message->kind == MessageKind::echo) {
            silent.erase(message->from);
        }
    }
    for (const int rank : silent) {
        give_up(rank);
    }
}

/// Only together() gives up our own rank.
bool MpiSession::is_torn() const { return given_up_.at(static_cast<std::size_t>(rank_)); }

bool MpiSession::has_given_up() const { return std::ranges::find(given_up_, true) != given_up_.end(); }

void MpiSession::forget_sent() {
    sending_.remove_if([](const auto& each) {
        int complete = 0;
        MPI_Test(&each->request, &complete, MPI_STATUS_IGNORE);
        return complete != 0;
    });
}

std::optional<Message> MpiSession::receive() {
    int arrived = 0;
    MPI_Status status;
    MPI_Message handle;
    // Open MPI probes before it fetches new messages, so only the second look finds one that has just come.
    for (int look = 0; look < 2 && arrived == 0; ++look) {
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &handle, &status);
    }
    if (arrived == 0) {
        return std::nullopt;
    }
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    Message message{status.MPI_SOURCE, static_cast<MessageKind>(status.MPI_TAG),
                    Bytes(static_cast<std::size_t>(length))};
    MPI_Mrecv(message.content.data(), length, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    return message;
}

/// Runs a collective with a time limit, because a dead rank that never enters it would block the others forever.
template <class Start>
void MpiSession::together(const Start& start) {
    const auto fail = [&](std::errc reason, const std::string& message) {
        given_up_.assign(given_up_.size(), true);  // no MPI call from here on: it might still write to our caller's
        throw std::system_error(std::make_error_code(reason), message);
    };
    const auto require = [&](int code) {
        if (code != MPI_SUCCESS) {
            char words[MPI_MAX_ERROR_STRING] = "";
            int length = 0;
            MPI_Error_string(code, words, &length);
            fail(std::errc::host_unreachable,
                 fmt::format(
                     "the {} ranks cannot reach each other through MPI, whose own messages may be above. If one died, "
                     "resume the sweep. {}. The error was {}",
                     size_, network_advice, words));
        }
    };
    MPI_Request request = MPI_REQUEST_NULL;
    require(start(&request));
    const auto until = std::chrono::steady_clock::now() + SilenceTimer::timeout_of_environment();
    for (int complete = 0; complete == 0;) {
        require(MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
        if (complete == 0 && std::chrono::steady_clock::now() >= until) {
            fail(std::errc::timed_out,
                 fmt::format("one of {} ranks died or hung during setup; resume the sweep. If that does not help, a "
                             "firewall may drop their messages, or nodes may share an address, such as docker0's. {}",
                             size_, network_advice));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

std::vector<std::string> MpiSession::all_gather(const std::string& value) {
    const auto length = static_cast<int>(value.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    together([&](MPI_Request* request) {
        return MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, request);
    });
    std::vector<int> begins(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
    std::string texts(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
    together([&](MPI_Request* request) {
        return MPI_Iallgatherv(value.data(), length, MPI_CHAR, texts.data(), lengths.data(), begins.data(), MPI_CHAR,
                               MPI_COMM_WORLD, request);
    });
    std::vector<std::string> result;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
        result.push_back(texts.substr(static_cast<std::size_t>(begins[rank]), static_cast<std::size_t>(lengths[rank])));
    }
    return result;
}

}  // namespace crescendo::launch
