#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "launch/agent/agent.hpp"
#include "tests/await.hpp"
#include "tests/temporary_folder.hpp"

namespace crescendo::tests {

/// How long to wait for a program.
struct Times {
    std::chrono::milliseconds grace{200};
    std::chrono::milliseconds save{200};
    std::chrono::milliseconds patience = launch::WorkerOptions().patience;
    std::chrono::milliseconds doubt{0};
    std::optional<std::chrono::milliseconds> hang{};
};

/// One node of program workers, each of which runs a shell command.
struct ProgramNode {
    explicit ProgramNode(int num_slots, const Times& times = {}, const std::optional<launch::ReportSource>& report = {})
        : agent(NodeId{0}, options(num_slots, times, report)) {}

    launch::WorkerOptions options(int num_slots, const Times& times,
                                  const std::optional<launch::ReportSource>& report) {
        launch::WorkerOptions result;
        result.patience = times.patience;
        result.setup.supervision.report = report;
        result.setup.supervision.metric = "loss";
        result.setup.supervision.hang_timeout = times.hang;
        result.slots.resize(static_cast<std::size_t>(num_slots));
        result.setup.directory = folder.path().string();
        result.setup.save_timeout = times.save;
        result.guard = CRESCENDO_GUARD;
        result.grace = times.grace;
        result.doubt = times.doubt;
        result.ports = std::vector<launch::TcpPort>(static_cast<std::size_t>(num_slots));
        for (const auto& port : result.ports) {
            result.places.push_back({"here", "127.0.0.1", port.number()});
        }
        first_port = result.ports.front().number();
        return result;
    }

    void start(int trial, int slot, const std::string& script, Resource reported = {}) {
        launch::JoinGroup order;
        order.join.trial = TrialId{trial};
        order.join.seed = 11;
        order.join.max_resource = Resource{9};
        order.join.directory = (slot == 0 ? folder.path() : folder / std::to_string(slot)).string();
        std::filesystem::create_directory(order.join.directory);
        order.command = {"bash", "-c", script};
        order.members = {{SlotId{slot}, 0}};
        order.join.reported = reported;
        agent.obey(order);
    }

    void start_group(int trial, int size, const std::string& script) { agent.obey(group(trial, size, script)); }

    /// A group on the first `size` slots.
    launch::JoinGroup group(int trial, int size, const std::string& script) const {
        launch::JoinGroup order;
        order.join.trial = TrialId{trial};
        order.join.size = size;
        order.join.max_resource = Resource{9};
        order.join.directory = folder.path().string();
        order.command = {"bash", "-c", script};
        for (int rank = 0; rank < size; ++rank) {
            order.members.push_back({SlotId{rank}, rank});
            order.slots.push_back(SlotId{rank});
        }
        return order;
    }

    /// The next notice of this kind. Other notices before it are dropped.
    template <class Kind>
    Kind next() {
        Kind result;
        await(std::string("a notice like ") + typeid(Kind).name(), [&] {
            for (auto& notice : agent.poll(std::chrono::milliseconds(50))) {
                kept.push_back(std::move(notice));
            }
            while (!kept.empty()) {
                const launch::Notice notice = kept.front();
                kept.erase(kept.begin());
                if (const auto* found = std::get_if<Kind>(&notice)) {
                    result = *found;
                    return true;
                }
            }
            return false;
        });
        return result;
    }

    TemporaryFolder folder;
    std::vector<launch::Notice> kept;
    int first_port = 0;  ///< of slot 0
    launch::Agent agent;
};

inline constexpr const char* report_once =
    R"(echo '{"resource":1,"metrics":{"loss":0.25}}' >&$CRESCENDO_FD; read -r reply <&$CRESCENDO_FD;)";

}  // namespace crescendo::tests
