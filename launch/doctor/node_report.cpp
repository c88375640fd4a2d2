#include "launch/doctor/node_report.hpp"

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "launch/doctor/examinations.hpp"
#include "launch/doctor/file_system.hpp"
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
        return {Verdict::ok, "slots", "each worker is bound to its own cores"};
    }
    return {Verdict::ok, "slots", "workers are not bound to cores: " + plan.unbound};
}

Findings examine_interface(const std::string& interface) {
    try {
        require_interface(interface);
        return {};
    } catch (const InvalidInput& error) {
        return {
            {Verdict::problem, "network", error.what(), "name one of these, or omit it: the default is usually right"}};
    }
}

}  // namespace

NodeReport examine_node(const Examination& examination, SlotPlan plan) {
    NodeReport report{host_name(), std::move(plan), {}};
    auto& findings = report.findings;
    findings.push_back(examine_slots(report.plan));
    append(findings, examine_gpu_sharing(report.plan, examination.slots));
    append(findings, examine_programs(ProgramPaths::find()));
    append(findings, examine_interface(examination.interface));
    append(findings, examine_file_system(examination.directory));
    if (!examination.probe.empty()) {
        findings.push_back(Probe::look_at(examination.probe));
    }
    append(findings, examine_limits(report.plan.num_slots(), !report.plan.slots.front().gpu.empty()));
    return report;
}

}  // namespace crescendo::launch
