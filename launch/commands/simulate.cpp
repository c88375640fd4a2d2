#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>

#include "core/check.hpp"
#include "core/files/output_file.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/metric_note.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/journal/cost.hpp"
#include "launch/replay/recording.hpp"
#include "launch/replay/replay.hpp"
#include "launch/sampling/proposal_source.hpp"
#include "launch/sweep_file/keys/flat_keys.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/view/simulation_report.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "simulator/virtual_cluster.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;
using simulator::SeenReport;

struct SimulateOptions {
    fs::path file;
    fs::path recorded_sweep;
    fs::path recorded_curves;
    std::optional<int> slots;
    std::optional<std::uint64_t> seed;
    int num_seeds = 1;
    std::vector<std::string> policies;
    std::vector<std::string> settings;
    fs::path out;
    Format format = Format::table;
};

struct Policy {
    std::string name;
    std::vector<Override> overrides;
};

/// Keys of the scheduler that only rasda uses. They are removed for the other types that are compared with it.
constexpr std::array keys_of_growth{"scaling_factor", "grow",    "grow_when", "priority",
                                    "shrink",         "surplus", "batch",     "min_efficiency"};

/// "rasda:surplus=on:grow=wait": a scheduler's type, and keys of the scheduler.
Policy parse_policy(const std::string& text) {
    Policy policy{text, {}};
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ':');) {
        if (policy.overrides.empty()) {
            policy.overrides.push_back({"scheduler.type", part});
            if (part != scheduler_kinds.of(SchedulerKind::rasda)) {
                for (const auto* key : keys_of_growth) {
                    policy.overrides.push_back({fmt::format("scheduler.{}", key), {}});
                }
            }
        } else {
            auto setting = parse_override(part, "surplus=on");
            setting.key = "scheduler." + setting.key;
            policy.overrides.push_back(std::move(setting));
        }
    }
    CRESCENDO_VALIDATE(!policy.overrides.empty(), "--compare",
                       "--compare has an empty policy; write types and their settings, like asha,rasda:surplus=on");
    return policy;
}

/// The number of trials that certainly train to their first rung; 0 if any may end earlier.
double sure_trials(const SweepFile& file) {
    const auto& spec = file.spec;
    const bool may_end = spec.target || spec.trial_end.target || spec.trial_end.seconds || spec.patience.trials ||
                         spec.patience.resource || file.time_budget || file.stop_rule || file.simulation.failures > 0;
    if (may_end) {
        return 0;
    }
    const bool has_all = spec.run_cap && spec.sampler == "random";  // other samplers may run out of proposals
    return has_all ? static_cast<double>(*spec.run_cap) * spec.repeat.times : 1;
}

/// The amount of resource that the trials certainly train.
double sure_units(const SweepFile& file) {
    const auto& scheduler = file.spec.scheduler;
    const auto each = scheduler.kind == SchedulerKind::fifo ? scheduler.max : scheduler.min;
    return sure_trials(file) * static_cast<double>(each.value);
}

/// The sweep to simulate: a sweep file or a recorded sweep, with all changes by the command line.
class Study {
  public:
    explicit Study(const SimulateOptions& options) : options_(options) {
        for (const auto& text : options.settings) {
            settings_.push_back(parse_override(text, "scheduler.max=81"));
        }
        if (!options.recorded_curves.empty()) {
            recording_ = read_recording(options.recorded_curves, read({}).spec);
        }
    }

    /// Makes trials learn, and take time, as recorded.
    void use(Recording recording) { recording_ = std::move(recording); }

    /// Gives the recorded sweep the limits that it had at the end. Has no effect if the user gave a sweep file, which
    /// has its own limits.
    void use(std::vector<Override> limits) {
        if (options_.file.empty()) {
            limits_ = std::move(limits);
        }
    }

    /// Uses as many slots as the recorded sweep had, unless the command line says how many.
    void use_slots(int slots) { recorded_slots_ = slots; }

    SweepFile read(const std::vector<Override>& overrides) const {
        auto all = without_training();
        if (!options_.recorded_sweep.empty()) {
            const auto noted = noted_metric(SweepDirectory::open(options_.recorded_sweep).read_run());
            all.insert(all.end(), noted.begin(), noted.end());
        }
        all.insert(all.end(), limits_.begin(), limits_.end());
        if (recording_) {
            all.insert(all.end(), recording_->simulation.begin(), recording_->simulation.end());
        }
        all.insert(all.end(), settings_.begin(), settings_.end());
        all.insert(all.end(), overrides.begin(), overrides.end());
        auto file = read_sweep_file(
            options_.file.empty() ? SweepDirectory::open(options_.recorded_sweep).sweep_file() : options_.file, all);
        file.spec.seed = options_.seed.value_or(file.spec.seed);
        if (recording_ && !is_set("simulate.regroup")) {
            file.spec.scheduler.expected_regroup = recording_->expected_regroup;
        }
        if (file.spec.metric.empty()) {
            file.spec.metric = "loss";  // no trial reports here, so nothing else names the metric
        }
        add_warm_start(file);
        return file;
    }

