// Implements the functions of NCCL that the trainer uses, between processes and threads of one machine, with host
// tensors. A "stream" is a HostStream. As in NCCL, calls do not wait for other members in the caller's thread. A member
// that fails or has lost a peer reports that when asked for asynchronous errors, and does nothing more until it is
// aborted.
//
// Members communicate over sockets with rank 0, which adds up in the order of the ranks.
//
// The environment variable FAKE_NCCL names a folder whose files say what should go wrong. A file for all ranks is named
// after the call, such as init, and a file for one rank has the rank's number, such as init.1:
//
//   init, collective   "hang" or "fail RESULT WORDS…"; for collectives also "slow MILLISECONDS", or "skip" the exchange
//   abort              "hang"
//
// An order after the word "once" applies to one call of one member, which removes the file.
//
// A member creates a file forming.RANK in the folder when it begins to form a communicator. It adds a line to the file
// `formed` when the communicator is formed, and one to `ending` when it begins to end it. The value of NCCL_ALGO when a
// communicator of several members begins to form is a line of `algorithms`.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "tests/trainer/device/fake_nccl/host_stream.hpp"
#include "trainer/device/nccl/nccl_abi.hpp"

namespace crescendo::trainer::nccl {

struct Communicator {
    int rank = 0;
    int size = 1;
    std::vector<FileDescriptor> peers;  ///< by rank; members other than rank 0 only have a connection to rank 0
    std::atomic<Result> state{Result::in_progress};
    std::atomic<bool> aborted{false};
    std::atomic<int> num_queued{0};  ///< collectives that a stream has yet to finish
    std::thread forming;
};

namespace {

using test::HostStream;

struct Aborted {};
struct PeerGone {};
struct Failure {
    Result result;
    std::string words;
};

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

std::atomic<const char*> last_error{""};

/// Messages are kept forever because their readers get pointers to them.
void note_error(const std::string& words) {
    static std::mutex mutex;
    static std::set<std::string> all;
    const std::lock_guard lock(mutex);
    last_error = all.insert(words).first->c_str();
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What should go wrong in this call; "" if nothing.
std::string told(const std::string& call, int rank) {
    const char* folder = std::getenv("FAKE_NCCL");
    if (folder == nullptr) {
        return "";
    }
    const auto for_all = (std::filesystem::path(folder) / call).string();
    const auto own = for_all + '.' + std::to_string(rank);
    for (const auto& file : {own, for_all}) {
        constexpr std::string_view once = "once ";
        const auto order = content(file);
        if (order.starts_with(once)) {
            return ::unlink(file.c_str()) == 0 ? order.substr(once.size()) : "";
        }
        if (!order.empty()) {
            return order;
        }
    }
    return "";
}

/// Adds a line to a file for the test.
void note(const std::string& file, const std::string& line = "done") {
    if (const char* folder = std::getenv("FAKE_NCCL")) {
        std::ofstream(std::filesystem::path(folder) / file, std::ios::app) << line + '\n';
    }
}

void wait_for_abort(const Communicator& communicator) {
    while (!communicator.aborted) {
        nap();
    }
    throw Aborted{};
}

void obey(const std::string& order, const Communicator& communicator) {
    std::istringstream words(order);
    std::string verb;
    int number = 0;
    words >> verb >> number;
    if (verb == "hang") {
        wait_for_abort(communicator);
    } else if (verb == "slow") {
        std::this_thread::sleep_for(std::chrono::milliseconds(number));
    } else if (verb == "fail") {
        std::string rest;
        std::getline(words >> std::ws, rest);
        throw Failure{static_cast<Result>(number), rest};
    }
}

template <class Step>
void perform(Communicator& communicator, Step&& step) {
    try {
        step();
        return;
    } catch (const Aborted&) {
        return;
    } catch (const PeerGone&) {
        note_error("socketProgress: Connection closed by remote peer");
        communicator.state = Result::remote_error;
    } catch (const Failure& failure) {
        note_error(failure.words);
        communicator.state = failure.result;
    }
}

void wait_for(const Communicator& communicator, int fd, short events) {
    pollfd descriptor{fd, events, 0};
    while (::poll(&descriptor, 1, /*milliseconds=*/2) == 0) {
        if (communicator.aborted) {
            throw Aborted{};
        }
    }
}

void send_all(const Communicator& communicator, int fd, const void* bytes, std::size_t count) {
    for (const char* next = static_cast<const char*>(bytes); count > 0;) {
        wait_for(communicator, fd, POLLOUT);
        const auto sent = ::send(fd, next, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) {
            throw PeerGone{};
        }
        next += std::max<ssize_t>(sent, 0);
        count -= static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
}

void receive_all(const Communicator& communicator, int fd, void* bytes, std::size_t count) {
    for (char* next = static_cast<char*>(bytes); count > 0;) {
        wait_for(communicator, fd, POLLIN);
        const auto got = ::recv(fd, next, count, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN)) {
            throw PeerGone{};
        }
        next += std::max<ssize_t>(got, 0);
        count -= static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
}

/// An abstract address has no file, so nothing is left behind when the processes die.
sockaddr_un address_of(const UniqueId& id) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, id.bytes, 32);
    return address;
}

FileDescriptor new_socket() { return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void meet_as_rank_0(Communicator& communicator, const sockaddr_un& address) {
    const FileDescriptor door = new_socket();
    if (::bind(door.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(door.get(), communicator.size) != 0) {
        throw Failure{Result::system_error, "Bootstrap : no socket"};
    }
    for (int missing = communicator.size - 1; missing > 0; --missing) {
        wait_for(communicator, door.get(), POLLIN);
        FileDescriptor guest(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
        std::int32_t rank = 0;
        receive_all(communicator, guest.get(), &rank, sizeof rank);
        communicator.peers.at(static_cast<std::size_t>(rank)) = std::move(guest);
    }
    for (std::size_t rank = 1; rank < communicator.peers.size(); ++rank) {
        send_all(communicator, communicator.peers[rank].get(), "!", 1);
    }
}

void meet_rank_0(Communicator& communicator, const sockaddr_un& address) {
    FileDescriptor socket = new_socket();
    while (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (communicator.aborted) {
            throw Aborted{};
        }
        nap();
    }
    const std::int32_t rank = communicator.rank;
    send_all(communicator, socket.get(), &rank, sizeof rank);
    char all_there = 0;
    receive_all(communicator, socket.get(), &all_there, 1);
    communicator.peers.at(0) = std::move(socket);
}

void form(Communicator& communicator, const UniqueId& id) {
    perform(communicator, [&] {
        note("forming." + std::to_string(communicator.rank));
        obey(told("init", communicator.rank), communicator);
        if (communicator.size > 1) {
            communicator.rank == 0 ? meet_as_rank_0(communicator, address_of(id))
                                   : meet_rank_0(communicator, address_of(id));
        }
        note("formed");
        communicator.state = Result::success;
    });
}

/// A collective as requested by a member. All members must request the same one.
struct Request {
    std::int64_t bytes;
    std::int32_t type;
    std::int32_t root;  ///< -1: the sum over all members
};

template <class Number>
void add(std::vector<char>& sum, const std::vector<char>& term) {
    auto* to = reinterpret_cast<Number*>(sum.data());
    const auto* from = reinterpret_cast<const Number*>(term.data());
    for (std::size_t i = 0; i < sum.size() / sizeof(Number); ++i) {
        to[i] += from[i];
    }
}

void add(DataType type, std::vector<char>& sum, const std::vector<char>& term) {
    switch (type) {
        case DataType::int64:
            return add<std::int64_t>(sum, term);
        case DataType::float32:
            return add<float>(sum, term);
        case DataType::float64:
            return add<double>(sum, term);
        default:
            throw Failure{Result::invalid_argument, "the fake does not add numbers of this type"};
    }
}

void exchange(const Communicator& communicator, char* numbers, const Request& request) {
    const auto size = static_cast<std::size_t>(request.bytes);
    if (communicator.rank != 0) {
        const int rank_0 = communicator.peers.at(0).get();
        send_all(communicator, rank_0, &request, sizeof request);
        send_all(communicator, rank_0, numbers, size);
        receive_all(communicator, rank_0, numbers, size);
        return;
    }
    std::vector<char> result(numbers, numbers + size);
    for (int rank = 1; rank < communicator.size; ++rank) {
        const int peer = communicator.peers.at(static_cast<std::size_t>(rank)).get();
        Request other{};
        receive_all(communicator, peer, &other, sizeof other);
        if (other.bytes != request.bytes || other.type != request.type || other.root != request.root) {
            throw Failure{Result::internal_error, "members ask for different collectives"};
        }
        std::vector<char> theirs(size);
        receive_all(communicator, peer, theirs.data(), size);
        if (request.root == -1) {
            add(static_cast<DataType>(request.type), result, theirs);
        } else if (request.root == rank) {
            result = theirs;
        }
    }
    for (int rank = 1; rank < communicator.size; ++rank) {
        send_all(communicator, communicator.peers.at(static_cast<std::size_t>(rank)).get(), result.data(), size);
    }
    std::memcpy(numbers, result.data(), size);
}

std::size_t size_of(DataType type) {
    switch (type) {
        case DataType::uint8:
            return 1;
        case DataType::float32:
            return 4;
        default:
            return 8;
    }
}

Result enqueue(const void* from, void* to, std::size_t count, DataType type, int root, Communicator* communicator,
               Stream stream) {
    if (from != to) {
        note_error("the fake works in place");
        return Result::invalid_argument;
    }
    const Request request{static_cast<std::int64_t>(count * size_of(type)), static_cast<std::int32_t>(type), root};
    ++communicator->num_queued;
    static_cast<HostStream*>(stream)->enqueue([communicator, to, request] {
        perform(*communicator, [&] {
            if (communicator->state != Result::success) {
                throw Aborted{};
            }
            const auto order = told("collective", communicator->rank);
            obey(order, *communicator);
            if (order != "skip") {
                exchange(*communicator, static_cast<char*>(to), request);
            }
        });
        while (communicator->state != Result::success && !communicator->aborted) {
            nap();  // a kernel does not end because of an error
        }
        --communicator->num_queued;
    });
    return Result::success;
}

}  // namespace

}  // namespace crescendo::trainer::nccl

using namespace crescendo::trainer::nccl;

extern "C" {

Result ncclGetUniqueId(UniqueId* id) {
    std::random_device random;
    for (char& letter : id->bytes) {
        letter = static_cast<char>('a' + random() % 26);
    }
    return Result::success;
}

Result ncclCommInitRankConfig(Communicator** made, int size, UniqueId id, int rank, Config* config) {
    if (config->size < sizeof(Config) || config->magic != 0xcafebeef || config->blocking != 0) {
        note_error("the fake takes calls that do not block only");
        return Result::invalid_argument;
    }
    if (size > 1) {
        const char* algorithms = std::getenv("NCCL_ALGO");
        note("algorithms", algorithms != nullptr ? algorithms : "any");
    }
    auto* communicator = new Communicator;
    communicator->rank = rank;
    communicator->size = size;
    communicator->peers.resize(static_cast<std::size_t>(size));
    communicator->forming = std::thread([communicator, id] { form(*communicator, id); });
    *made = communicator;
    return Result::in_progress;
}

Result ncclCommGetAsyncError(Communicator* communicator, Result* state) {
    *state = communicator->state;
    return Result::success;
}

Result ncclCommAbort(Communicator* communicator) {
    note("ending");
    while (told("abort", communicator->rank) == "hang") {
        nap();
    }
    communicator->aborted = true;
    communicator->forming.join();
    while (communicator->num_queued > 0) {
        nap();
    }
    delete communicator;
    return Result::success;
}

Result ncclAllReduce(const void* from, void* to, std::size_t count, DataType type, Reduction,
                     Communicator* communicator, Stream stream) {
    return enqueue(from, to, count, type, /*root=*/-1, communicator, stream);
}

Result ncclBroadcast(const void* from, void* to, std::size_t count, DataType type, int root, Communicator* communicator,
                     Stream stream) {
    return enqueue(from, to, count, type, root, communicator, stream);
}

const char* ncclGetErrorString(Result result) { return result == Result::success ? "no error" : "the fake's error"; }

const char* ncclGetLastError(Communicator*) { return last_error; }

}  // extern "C"
