#include "launch/doctor/node_report.hpp"

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "launch/doctor/file_system.hpp"
#include "launch/doctor/gpu_sharing.hpp"
#include "launch/doctor/limits.hpp"
#include "launch/doctor/programs.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/network.hpp"

namespace crescendo::launch {
namespace {

void append(Findings& to, Findings from) { to.insert(to.end(), from.begin(), from.end()); }

Finding examine_slots(const SlotPlan& plan) {
    if (const auto binding = binding_of_launcher(); !binding.empty()) {
        return {Verdict::warning, "slots", binding, "add --bind-to none to the mpirun command"};
    }
    if (!plan.crowding.empty()) {
        return {Verdict::warning, "slots", plan.crowding, advice_on_crowding()};
    }
    if (plan.unbound.empty()) {
        return {Verdict::ok, "slots", "each worker is bound to cores of its own"};
    }
    return {Verdict::ok, "slots", "workers are not bound to cores: " + plan.unbound};
}

/// What `require` says of the interface; nothing if it has no complaint.
Findings examine_interface(void (*require)(const std::string& interface), const std::string& interface,
                           const char* remedy) {
    try {
        require(interface);
        return {};
    } catch (const InvalidInput& error) {
        return {{Verdict::problem, "network", error.what(), remedy}};
    }
}

}  // namespace

Findings examine_way_to_other_nodes(const std::string& interface) {
    return examine_interface(require_way_to_other_nodes, interface, "--interface, or `interface` in the site profile");
}

NodeReport examine_node(const Examination& examination, SlotPlan plan) {
    NodeReport report{host_name(), std::move(plan), {}};
    auto& findings = report.findings;
    findings.push_back(examine_slots(report.plan));
    append(findings, examine_gpu_sharing(report.plan, examination.slots));
    append(findings, examine_programs(ProgramPaths::find()));
    append(findings, examine_interface(require_interface, examination.interface,
                                       "name one of these, or none: the default is mostly right"));
    append(findings, examine_file_system(examination.directory));
    if (!examination.probe.empty()) {
        findings.push_back(Probe::look_at(examination.probe));
    }
    append(findings, examine_limits(report.plan.num_slots(), !report.plan.slots.front().gpu.empty()));
    return report;
}

}  // namespace crescendo::launch
