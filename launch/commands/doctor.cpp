#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/table.hpp"
#include "launch/doctor/disk_need.hpp"
#include "launch/doctor/examinations.hpp"
#include "launch/doctor/file_system.hpp"
#include "launch/doctor/node_report.hpp"
#include "launch/doctor/nodes.hpp"
#include "launch/files/read_file.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/network.hpp"
#ifdef CRESCENDO_HDF5
#include "datasets/readers/library.hpp"
#endif

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
    fs::path target = ".";  // a folder, a sweep file, or the directory of a sweep
    std::optional<int> slots;
    std::optional<int> slots_per_gpu;
    int cpus_per_slot = 1;
    std::string interface;
    std::uint64_t per_trial = 0;  // bytes; 0: unknown
    Format format = Format::table;
};

/// The sweep to check disk space for, and the directory that it has or will have.
struct Subject {
    SweepFile file;
    SweepDirectory directory;
};

std::optional<Subject> subject_of(const fs::path& target) {
    const bool is_lost_file = (target.extension() == ".yaml" || target.extension() == ".yml") && !is_there(target);
    if (fs::is_regular_file(target) || is_lost_file) {
        auto file = read_sweep_file(target);
        SweepDirectory directory(file.name);
        return Subject{std::move(file), std::move(directory)};
    }
    if (is_there(SweepDirectory(target).journal())) {
        return Subject{RecordedSweep(target).file, SweepDirectory(target)};
    }
    return {};
}

/// A finding, and the nodes that have it.
struct Result {
    Finding finding;
    std::vector<std::string> hosts;
};

struct Examined {
    std::vector<NodeReport> nodes;
    std::vector<Result> results;

    /// Adds a finding. One that several nodes share is printed once.
    void add(const Finding& finding, const std::string& host) {
        auto same = std::ranges::find(results, finding, &Result::finding);
        if (same == results.end()) {
            same = results.insert(results.end(), {finding, {}});
        }
        if (std::ranges::find(same->hosts, host) == same->hosts.end()) {
            same->hosts.push_back(host);
        }
    }

    int count(Verdict verdict) const {
        return static_cast<int>(
            std::ranges::count_if(results, [&](const Result& result) { return result.finding.verdict == verdict; }));
    }

    std::size_t num_hosts() const {
        std::set<std::string> hosts;
        for (const auto& node : nodes) {
            hosts.insert(node.host);
        }
        return hosts.size();
    }
};

Findings examine_hdf5() {
#ifdef CRESCENDO_HDF5
    const auto facts = datasets::library_facts();
    const auto text = fmt::format("{}{}; filters decoded by Crescendo's own threads: {}", facts.version,
                                  facts.thread_safe ? ", thread-safe" : "", fmt::join(facts.built_in, ", "));
    if (!facts.missing.empty()) {
        return {
            {Verdict::warning, "HDF5", fmt::format("{}; not readable: {}", text, fmt::join(facts.missing, ", ")),
             "install the library (libzstd-dev, liblz4-dev, libblosc-dev) and build again, or set HDF5_PLUGIN_PATH"}};
    }
    return {{Verdict::ok, "HDF5", text}};
#else
    return {
        {Verdict::ok, "HDF5", "this crescendo is built without HDF5, so it has no trainer and no `crescendo data`"}};
#endif
}

std::vector<NodeReport> examine_all(const Examination& examination, MpiSession* session) {
    if (session != nullptr && session->size() > 1) {
        std::optional<Probe> probe;
        auto question = examination;
        try {
            probe.emplace(examination.directory);
            question.probe = probe->file();
        } catch (const std::system_error&) {
            // The examination of this node reports it.
        }
        return examine_nodes(*session, question);
    }
    return {examine_node(examination, SlotPlan::make(NodeResources::detect(), examination.slots))};
}

Findings examine_start(MpiSession* session) {
    Findings findings{{Verdict::ok, "MPI", "this crescendo is built without MPI, so it runs on one node"}};
    if (session != nullptr) {
        findings = examine_mpi(*session);
    } else if (const auto library = MpiSession::library(); !library.empty()) {
        findings = {
            {Verdict::ok, "MPI",
             fmt::format("not started by a launcher, so this is one node; for more, use `{}` or the launcher of {}",
                         rank_launcher().command, library)}};
    }
    const int ranks = num_ranks(session);
    for (const auto& more : {examine_launcher(ranks), examine_library(ranks, MpiSession::library()),
                             examine_job(ranks, *batch_system())}) {
        findings.insert(findings.end(), more.begin(), more.end());
    }
    return findings;
}

/// Checks whether there is room for the files of the sweep's trials.
Finding examine_disk(const Subject& subject, double per_trial, const std::vector<NodeReport>& nodes,
                     const DiskRoom& room) {
    int num_slots = 0;
    for (const auto& node : nodes) {
        num_slots += node.plan.num_slots();
    }
    const auto use = disk_use(subject.directory);
    const auto largest = static_cast<double>(use.largest);
    return examine_need(trials_on_disk(subject.file, num_slots), per_trial > 0 ? per_trial : largest,
                        static_cast<double>(use.all), room);
}

