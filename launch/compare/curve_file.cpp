#include "launch/compare/curve_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "launch/files/csv_file.hpp"

namespace crescendo::launch {
namespace {

std::string name_in(const CsvFile& file, std::size_t column, std::string_view kind) {
    std::string name(file.text(column));
    if (name.empty()) {
        file.fail(fmt::format("the {} has no name; give one", kind));
    }
    return name;
}

Goal goal_in(const CsvFile& file, std::size_t column) {
    const auto goal = goals.find(file.text(column));
    if (!goal) {
        file.fail(fmt::format("the goal is '{}'; write {}", file.text(column), goals.list()));
    }
    return *goal;
}

double max_seconds_in(const CsvFile& file, std::size_t column) {
    if (file.text(column).empty()) {
        return analysis::missed;
    }
    const double seconds = file.finite_number(column);
    if (seconds <= 0) {
        file.fail("max_seconds is not above 0, so no time would be short enough; correct it, or leave it empty");
    }
    return seconds;
}

/// Sorts the rows of a curve file into trials. Names are views of the file.
class CurveReader {
  public:
    CurveReader(CsvFile& file, const std::vector<Workload>& workloads)
        : file_(file),
          workloads_(workloads),
          keys_{file.column("submission"), file.column("workload"), file.column("study"), file.column("trial")},
          seconds_(file.column("seconds")),
          value_(file.column("value")) {}

    std::vector<Submission> read(const ReadProgress& progress) {
        while (file_.next()) {
            auto& trial = trial_of_row();
            const double seconds = file_.finite_number(seconds_);
            if (seconds < 0) {
                file_.fail("the seconds are negative; a trial's clock starts at 0");
            }
            if (!trial.curve.points().empty() && seconds < trial.curve.points().back().seconds) {
                file_.fail(
                    fmt::format("time runs backwards: {} seconds after {} in the same trial; sort the rows of "
                                "each trial by seconds, and give different trials different names",
                                seconds, trial.curve.points().back().seconds));
            }
            trial.curve.add(
                {.seconds = seconds, .loss = to_loss(workloads_[trial.workload].goal, file_.finite_number(value_))});
            progress(static_cast<std::int64_t>(file_.num_bytes_read()), static_cast<std::int64_t>(file_.num_bytes()));
        }
        return sorted();
    }

  private:
    struct Trial {
        std::string_view submission;
        std::size_t workload;
        std::string_view study;
        analysis::Curve curve;
    };

    /// Returns the trial of the current row. It is nearly always the one of the row before.
    Trial& trial_of_row() {
        if (last_ != nullptr &&
            std::ranges::equal(keys_, last_key_, {}, [&](auto column) { return file_.text(column); })) {
            return *last_;
        }
        key_.clear();
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            last_key_[i] = file_.text(keys_[i]);
            key_ += fmt::format("{}:{}", last_key_[i].size(), last_key_[i]);  // lengths keep different keys apart
        }
        const auto [entry, is_new] = trials_.try_emplace(key_);
        last_ = &entry->second;
        if (is_new) {
            name_in(file_, keys_[0], "submission");
            const auto workload = std::ranges::find(workloads_, last_key_[1], &Workload::name);
            if (workload == workloads_.end()) {
                file_.fail(fmt::format("the workload '{}' is not in the file of workloads{}; add it there",
                                       last_key_[1], did_you_mean(std::string(last_key_[1]), names_of(workloads_))));
            }
            *last_ = {last_key_[0], static_cast<std::size_t>(workload - workloads_.begin()), last_key_[2], {}};
        }
        return *last_;
    }

    std::vector<Submission> sorted() {
        std::map<std::string_view, std::vector<std::map<std::string_view, analysis::Study>>> by_name;
        for (auto& [key, trial] : trials_) {
            auto& studies = by_name[trial.submission];
            studies.resize(workloads_.size());
            studies[trial.workload][trial.study].push_back(std::move(trial.curve));
        }
        std::vector<Submission> submissions;
        for (auto& [name, workloads] : by_name) {
            auto& submission = submissions.emplace_back(Submission{std::string(name), {}});
            for (auto& studies : workloads) {
                auto& list = submission.studies.emplace_back();
                for (auto& [study, trials] : studies) {
                    list.push_back(std::move(trials));
                }
            }
        }
        return submissions;
    }

