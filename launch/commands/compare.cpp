#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/compare/methods.hpp"
#include "launch/compare/report_folder.hpp"
#include "launch/compare/scores.hpp"
#include "launch/compare/sweep_comparison.hpp"
#include "launch/compare/sweep_report.hpp"
#include "launch/display/progress_bar.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
    std::vector<fs::path> directories;
    fs::path curves;
    fs::path workloads;
    fs::path prices;
    std::optional<double> target;
    std::optional<std::string> baseline;
    std::optional<ClockOf> clock;
    Grouping grouping = Grouping::arguments;
    fs::path out;
    bool profiles = false;
    double r_max = 4;
    std::optional<int> num_points;
    Format format = Format::table;
};

Prices prices_of(const CompareOptions& options) { return options.prices.empty() ? Prices() : Prices(options.prices); }

ExitCode compare_curves(const CompareOptions& options) {
    CRESCENDO_VALIDATE(!options.workloads.empty(), "",
                       "--curves needs targets; add --workloads FILE, with a line for each workload");
    CRESCENDO_VALIDATE(!options.target && options.out.empty() && options.clock != ClockOf::sweeps &&
                           options.grouping == Grouping::arguments,
                       "",
                       "--target, --out, --group-by and --of sweeps are for directories of sweeps; for a curve file, "
                       "the clock is its column seconds, and the targets are in --workloads");
    const auto workloads = read_workloads(options.workloads);
    const auto prices = prices_of(options);
    const auto submissions = read_curves(options.curves, workloads, ProgressBar("bytes"));
    if (options.baseline) {
        require_submission(submissions, *options.baseline);
    }
    const auto table = options.profiles
                           ? scores_table(submissions, workloads, {options.r_max, options.num_points, options.baseline})
                           : times_table(submissions, workloads, prices);
    fmt::print("{}", table.print(options.format));
    return ExitCode::done;
}

ExitCode compare_sweeps(const CompareOptions& options) {
    CRESCENDO_VALIDATE(options.workloads.empty() && !options.profiles && !options.num_points, "",
                       "--workloads, --profiles and --points are for --curves; to compare sweeps, use --target");
    if (!options.out.empty()) {
        require_place_for_folder(options.out);
    }
    const auto prices = prices_of(options);
    const auto methods = read_methods(options.directories, options.grouping, options.clock.value_or(ClockOf::sweeps),
                                      ProgressBar("bytes"));
    const auto comparisons = compare_methods(methods, prices, {options.target, options.baseline});
    const auto& spec = methods.front().runs.front().file.spec;
    for (const auto& line : cautions(methods)) {
        remark("note: " + line);
    }
    if (!options.out.empty()) {
        const SweepReport report(methods, prices);
        auto files = report.files();
        files.emplace_back("comparison.csv", methods_table(comparisons, spec).print(Format::csv));
        write_folder(options.out, files);
    }
    fmt::print("{}", options.format == Format::table ? methods_text(comparisons, spec)
                                                     : methods_table(comparisons, spec).print(options.format));
    if (options.format == Format::table && !options.out.empty()) {
        fmt::print(
            "{}: chart.svg, curves.csv, comparison.csv and pareto.csv (points that no other beats at the same price)\n",
            options.out.string());
    }
    return ExitCode::done;
}

ExitCode compare(const CompareOptions& options) {
    CRESCENDO_VALIDATE(options.directories.empty() != options.curves.empty(), "",
                       "give either directories of sweeps, or curve files with --curves and --workloads");
    return options.curves.empty() ? compare_sweeps(options) : compare_curves(options);
}

}  // namespace

void add_compare_command(CLI::App& app, ExitCode& code) {
    static constexpr Words clocks{{std::pair{ClockOf::trials, "trials"}, {ClockOf::sweeps, "sweeps"}}};
    static constexpr Words groupings{{std::pair{Grouping::seed, "seed"}}};
    auto options = std::make_shared<CompareOptions>();
    auto* command = app.add_subcommand(
        "compare", "Compare the time, slot-hours and money that sweeps or curves needed to reach a quality");
    add_directories_argument(*command, options->directories)
        ->description("Directories of sweeps, or folders with several: one for each method");
    command
        ->add_option("--target", options->target, "Value of the metric to reach; default: the best value of each sweep")
        ->check(finite_number());
    command
        ->add_option("--of", options->clock, "trials: each on its own clock; sweeps (default): the search as a whole")
        ->transform(one_of(clocks));
    command->add_option("--group-by", options->grouping, "seed: sweeps that differ only in their seed are one method")
        ->transform(one_of(groupings));
    command->add_option("--out", options->out, "New folder for chart.svg, curves.csv, comparison.csv and pareto.csv");
    command->add_option("--prices", options->prices, "CSV file: submission,usd_per_hour[,workload]");
    command->add_option("--baseline", options->baseline,
                        "Submission that others are compared with; default for sweeps: the first");
    command->add_option("--curves", options->curves, "CSV file: submission,workload,study,trial,seconds,value");
    command->add_option("--workloads", options->workloads, "CSV file: workload,target,goal,max_seconds[,base]");
    command->add_flag("--profiles", options->profiles, "Scores by performance profiles instead of times");
    command->add_option("--rmax", options->r_max, "In profiles, a time above this multiple of the best is a miss")
        ->check(CLI::Range(1 + 1e-6, 1e6))
        ->capture_default_str();
    command
        ->add_option("--points", options->num_points,
                     "Score by the trapezium rule with this many points; default: the exact integral")
        ->check(CLI::Range(2, 1'000'000));
    add_format_option(*command, options->format);
    command->footer(
        "Example:\n"
        "  crescendo compare results/asha results/rasda --target 0.90\n"
        "  crescendo compare results/*/ --group-by seed --out report\n"
        "  crescendo compare --curves curves.csv --workloads workloads.csv --profiles --format csv");
    command->callback([options, &code] { code = compare(*options); });
}

}  // namespace crescendo::launch
