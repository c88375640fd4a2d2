#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>

#include "core/spelling.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/table.hpp"
#include "launch/sampling/first_trials.hpp"
#include "launch/sweep_file/check/sweep_check.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/view/trials_table.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "scheduler/space/grid.hpp"
#include "scheduler/space/survey.hpp"

namespace crescendo::launch {
namespace {

struct ValidateOptions {
    std::filesystem::path path;
    int num_samples = 0;
};

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// The share of draws that the constraints refuse, in all and by constraint: "constraints refuse 23.1 % of draws (a < b
/// 20 %, …)".
std::string refusals(const SweepSpec& spec) {
    const auto found = survey(spec.space, spec.seed);
    if (found.share_refused() == 0) {
        return fmt::format("constraints refuse none of {} draws\n", found.num_draws);
    }
    std::string each;
    for (std::size_t i = 0; i < found.broken.size(); ++i) {
        each += fmt::format("\n  {}  {}", percent(static_cast<double>(found.broken[i]) / found.num_draws),
                            spec.space.rules().constraints()[i].text());
    }
    const bool is_grid = spec.sampler == "grid";
    return fmt::format("constraints refuse {} of {} draws, {}:{}\n", percent(found.share_refused()), found.num_draws,
                       is_grid ? "and the grid has no such points" : "which are drawn again", each);
}

/// Prints the configurations of the first trials. If the sampler fails meanwhile, not all are its own proposals.
ExitCode show_sample(const SweepFile& file, int count) {
    const auto& spec = file.spec;
    auto columns = names_of(spec.space.parameters());
    columns.insert(columns.begin(), "trial");
    Table table(columns);
    auto code = ExitCode::done;
    const auto fail = [&](const std::string& failure) {
        remark(failure);
        code = ExitCode::bad_input;
    };
    const auto sweep = first_trials(file, count, fail, remark);
    for (const auto& trial : sweep.trials() | std::views::take(count)) {  // repetitions of the last one may follow
        std::vector<Cell> row{trial.id.value};
        std::ranges::move(parameter_cells(trial.config, spec.space), std::back_inserter(row));
        table.add_row(std::move(row));
    }
    fmt::print("{}", table.print(Format::table));
    if (learns(spec.sampler)) {
        remark(fmt::format("note: {} learns from results; its later proposals depend on the results of earlier trials",
                           spec.sampler));
    }
    if (file.sampler && std::cmp_less(sweep.trials().size(), count)) {
        remark(fmt::format("the sampler proposed {} of {} configurations; it can propose more once trials have results",
                           sweep.trials().size(), count));
    }
    return code;
}

ExitCode validate_file(const ValidateOptions& options) {
    auto file = read_sound_sweep_file(options.path);
    gather_warm_start(file, remark);
    if (file.sampler && options.num_samples == 0) {
        first_trials(file, 1, remark);  // throws if the user's own sampler proposes nothing
    }
    const auto& repeat = file.spec.repeat;
    fmt::print("{}: valid; {}, metric {}{}{}\n", options.path.string(),
               counted(file.spec.space.parameters().size(), "parameter"),
               file.spec.metric.empty() ? "of the first report" : file.spec.metric,
               file.spec.run_cap ? ", " + counted(*file.spec.run_cap, repeat.is_on() ? "configuration" : "trial") : "",
               repeat.is_on() ? fmt::format(", {} trials each", repeat.times) : "");
    if (file.spec.sampler == "grid") {
        fmt::print("a grid of {}\n", counted(Grid(file.spec.space).num_configurations(), "configuration"));
    }
    if (!file.spec.space.rules().constraints().empty()) {
        fmt::print("{}", refusals(file.spec));
    }
    std::int64_t num_samples = options.num_samples;
    if (file.spec.run_cap) {
        num_samples = std::min(num_samples, std::int64_t{*file.spec.run_cap} * repeat.times);
    }
    return num_samples > 0 ? show_sample(file, static_cast<int>(num_samples)) : ExitCode::done;
}

}  // namespace

void add_validate_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ValidateOptions>();
    auto* command =
        app.add_subcommand("validate", "Check a sweep file, and its settings and data or its program; train nothing");
    command->add_option("FILE", options->path, "The sweep file (YAML)")->required();
    command->add_option("--sample", options->num_samples, "Show the configurations of the first N trials")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000));
    command->footer("Example:\n  crescendo validate sweep.yaml --sample 10");
    command->callback([options, &code] { code = validate_file(*options); });
}

}  // namespace crescendo::launch