    CsvFile& file_;
    const std::vector<Workload>& workloads_;
    std::array<std::size_t, 4> keys_;  ///< columns that identify the trial of a row
    std::size_t seconds_;
    std::size_t value_;
    std::unordered_map<std::string, Trial> trials_;
    std::array<std::string_view, 4> last_key_;
    Trial* last_ = nullptr;
    std::string key_;
};

}  // namespace

std::vector<Workload> read_workloads(const std::filesystem::path& path) {
    CsvFile file(path);
    const auto name = file.column("workload");
    const auto target = file.column("target");
    const auto goal = file.column("goal");
    const auto max_seconds = file.column("max_seconds");
    const auto base = file.find_column("base");
    std::vector<Workload> workloads;
    std::vector<std::pair<std::string, std::int64_t>> bases;  // base of each workload, and its line in the file
    while (file.next()) {
        Workload workload{name_in(file, name, "workload"), goal_in(file, goal), {}, {}};
        if (std::ranges::count(workloads, workload.name, &Workload::name) > 0) {
            file.fail(fmt::format("the workload '{}' is listed twice; remove one", workload.name));
        }
        workload.target = {to_loss(workload.goal, file.finite_number(target)), max_seconds_in(file, max_seconds)};
        bases.emplace_back(base ? file.text(*base) : "", file.line());
        workloads.push_back(std::move(workload));
    }
    if (workloads.empty()) {
        file.fail("there is no workload; add a line for each");
    }
    const auto fail = [&](std::size_t i, const std::string& message) {
        throw InvalidInput(fmt::format("{}:{}: {}", path.string(), bases[i].second, message));
    };
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        const auto& of = bases[i].first;
        if (of.empty() || of == workloads[i].name) {
            continue;
        }
        const auto found = std::ranges::find(workloads, of, &Workload::name);
        if (found == workloads.end()) {
            fail(i, fmt::format("the base '{}' is not a workload of this file{}; add it", of,
                                did_you_mean(of, names_of(workloads))));
        }
        workloads[i].base = static_cast<std::size_t>(found - workloads.begin());
    }
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        if (workloads[i].base && workloads[*workloads[i].base].base) {
            fail(i, fmt::format("the base '{}' is itself a variant; name the base of both", bases[i].first));
        }
    }
    return workloads;
}

std::vector<Submission> read_curves(const std::filesystem::path& path, const std::vector<Workload>& workloads,
                                    const ReadProgress& progress) {
    CsvFile file(path);
    auto submissions = CurveReader(file, workloads).read(progress);
    if (submissions.empty()) {
        file.fail("there is no curve; add a line for each evaluation");
    }
    return submissions;
}

Prices::Prices(const std::filesystem::path& path) {
    CsvFile file(path);
    const auto submission = file.column("submission");
    const auto price = file.column("usd_per_hour");
    const auto workload = file.find_column("workload");
    while (file.next()) {
        const double usd = file.finite_number(price);
        if (usd < 0) {
            file.fail("the price is negative; correct it");
        }
        const auto [entry, is_new] = prices_.try_emplace(
            {name_in(file, submission, "submission"), std::string(workload ? file.text(*workload) : "")}, usd);
        if (!is_new) {
            file.fail(fmt::format("'{}' already has a price; remove one", entry->first.first));
        }
    }
}

std::optional<double> Prices::per_hour(const std::string& submission, const std::string& workload) const {
    for (const auto& of : {workload, std::string()}) {
        if (const auto found = prices_.find({submission, of}); found != prices_.end()) {
            return found->second;
        }
    }
    return std::nullopt;
}

}  // namespace crescendo::launch
