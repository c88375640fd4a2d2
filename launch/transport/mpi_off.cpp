// The session of a crescendo that was built without MPI (CRESCENDO_MPI=OFF). CMake compiles either this file or
// mpi_session.cpp. No launcher joins processes here, so a session, if there were one, would have one rank.

#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

struct MpiSession::Sending {};

std::unique_ptr<MpiSession> MpiSession::join(int&, char**&) { return nullptr; }

MpiSession::~MpiSession() = default;

std::string MpiSession::library() { return {}; }

const char* MpiSession::pmi() { return ""; }

void MpiSession::send(int, MessageKind, Bytes) {}

std::optional<Message> MpiSession::receive() { return std::nullopt; }

void MpiSession::send_everybody_home() {}

bool MpiSession::is_torn() const { return false; }

std::vector<std::string> MpiSession::all_gather(const std::string& value) { return {value}; }

}  // namespace crescendo::launch
