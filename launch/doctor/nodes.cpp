#include "launch/doctor/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/check.hpp"
#include "launch/doctor/connection.hpp"
#include "launch/system/clock.hpp"
#include "launch/transport/mpi_transport.hpp"
#include "launch/transport/network.hpp"

namespace crescendo::launch {
namespace {

constexpr std::chrono::seconds node_patience{60};

/// The next message of this kind; none if it does not arrive before the deadline.
std::optional<Message> wait_for(MpiSession& session, MessageKind kind, Clock::time_point deadline) {
    while (Clock::now() < deadline) {
        if (auto message = session.receive(); message && message->kind == kind) {
            return message;
        }
        std::this_thread::sleep_for(Pace::shortest);
    }
    return {};
}

/// Examines this node as one of several; all ranks must call it together.
NodeReport examine_together(MpiSession& session, const Examination& examination) {
    const auto plan = plan_together(session, examination.slots);
    // All that needs the others comes first, before a slow node keeps them waiting.
    const auto interface = interface_between(session, examination.interface);
    const auto connections = examine_connections(session, interface);
    auto report = examine_node(examination, plan);
    report.findings.insert(report.findings.end(), connections.begin(), connections.end());
    try {
        require_way_to_other_nodes(interface);
    } catch (const InvalidInput& error) {
        report.findings.push_back(
            {Verdict::problem, "network", error.what(), "use --interface, or `interface` in the site profile"});
    }
    return report;
}

}  // namespace

std::vector<NodeReport> examine_nodes(MpiSession& session, const Examination& examination) {
    const auto question = Json::to_cbor(Json(examination));
    for (int rank = 1; rank < session.size(); ++rank) {
        session.send(rank, MessageKind::examination, question);
    }
    std::vector<NodeReport> reports(static_cast<std::size_t>(session.size()));
    auto ours = examination;
    ours.probe.clear();  // only other ranks check it
    reports[0] = examine_together(session, ours);
    const auto deadline = Clock::now() + node_patience;
    for (int missing = session.size() - 1; missing > 0; --missing) {
        const auto answer = wait_for(session, MessageKind::examination, deadline);
        if (!answer) {
            break;
        }
        reports[static_cast<std::size_t>(answer->from)] = Json::from_cbor(answer->content).get<NodeReport>();
    }
    for (int rank = 1; rank < session.size(); ++rank) {
        auto& report = reports[static_cast<std::size_t>(rank)];
        if (report.host.empty()) {
            session.give_up(rank);
            report.host = fmt::format("rank {}", rank);
            report.findings = {{Verdict::problem, "MPI", fmt::format("no answer within {} s", node_patience.count()),
                                "check that node"}};
        }
    }
    return reports;
}

void answer_examination(MpiSession& session, const Bytes& examination) {
    const auto question = Json::from_cbor(examination).get<Examination>();
    session.send(0, MessageKind::examination, Json::to_cbor(Json(examine_together(session, question))));
}

Findings examine_mpi(MpiSession& session) {
    constexpr const char* about = "MPI";
    const auto text = fmt::format("{}; {} ranks", MpiSession::library(), session.size());
    if (session.size() == 1) {
        return {{Verdict::ok, about, text}};
    }
    auto best = Clock::duration::max();
    for (int round = 0; round < 20; ++round) {
        const auto start = Clock::now();
        session.send(session.size() - 1, MessageKind::echo, {});
        if (!wait_for(session, MessageKind::echo, start + node_patience)) {
            return {{Verdict::problem, about, fmt::format("{}; the last one does not answer messages", text),
                     "check the network between the nodes, and mpirun's option --mca btl_tcp_if_include"}};
        }
        best = std::min(best, Clock::now() - start);
    }
    return {{Verdict::ok, about,
             fmt::format("{}; a message to the last one and back takes {:.2g} ms", text,
                         std::chrono::duration<double, std::milli>(best).count())}};
}

}  // namespace crescendo::launch