    /// Simulates the sweep. Every report is added to `reports`, if given.
    simulator::Summary simulate(const SweepFile& file, int slots, std::vector<SeenReport>* reports = nullptr) const {
        const auto& spec = file.spec;
        const auto max = spec.scheduler.max;
        CRESCENDO_VALIDATE(spec.scheduler.has_max() || max > unlimited_resource || file.source.has("scheduler.max"),
                           "scheduler.max",
                           "scheduler.max is missing, and nothing else ends a simulated trial; add scheduler: {type: "
                           "asha, min: 1, max: 27} to the file");
        simulator::require_few_trials(sure_trials(file));
        simulator::require_few_units(spec.scheduler.has_max() ? sure_units(file) : static_cast<double>(max.value),
                                     spec);
        const simulator::ParametricCurves invented(spec.seed, spec.goal, spec.scheduler.max, file.simulation.noise,
                                                   spec.repeat);
        const auto& curves = recording_ ? static_cast<const simulator::LearningCurves&>(recording_->curves) : invented;
        auto recorded = recorded_times();
        auto times = recorded.empty() ? simulator::TrainingTimes(file.simulation, spec.seed)
                                      : simulator::TrainingTimes(file.simulation, spec.seed, std::move(recorded));
        simulator::VirtualCluster cluster(spec, file.simulation, slots, curves, std::move(times),
                                          file.time_budget_seconds());
        if (recording_ && !recording_->tells_steps) {
            cluster.tell_no_steps();
        }
        const auto source = make_source(file, {.say = remark});
        cluster.ask([&](Sweep& sweep) { return source->await_next(sweep); });
        if (reports != nullptr) {
            cluster.watch([reports](const SeenReport& report) { reports->push_back(report); });
        }
        return cluster.run();
    }

    simulator::PolicyRuns simulate_seeds(const Policy& policy, int slots) const {
        auto file = read(policy.overrides);
        simulator::PolicyRuns result{policy.name, {}};
        for (int i = 0; i < options_.num_seeds; ++i, ++file.spec.seed) {
            result.runs.push_back(simulate(file, slots));
        }
        return result;
    }

    int slots(const SweepFile& file) const {
        const auto own = recorded_slots_ && !is_set("slots") ? recorded_slots_ : file.slots;
        const auto slots = options_.slots ? options_.slots : own;
        CRESCENDO_VALIDATE(slots, "--slots",
                           "--slots is missing; give the cluster's number of slots, such as --slots 64");
        return *slots;
    }

    bool has_recorded_curves() const { return recording_.has_value(); }

    /// Warns about keys that affect how long trials run in the sweep, but not in the simulation.
    void remark_on_gaps(const SweepFile& file) const {
        const bool shares_gpus = file.slots_per_gpu.value_or(1) > 1 && file.spec.scheduler.distinct_gpus == Switch::on;
        std::vector<std::string> unknown;
        std::vector<std::string> effects;
        if (file.trial_time) {
            unknown.emplace_back("trial_time");
            effects.emplace_back("run longer");
        }
        if (shares_gpus) {
            unknown.emplace_back("which slots share a GPU (slots_per_gpu)");
            effects.emplace_back("grow larger");
        }
        if (!unknown.empty()) {
            remark(fmt::format("note: simulate ignores {}; trials can {} here than in the sweep",
                               fmt::join(unknown, " and "), fmt::join(effects, " and ")));
        }
        if (guesses_restarts(file)) {
            remark(
                fmt::format("note: this program restarts to grow; set simulate.regroup to the seconds that a restart "
                            "takes ({} is assumed)",
                            file.simulation.regroup));
        }
    }

  private:
    /// Whether the program restarts to grow, and the time for that was neither given nor measured.
    bool guesses_restarts(const SweepFile& file) const {
        const auto keys = flat_keys(parse_yaml(file.text, file.source.file()).root);
        const auto grow = keys.find("grow");
        const bool restarts = grow != keys.end() && grow->second == R"("restart")";
        const bool may_grow = file.spec.scheduler.kind == SchedulerKind::rasda || !options_.policies.empty();
        constexpr auto regroup = "simulate.regroup";
        const bool is_measured = recording_ && std::ranges::find(recording_->simulation, regroup, &Override::key) !=
                                                   recording_->simulation.end();
        return restarts && may_grow && !is_measured && !is_set(regroup) && !keys.contains(regroup);
    }

