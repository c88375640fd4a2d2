#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/check.hpp"
#include "core/files/output_file.hpp"
#include "core/mapped.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/compare/sweep_run.hpp"
#include "launch/files/own_folder.hpp"
#include "launch/report/comparison.hpp"
#include "launch/report/report_page.hpp"
#include "launch/report/sweep_data.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
    std::vector<fs::path> directories;
    fs::path out;
};

/// Checks the output folder before the work begins, so that no work is lost.
void require_folder(const fs::path& out) {
    if (out.empty()) {
        return;
    }
    const auto folder = fs::absolute(out).parent_path();
    CRESCENDO_VALIDATE(fs::is_directory(folder), "",
                       "--out {}: there is no folder {}; make it, or name another file", out.string(), folder.string());
    CRESCENDO_VALIDATE(!fs::is_directory(out), "",
                       "--out {}: this is a folder, but the page is one file; name a file in it", out.string());
}

/// The page's file if the user names none.
fs::path default_page(const std::vector<fs::path>& directories) {
    if (directories.size() > 1) {
        return "report.html";
    }
    require_own_folder(directories.front(), "name the file with --out");
    return directories.front() / "report.html";
}

ExitCode report(const ReportOptions& options) {
    require_folder(options.out);
    std::vector<fs::path> directories;
    for (const auto& each : options.directories) {
        std::ranges::copy(sweeps_in(each), std::back_inserter(directories));
    }
    const auto out = options.out.empty() ? default_page(directories) : options.out;
    const auto sweeps = mapped(directories, [](const fs::path& each) { return sweep_data(each); });
    const auto comparison = sweeps.size() > 1 ? comparison_json(options.directories) : OrderedJson(nullptr);
    const auto page = report_page(sweeps, comparison);
    if (options.out.empty()) {
        replace_output(out, page);
    } else {
        write_output(out, page);
    }
    fmt::print("{}\n", out.string());
    auto code = ExitCode::done;
    for (const auto& sweep : sweeps) {
        if (const auto problem = sweep.at("problem").get<std::string>(); !problem.empty()) {
            remark(problem + "; the page shows the sweep up to that point");
            code = ExitCode::bad_input;
        }
    }
    return code;
}

}  // namespace

void add_report_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ReportOptions>();
    auto* command = app.add_subcommand("report", "Write one HTML page about sweeps, finished or running");
    add_directories_argument(*command, options->directories)->required();
    command->add_option(
        "--out", options->out,
        "The file; default: report.html in the sweep's directory, or in the current folder for several sweeps");
    command->footer(
        "Example:\n"
        "  crescendo report results/first\n"
        "  crescendo report results/asha results/rasda --out comparison.html");
    command->callback([options, &code] { code = report(*options); });
}

}  // namespace crescendo::launch
