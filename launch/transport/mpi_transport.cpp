#include "launch/transport/mpi_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/transport/network.hpp"

namespace crescendo::launch {
namespace {

/// Throws InvalidInput on every rank if any of them lacks the interface that groups should use.
void require_interface_everywhere(MpiSession& session, const std::string& interface) {
    std::string complaint;
    try {
        require_way_to_other_nodes(interface);
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

template <class Element>
void append(std::vector<Element>& to, std::vector<Element>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

struct NewAgent {
    std::unique_ptr<Agent> agent;  ///< of this rank
    std::string crowding;          ///< SlotPlan::crowding of its slots
    std::vector<Slot> slots;       ///< of all ranks
};

/// The part of the setup that involves all ranks. All ranks call it. When it returns, every rank has its agent.
NewAgent set_up_agent(MpiSession& session, AgentSetup setup) {
    setup.interface = interface_between(session, setup.interface);
    require_interface_everywhere(session, setup.interface);
    const auto plan = plan_together(session, setup.slots);
    const NodeId own{session.rank()};
    SlotId first;
    std::vector<Slot> slots;
    NodeId node{0};
    for (const auto& text : session.all_gather(Json{plan.num_slots(), num_shared_gpus(plan.slots)}.dump())) {
        const auto counts = Json::parse(text);
        const SlotId next{static_cast<int>(slots.size())};
        first = node == own ? next : first;
        append(slots, slots_of_node(node, next, counts.at(0), counts.at(1)));
        ++node.value;
    }
    auto agent = setup.make_agent(own, first, plan, [&](const std::string& text) { return session.all_gather(text); });
    session.all_gather("");
    return {std::move(agent), plan.crowding, std::move(slots)};
}

Bytes nothing_to_say() { return encode(std::vector<Order>{}); }

}  // namespace

std::string interface_between(MpiSession& session, const std::string& chosen) {
    const auto hosts = session.all_gather(host_name());
    return interface_of_groups(chosen, std::set(hosts.begin(), hosts.end()).size() > 1);
}

SlotPlan plan_together(MpiSession& session, const SlotPlan::Wishes& wishes) {
    const auto resources = NodeResources::detect();
    auto plan = SlotPlan::make(resources, wishes);
    const auto cpus = list_text(resources.cpus());
    std::set<std::string> gpus;
    for (const auto& gpu : resources.gpus) {
        gpus.insert(gpu.name);
    }
    const auto texts = session.all_gather(Json{{"host", host_name()}, {"cpus", cpus}, {"gpus", gpus}}.dump());
    int num_others = 0;  // ranks that have slots where we have ours
    for (int rank = 0; rank < session.size(); ++rank) {
        const auto other = Json::parse(texts[static_cast<std::size_t>(rank)]);
        if (rank == session.rank() || other.at("host") != host_name()) {
            continue;
        }
        const bool shares_cores = overlap(cpus, other.at("cpus"));
        if (shares_cores) {
            plan.unbind("several ranks share the cores");
        }
        // If the user set the number of slots, they may not take all cores.
        num_others += gpus.empty() ? shares_cores && !wishes.slots
                                   : std::ranges::any_of(other.at("gpus").get<std::vector<std::string>>(),
                                                         [&](const auto& name) { return gpus.contains(name); });
    }
    if (num_others > 0) {
        plan.crowding = fmt::format("{} ranks run on one node, and each has slots on {}", num_others + 1,
                                    resources.gpus.empty() ? "the same cores" : "GPUs with the same names");
    }
    return plan;
}

MpiTransport::MpiTransport(MpiSession& session, const AgentSetup& setup, const StopSignals& signals)
    : session_(session), signals_(signals) {
    for (int rank = 1; rank < session_.size(); ++rank) {
        session_.send(rank, MessageKind::setup, Json::to_cbor(Json(setup)));
    }
    auto ours = set_up_agent(session_, setup);
    agent_ = std::move(ours.agent);
    crowding_ = std::move(ours.crowding);
    slots_ = std::move(ours.slots);
    for (int rank = 1; rank < session_.size(); ++rank) {
        silence_timers_.emplace(rank, SilenceTimer(Clock::now()));
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
        const auto timer = silence_timers_.find(message->from);
        if (timer == silence_timers_.end()) {
            continue;  // it was given up; its messages are ignored
        }
        timer->second.heard(Clock::now());
        for (auto& notice : decode_notices(message->content)) {
            if (std::holds_alternative<AgentLost>(notice)) {
                agentless_.insert(message->from);
            }
            notices.push_back(std::move(notice));
        }
    }
}

void MpiTransport::look_after_ranks(std::vector<Notice>& notices) {
    for (auto entry = silence_timers_.begin(); entry != silence_timers_.end();) {
        auto& [rank, timer] = *entry;
        if (timer.stopped(Clock::now())) {
            session_.send(rank, MessageKind::goodbye, {std::uint8_t{1}});  // it may be alive, and must stop training
            session_.give_up(rank);
            if (!agentless_.contains(rank)) {
                const auto silence = fmt::format("no sign of life for {} s", timer.timeout().count());
                notices.push_back(AgentLost{NodeId{rank}, silence});
            }
            entry = silence_timers_.erase(entry);
            continue;
        }
        if (timer.must_send(Clock::now())) {
            session_.send(rank, MessageKind::orders, nothing_to_say());
            timer.sent(Clock::now());
        }
        ++entry;
    }
}

/// Sends the orders given since the last turn.
void MpiTransport::post() {
    for (const auto& [rank, orders] : std::exchange(outbox_, {})) {
        if (const auto timer = silence_timers_.find(rank); timer != silence_timers_.end()) {
            session_.send(rank, MessageKind::orders, encode(orders));
            timer->second.sent(Clock::now());
        }
    }
}

namespace {

/// The work of every rank except rank 0: carries out rank 0's orders with its agent, and reports what happened.
class AgentServer {
  public:
    AgentServer(MpiSession& session, const AnswerExamination& answer_examination)
        : session_(session), answer_examination_(answer_examination) {}

    void run() {
        while (take_mail()) {
            report();
            if (rank_0_.stopped(Clock::now())) {
                session_.give_up(0);
                throw std::runtime_error(fmt::format(
                    "rank 0 gave no sign of life for {} s, so this rank ends its workers", rank_0_.timeout().count()));
            }
        }
    }

  private:
    /// Returns whether rank 0 still needs this rank.
    bool take_mail() {
        while (const auto message = session_.receive()) {
            rank_0_.heard(Clock::now());
            pace_.busy();
            if (message->kind == MessageKind::goodbye) {
                if (message->content.at(0) != 0) {
                    session_.give_up(0);  // rank 0 lives, but MPI cannot be finalized together
                }
                return false;
            }
            take(*message);
        }
        return true;
    }

    void take(const Message& message) {
        if (message.kind == MessageKind::setup) {
            set_up(Json::from_cbor(message.content).get<AgentSetup>());
        } else if (message.kind == MessageKind::examination) {
            answer_examination_(session_, message.content);
        } else if (message.kind == MessageKind::echo) {
            session_.send(0, MessageKind::echo, {});
        } else if (agent_) {
            try_to([&] {
                for (const auto& order : decode_orders(message.content)) {
                    agent_->obey(order);
                }
            });
        }
    }

    void set_up(const AgentSetup& setup) {
        try {
            agent_ = set_up_agent(session_, setup).agent;
            is_set_up_ = true;
            rank_0_ = SilenceTimer(Clock::now());
        } catch (const InvalidInput&) {
            // Rank 0 has the same exception, reports it, and sends us home.
        }
    }

    /// Waits for the workers' notices, and sends them.
    void report() {
        std::vector<Notice> notices;
        if (agent_) {
            try_to([&] { notices = agent_->poll(pace_.next()); });
        } else {  // not yet, or no longer: rank 0 decides what comes next
            std::this_thread::sleep_for(pace_.next());
        }
        if (!notices.empty() || (is_set_up_ && rank_0_.must_send(Clock::now()))) {
            session_.send(0, MessageKind::notices, encode(notices));
            rank_0_.sent(Clock::now());
        }
        if (notices.empty()) {
            pace_.idle();
        } else {
            pace_.busy();  // an answer is on its way
        }
    }

    /// Drops an agent that fails, and its workers with it. The rank stays, because its end might end the job.
    template <class Work>
    void try_to(const Work& work) {
        try {
            work();
        } catch (const std::exception& error) {
            agent_.reset();
            session_.send(0, MessageKind::notices, encode({AgentLost{NodeId{session_.rank()}, error.what()}}));
        }
    }

    MpiSession& session_;
    const AnswerExamination& answer_examination_;
    const StopSignals signals_;  ///< rank 0 gets them as well, and sends us home when all is saved
    std::unique_ptr<Agent> agent_;
    // Rank 0 sends no heartbeat before all ranks are set up: it reads the sweep, which takes a while on slow file
    // systems.
    SilenceTimer rank_0_{Clock::now(), 10 * SilenceTimer::timeout_of_environment()};
    bool is_set_up_ = false;
    Pace pace_;
};

}  // namespace

void serve_agent(MpiSession& session, const AnswerExamination& answer_examination) {
    AgentServer(session, answer_examination).run();
}

}  // namespace crescendo::launch