Examined examine(const DoctorOptions& options, MpiSession* session) {
    const auto subject = subject_of(options.target);
    const auto& directory = subject ? subject->directory.path() : options.target;
    auto wishes = (subject ? subject->file.wishes() : SlotPlan::Wishes{}).with(options.slots, options.slots_per_gpu);
    wishes.cpus_per_slot = std::max(wishes.cpus_per_slot, options.cpus_per_slot);
    wishes.bind = Binding::automatic;
    const Examination examination{fs::absolute(directory).lexically_normal(), {}, wishes, options.interface};
    Examined examined{examine_all(examination, session), {}};
    const auto here = examined.nodes.front().host;
    for (const auto& finding : examine_start(session)) {
        examined.add(finding, here);
    }
    for (const auto& node : examined.nodes) {
        for (const auto& finding : node.findings) {
            examined.add(finding, node.host);
        }
    }
    if (const auto room = subject ? disk_room(existing_part(directory)) : std::nullopt) {
        examined.add(examine_disk(*subject, static_cast<double>(options.per_trial), examined.nodes, *room), here);
    }
    const auto paths = ProgramPaths::find();
    if (is_there(paths.trainer)) {
        const auto interface = interface_of_groups(options.interface, examined.num_hosts() > 1);
        examined.add(examine_group(paths, examined.nodes.front().plan, interface), here);
    }
    for (const auto& finding : examine_hdf5()) {
        examined.add(finding, here);
    }
    return examined;
}

Table slot_map(const std::vector<NodeReport>& nodes) {
    Table table({"node", "host", "slot", "GPU", "NUMA", "CPUs", "threads"});
    const auto text = [](const std::string& value) { return value.empty() ? Cell{} : Cell(value); };
    std::int64_t slot = 0;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        for (const auto& each : nodes[node].plan.slots) {
            table.add_row({static_cast<std::int64_t>(node), nodes[node].host, slot++, text(each.gpu),
                           each.numa ? Cell(std::int64_t{*each.numa}) : Cell{}, text(list_text(each.cpus)),
                           static_cast<std::int64_t>(each.threads)});
        }
    }
    return table;
}

void print_text(const Examined& examined) {
    fmt::print("{}\n", slot_map(examined.nodes).print(Format::table));
    for (const auto& [finding, hosts] : examined.results) {
        const bool everywhere = finding.verdict == Verdict::ok || hosts.size() == examined.num_hosts();
        fmt::print("{:8} {:9} {}{}\n", verdicts.of(finding.verdict), finding.about, finding.observation,
                   everywhere ? "" : fmt::format(" (on {})", fmt::join(hosts, ", ")));
        if (!finding.remedy.empty()) {
            fmt::print("{:8} {:9} → {}\n", "", "", finding.remedy);
        }
    }
    const int problems = examined.count(Verdict::problem);
    const int warnings = examined.count(Verdict::warning);
    fmt::print("\n{}, {}\n", problems == 0 ? "no problems" : counted(problems, "problem"),
               counted(warnings, "warning"));
}

void print_json(const Examined& examined) {
    auto findings = OrderedJson::array();
    for (const auto& [finding, hosts] : examined.results) {
        findings.push_back({{"verdict", verdicts.of(finding.verdict)},
                            {"about", finding.about},
                            {"observation", finding.observation},
                            {"remedy", finding.remedy},
                            {"hosts", hosts}});
    }
    const OrderedJson whole{{"problems", examined.count(Verdict::problem)},
                            {"warnings", examined.count(Verdict::warning)},
                            {"slots", slot_map(examined.nodes).rows_json()},
                            {"findings", findings}};
    fmt::print("{}", in_lines(whole));
}

ExitCode run_doctor(const DoctorOptions& options, MpiSession* session) {
    const auto examined = examine(options, session);
    if (options.format == Format::json) {
        print_json(examined);
    } else {
        print_text(examined);
    }
    return examined.count(Verdict::problem) == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_doctor_command(CLI::App& app, ExitCode& code, MpiSession* session) {
    auto options = std::make_shared<DoctorOptions>();
    auto* command = app.add_subcommand(
        "doctor",
        "Show the slots of this machine, or of the nodes of an MPI job, and problems that would prevent a sweep");
    command->add_option("TARGET", options->target,
                        "Folder in which sweeps will keep their files; or a sweep file, or the directory of a sweep: "
                        "is there room for its trials' files? Default: the current folder");
    command
        ->add_option("--per-trial", options->per_trial,
                     "What a trial leaves on the disk, as in 2GiB; default: the most that a trial of this sweep has "
                     "left")
        ->transform(CLI::AsSizeValue(false));
    add_slots_options(*command, options->slots, options->slots_per_gpu);
    command->add_option("--cpus-per-slot", options->cpus_per_slot, "As `cpus_per_slot` in a sweep file; default: 1")
        ->check(at_least_one());
    command->add_option("--interface", options->interface, "As in `crescendo run`");
    add_format_option_without_csv(*command, options->format);
    command->footer(
        "Exit codes: 0 no problem; 1 at least one problem.\n"
        "Example:\n"
        "  crescendo doctor /scratch/me\n"
        "  crescendo doctor sweep.yaml --per-trial 2GiB\n"
        "  " +
        rank_launcher().on_each_node() + " crescendo doctor /scratch/me");
    command->callback([options, &code, session] { code = run_doctor(*options, session); });
}

}  // namespace crescendo::launch
