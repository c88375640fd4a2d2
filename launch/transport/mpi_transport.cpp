#include "launch/transport/mpi_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/check.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/transport/network.hpp"

namespace crescendo::launch {
namespace {

/// Throws InvalidInput at every rank where one of them lacks the interface by which groups are to meet.
void require_interface_everywhere(MpiSession& session, const std::string& interface) {
    std::string complaint;
    try {
        require_interface(interface);
    } catch (const InvalidInput& error) {
        complaint = error.what();
    }
    for (const auto& each : session.all_gather(complaint)) {
        if (!each.empty()) {
            throw InvalidInput(each);
        }
    }
}

/// The part of the setup in which all ranks have a say. Called by all of them.
std::unique_ptr<Agent> set_up_agent(MpiSession& session, AgentSetup setup) {
    const auto hosts = session.all_gather(host_name());
    const bool several_hosts = std::set(hosts.begin(), hosts.end()).size() > 1;
    if (setup.interface.empty()) {
        setup.interface = several_hosts ? outward_interface() : loopback;
    }
    require_interface_everywhere(session, setup.interface);
    const auto plan = plan_together(session, setup.slots);
    const SlotId first{session.sum_below(plan.num_slots())};
    return setup.make_agent(NodeId{session.rank()}, first, plan);
}

Bytes nothing_to_say() { return encode(std::vector<Order>{}); }

template <class Element>
void append(std::vector<Element>& to, std::vector<Element>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

SlotPlan plan_together(MpiSession& session, const SlotPlan::Wishes& wishes) {
    const auto resources = NodeResources::detect();
    auto plan = SlotPlan::make(resources, wishes);
    const auto ours = list_text(resources.cpus());
    const auto hosts = session.all_gather(host_name());
    const auto lists = session.all_gather(ours);
    const auto own_rank = static_cast<std::size_t>(session.rank());
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
        if (rank != own_rank && hosts[rank] == hosts[own_rank] && overlap(ours, lists[rank])) {
            plan.unbind("several ranks share the cores");
        }
    }
    return plan;
}

MpiTransport::MpiTransport(MpiSession& session, const AgentSetup& setup, const StopSignals& signals)
    : session_(session), signals_(signals) {
    for (int rank = 1; rank < session_.size(); ++rank) {
        session_.send(rank, MessageKind::setup, Json::to_cbor(Json(setup)));
    }
    agent_ = set_up_agent(session_, setup);
    const auto slots_of = session_.gather(static_cast<int>(agent_->slots().size()));
    for (int rank = 0; rank < session_.size(); ++rank) {
        for (int i = 0; i < slots_of[static_cast<std::size_t>(rank)]; ++i) {
            slots_.push_back({SlotId{static_cast<int>(slots_.size())}, NodeId{rank}});
        }
        if (rank > 0) {
            pulses_.emplace(rank, Pulse(Clock::now()));
        }
    }
}

MpiTransport::~MpiTransport() { session_.send_everybody_home(); }

void MpiTransport::send(NodeId to, const Order& order) {
    if (to.value == session_.rank()) {
        agent_->obey(order);
    } else {
        outbox_[to.value].push_back(order);
    }
}

std::vector<Notice> MpiTransport::receive(std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    std::vector<Notice> notices;
    for (;;) {
        post();
        take_mail(notices);
        look_after_ranks(notices);
        if (!notices.empty()) {
            pace_.busy();
        }
        const auto left = std::chrono::duration_cast<std::chrono::microseconds>(until - Clock::now());
        const auto pause = notices.empty() ? std::clamp(left, std::chrono::microseconds(0), pace_.next())
                                           : std::chrono::microseconds(0);
        append(notices, agent_->poll(pause));
        if (!notices.empty() || Clock::now() >= until || signals_.requested() != nullptr) {
            return notices;
        }
        pace_.idle();
    }
}

void MpiTransport::take_mail(std::vector<Notice>& notices) {
    while (const auto message = session_.receive()) {
        const auto pulse = pulses_.find(message->from);
        if (pulse == pulses_.end()) {
            continue;  // it was given up; what it says now is of no use to anybody
        }
        pulse->second.heard(Clock::now());
        for (auto& notice : decode_notices(message->content)) {
            if (std::holds_alternative<AgentLost>(notice)) {
                agentless_.insert(message->from);
            }
            notices.push_back(std::move(notice));
        }
    }
}

void MpiTransport::look_after_ranks(std::vector<Notice>& notices) {
    for (auto entry = pulses_.begin(); entry != pulses_.end();) {
        auto& [rank, pulse] = *entry;
        if (pulse.stopped(Clock::now())) {
            session_.send(rank, MessageKind::goodbye, {std::uint8_t{1}});  // it may be alive, and is to train no more
            session_.give_up(rank);
            if (!agentless_.contains(rank)) {
                const auto silence = fmt::format("no sign of life for {} s", pulse.timeout().count());
                notices.push_back(AgentLost{NodeId{rank}, silence});
            }
            entry = pulses_.erase(entry);
            continue;
        }
        if (pulse.must_send(Clock::now())) {
            session_.send(rank, MessageKind::orders, nothing_to_say());
            pulse.sent(Clock::now());
        }
        ++entry;
    }
}

/// What was ordered since the last turn.
void MpiTransport::post() {
    for (const auto& [rank, orders] : std::exchange(outbox_, {})) {
        if (const auto pulse = pulses_.find(rank); pulse != pulses_.end()) {
            session_.send(rank, MessageKind::orders, encode(orders));
            pulse->second.sent(Clock::now());
        }
    }
}

void serve_agent(MpiSession& session, const AnswerExamination& answer_examination) {
    const StopSignals signals;  // rank 0 got them as well, and sends us home when all is saved
    const NodeId ours{session.rank()};
    std::unique_ptr<Agent> agent;
    // Rank 0 sends no sign of life before all are set up: it reads the sweep, which takes a while where files are slow.
    Pulse pulse(Clock::now(), 10 * Pulse::timeout_of_environment());
    bool is_set_up = false;
    Pace pace;
    // An agent that cannot go on is lost, and its workers with it; the rank goes on, since its end might end the job.
    const auto with_agent = [&](const auto& work) {
        try {
            work();
        } catch (const std::exception& error) {
            agent.reset();
            session.send(0, MessageKind::notices, encode({AgentLost{ours, error.what()}}));
        }
    };
    for (;;) {
        while (const auto message = session.receive()) {
            pulse.heard(Clock::now());
            pace.busy();
            if (message->kind == MessageKind::goodbye) {
                if (message->content.at(0) != 0) {
                    session.give_up(0);  // not that it was dead, but there is no finalizing together any more
                }
                return;
            }
            if (message->kind == MessageKind::setup) {
                try {
                    agent = set_up_agent(session, Json::from_cbor(message->content).get<AgentSetup>());
                    session.gather(static_cast<int>(agent->slots().size()));
                    is_set_up = true;
                    pulse = Pulse(Clock::now());
                } catch (const InvalidInput&) {
                    // Rank 0 has the same, says it, and sends us home.
                }
                continue;
            }
            if (message->kind == MessageKind::examination) {
                answer_examination(session, message->content);
                continue;
            }
            if (message->kind == MessageKind::echo) {
                session.send(0, MessageKind::echo, {});
                continue;
            }
            with_agent([&] {
                for (const auto& order : agent ? decode_orders(message->content) : std::vector<Order>()) {
                    agent->obey(order);
                }
            });
        }
        std::vector<Notice> notices;
        if (agent) {
            with_agent([&] { notices = agent->poll(pace.next()); });
        } else {  // not yet, or no more: rank 0 will say what next
            std::this_thread::sleep_for(pace.next());
        }
        if (!notices.empty() || (is_set_up && pulse.must_send(Clock::now()))) {
            session.send(0, MessageKind::notices, encode(notices));
            pulse.sent(Clock::now());
        }
        if (notices.empty()) {
            pace.idle();
        } else {
            pace.busy();  // an answer is on its way
        }
        if (pulse.stopped(Clock::now())) {
            session.give_up(0);
            throw std::runtime_error(fmt::format("rank 0 gave no sign of life for {} s; what this rank had ends here",
                                                 pulse.timeout().count()));
        }
    }
}

}  // namespace crescendo::launch