    /// The times of recorded trials; empty if there are none. Values given by --set replace recorded ones.
    std::vector<simulator::RecordedTimes> recorded_times() const {
        auto recorded = recording_ ? recording_->times.trials : std::vector<simulator::RecordedTimes>{};
        const bool sets_start = is_set("simulate.start");
        const bool sets_regroup = is_set("simulate.regroup");
        for (auto& trial : recorded) {
            if (sets_start) {
                trial.starts.clear();
            }
            if (sets_regroup) {
                trial.regroups.clear();
            }
        }
        return recorded;
    }

    bool is_set(const std::string& key) const {
        return std::ranges::find(settings_, key, &Override::key) != settings_.end();
    }

    /// Reads the sources, and prints remarks about them, only once.
    void add_warm_start(SweepFile& file) const {
        if (options_.file.empty()) {
            SweepDirectory::open(options_.recorded_sweep).add_warm_start(file);
        } else if (warm_start_) {
            file.spec.warm_start = *warm_start_;
        } else {
            gather_warm_start(file, remark);
            warm_start_ = file.spec.warm_start;
        }
    }

    const SimulateOptions& options_;
    std::vector<Override> settings_;
    std::vector<Override> limits_;
    std::optional<int> recorded_slots_;
    std::optional<Recording> recording_;
    mutable std::optional<std::vector<EarlierResult>> warm_start_;
};

/// The summary, with its cost if the file has a price.
OrderedJson results(const simulator::Summary& summary, const SweepFile& file) {
    auto json = summary_json(summary, file.spec);
    const int num_nodes = 1 + (summary.slots - 1) / file.simulation.slots_per_node;
    if (const auto price = price_of_slot_hour(file.price, summary.slots, num_nodes)) {
        json["cost"] = json["slot_hours_used"].get<double>() * *price;
        json["idle_cost"] = json["slot_hours_idle"].get<double>() * *price;
    }
    return json;
}

void write_files(const fs::path& folder, const simulator::Summary& summary, const SweepFile& file) {
    const auto& spec = file.spec;
    CRESCENDO_VALIDATE(!fs::exists(folder) || fs::is_directory(folder), "",
                       "--out {}: this is a file, but there are several to write; name a folder", folder.string());
    fs::create_directories(folder);
    write_output(folder / "summary.json", in_lines(results(summary, file)));
    write_output(folder / "best.csv", best_table(summary, spec, summary.best_over_time.size()).print(Format::csv));
    write_output(folder / "slots.csv", use_table(summary).print(Format::csv));
    write_output(folder / "chart.svg", chart(summary, spec));
}

void print(const OrderedJson& summary, Format format) {
    if (format == Format::json) {
        fmt::print("{}", in_lines(summary));
        return;
    }
    Table table({"what", "value"});
    for (const auto& [name, value] : summary.items()) {
        table.add_row({name, cell_from(value)});
    }
    fmt::print("{}", table.print(format));
}

void show(const SimulateOptions& options, OrderedJson json, const simulator::Summary& summary, const SweepFile& file) {
    const auto& spec = file.spec;
    if (options.format == Format::json) {
        json["best_over_time"] = best_table(summary, spec, summary.best_over_time.size()).rows_json();
    }
    print(json, options.format);
    if (options.format == Format::table) {
        constexpr std::size_t most_rows = 12;
        fmt::print("\n{}", best_table(summary, spec, most_rows).print(Format::table));
    }
    if (!options.out.empty()) {
        write_files(options.out, summary, file);
    }
}

ExitCode compare(const SimulateOptions& options, const Study& study) {
    std::vector<simulator::PolicyRuns> runs;
    const auto file = study.read({});
    if (study.has_recorded_curves()) {
        remark(fmt::format("note: {}a trial keeps its last recorded value if it trains longer here than it did",
                           options.num_seeds > 1 ? "all seeds have the same recorded trials, so ± says nothing about "
                                                   "other trials; "
                                                 : ""));
    }
    for (const auto& text : options.policies) {
        runs.push_back(study.simulate_seeds(parse_policy(text), study.slots(file)));
    }
    if (runs.empty()) {
        runs.push_back(study.simulate_seeds({scheduler_kinds.of(file.spec.scheduler.kind), {}}, study.slots(file)));
    }
    const auto comparisons = simulator::compare(runs);
    const auto table = comparison_table(comparisons, file.spec);
    fmt::print("{}",
               options.format == Format::table ? comparison_text(comparisons, file.spec) : table.print(options.format));
    if (!options.out.empty()) {
        for (const auto& policy : runs) {
            write_files(options.out / policy.name, policy.runs.front(), file);
        }
        write_output(options.out / "comparison.csv", table.print(Format::csv));
    }
    return ExitCode::done;
}

/// Simulates the sweep once. `known` is shown before the results.
void simulate_one(const SimulateOptions& options, const Study& study, OrderedJson known = OrderedJson::object()) {
    const auto file = study.read({});
    std::vector<SeenReport> reports;
    const auto summary = study.simulate(file, study.slots(file), options.out.empty() ? nullptr : &reports);
    known.update(results(summary, file));
    show(options, std::move(known), summary, file);
    if (!options.out.empty()) {
        write_output(options.out / "reports.csv", report_table(reports, file.spec).print(Format::csv));
    }
}

/// First replays the recorded decisions, then simulates the sweep with its recorded curves and times.
ExitCode replay_sweep(const SimulateOptions& options) {
    const auto directory = SweepDirectory::open(options.recorded_sweep);
    const auto frozen = FrozenFile::recorded_in(directory.journal());
    const auto replayed = replay(read_first_file(directory, frozen), directory);
    Study study(options);
    study.use_slots(replayed.history.most_slots());
    study.use(limits_after(frozen, replayed.history.limits_changes()));
    study.use(record(replayed.history));
    const auto file = study.read({});
    if (file.spec.scheduler.has_max()) {
        study.remark_on_gaps(file);
    }
    if (options.num_seeds > 1 || !options.policies.empty()) {
        return compare(options, study);
    }
    OrderedJson json{{"events", replayed.num_events},
                     {"actions", replayed.num_actions},
                     {"differences", replayed.differences.size()},
                     {"measured_makespan", nullptr}};
    if (replayed.history.sweep().state() != SweepState::running) {
        json["measured_makespan"] = replayed.history.elapsed();
    }
    if (file.spec.scheduler.has_max()) {
        simulate_one(options, study, std::move(json));
    } else {
        print(json, options.format);
        remark(
            "note: the decisions were replayed, but nothing is simulated: without scheduler.max, it is unknown how "
            "long a trial would have trained");
    }
    for (const auto& difference : replayed.differences) {
        remark(difference);
    }
    return replayed.differences.empty() ? ExitCode::done : ExitCode::failed;
}

ExitCode simulate(const SimulateOptions& options) {
    CRESCENDO_VALIDATE(!options.file.empty() || !options.recorded_sweep.empty(), "",
                       "there is nothing to simulate; give a sweep file, or a sweep's directory with --replay");
    if (!options.recorded_sweep.empty()) {
        return replay_sweep(options);
    }
    const Study study(options);
    const auto file = study.read({});
    remark_on_sampler(file);
    if (learns(file.spec.sampler)) {
        remark(
            fmt::format("note: simulated results do not depend on the configuration, so {} has nothing to learn here; "
                        "a simulation shows times and slots",
                        file.spec.sampler));
    }
    study.remark_on_gaps(file);
    if (options.num_seeds > 1 || !options.policies.empty()) {
        return compare(options, study);
    }
    simulate_one(options, study);
    return ExitCode::done;
}

}  // namespace

void add_simulate_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<SimulateOptions>();
    auto* command = app.add_subcommand("simulate", "Simulate a sweep on a virtual cluster, in seconds");
    command->add_option("FILE", options->file, "The sweep file (YAML); it needs no trainer and no command");
    command
        ->add_option("--slots", options->slots,
                     "Number of slots of the virtual cluster; default: that of the "
                     "sweep file, or of the sweep of --replay")
        ->check(CLI::Range(1, SlotPool::end_of_ids));
    command->add_option("--seed", options->seed, "Seed; default: that of the sweep file")->check(at_least(0));
    command->add_option("--seeds", options->num_seeds, "Run with this many seeds; print means and confidence intervals")
        ->check(CLI::Range(1, 100'000));
    command
        ->add_option("--compare", options->policies,
                     "Compare schedulers, each with its own settings, like asha,rasda,rasda:surplus=on")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--set", options->settings, "KEY=VALUE that replaces a setting of the sweep file; may be repeated")
        ->allow_extra_args(false);
    auto* replay_option =
        command->add_option("--replay", options->recorded_sweep,
                            "Directory of a real sweep: repeat its decisions, then simulate it with its curves and "
                            "times");
    command->add_option("--curves", options->recorded_curves, "CSV file of learning curves: trial,resource,<metric>")
        ->excludes(replay_option);
    command->add_option("--out", options->out,
                        "Folder for summary.json, best.csv, slots.csv, chart.svg, and, of a single sweep, reports.csv");
    add_format_option(*command, options->format);
    command->footer(
        "Example:\n"
        "  crescendo simulate sweep.yaml --slots 1024 --compare asha,rasda --seeds 20\n"
        "  crescendo simulate sweep.yaml --slots 64 --set simulate.loss_per_doubling=0.2 --out simulated\n"
        "  crescendo simulate --replay results/first");
    command->callback([options, &code] { code = simulate(*options); });
}

}  // namespace crescendo::launch
