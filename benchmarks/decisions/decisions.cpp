/// Measures how many reports per second the scheduler handles, and a trial's memory, by the number of trials.
///
/// The running trials of a virtual cluster of 1,024 slots, or 16,384 on 2,048 nodes, report in turn. Times only
/// Sweep::apply(), with the starts, stops, promotions and regroups that follow from a report.
///
///     decisions               each scheduler with 1,000 to 1,000,000 trials, and ASHA with each sampler except gp
///     decisions --most N      the same with at most N trials
///     decisions FILE          ASHA on one slot over curves from a file with one number per trial, for measure.py

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "scheduler/sweep/sweep.hpp"

using namespace crescendo;

namespace {

SweepSpec spec_of(SchedulerKind kind, Mode mode, int num_trials) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = num_trials;
    spec.scheduler.kind = kind;
    spec.scheduler.mode = mode;
    spec.scheduler.max = Resource{81};
    return spec;
}

/// The value that each trial's loss falls towards.
std::vector<double> random_floors(int num_trials) {
    CounterRandom random(1, 0);
    std::vector<double> floors;
    for (int trial = 0; trial < num_trials; ++trial) {
        floors.push_back(random.uniform());
    }
    return floors;
}

double bytes_in_use() {
    const auto memory = ::mallinfo2();
    return static_cast<double>(memory.uordblks + memory.hblkhd);
}

struct Figures {
    double reports_per_second;
    double bytes_per_trial;
};

class Cluster {
  public:
    Cluster(const SweepSpec& spec, std::vector<double> floors, int num_slots)
        : floors_(std::move(floors)), sweep_(spec) {
        SlotsJoined event;
        for (int slot = 0; slot < num_slots; ++slot) {
            event.slots.push_back({SlotId{slot}, NodeId{slot / 8}});
        }
        follow(sweep_.apply(event));
    }

    Figures run() {
        std::chrono::nanoseconds spent{};
        std::size_t num_reports = 0;
        while (sweep_.state() == SweepState::running) {
            const auto events = next_reports();
            std::vector<std::vector<Action>> actions;
            actions.reserve(events.size());
            const auto begin = std::chrono::steady_clock::now();
            for (const auto& event : events) {
                actions.push_back(sweep_.apply(event));
            }
            spent += std::chrono::steady_clock::now() - begin;
            num_reports += events.size();
            for (const auto& each : actions) {
                follow(each);
            }
        }
        return {static_cast<double>(num_reports) / std::chrono::duration<double>(spent).count(),
                (bytes_in_use() - bytes_before_) / static_cast<double>(sweep_.trials().size())};
    }

  private:
    /// One per running trial.
    std::vector<Event> next_reports() {
        std::erase_if(running_, [this](TrialId id) { return sweep_.trial(id).status != TrialStatus::running; });
        std::vector<Event> events;
        events.reserve(running_.size());
        for (const auto trial : running_) {
            const Resource resource{sweep_.trial(trial).resource.value + 1};
            const double floor = floors_[static_cast<std::size_t>(trial.value)];
            events.push_back(TrialReported{trial, resource, floor + 1.0 / static_cast<double>(resource.value)});
        }
        return events;
    }

    void follow(const std::vector<Action>& actions) {
        for (const auto& action : actions) {
            if (const auto* start = std::get_if<StartTrial>(&action)) {
                running_.push_back(start->trial);
            } else if (const auto* resume = std::get_if<ResumeTrial>(&action)) {
                std::erase(running_, resume->trial);
                running_.push_back(resume->trial);
            }
        }
    }

    std::vector<double> floors_;
    double bytes_before_ = bytes_in_use();
    Sweep sweep_;
    std::vector<TrialId> running_;
};

void print(const char* name, int num_trials, const Figures& figures) {
    std::printf("%-20s %10d %14.0f %12.0f\n", name, num_trials, figures.reports_per_second, figures.bytes_per_trial);
    std::fflush(stdout);
}

void compare_samplers(int most) {
    const SearchSpace space({{"lr", LogUniformValues{1e-5, 1}},
                             {"decay", LogUniformValues{1e-6, 1}},
                             {"momentum", Uniform{0, 1}},
                             {"dropout", Uniform{0, 1}},
                             {"width", IntUniform{1, 100}},
                             {"depth", IntUniform{1, 9}},
                             {"activation", Categorical{{1.0, 2.0, 3.0}}},
                             {"norm", Categorical{{1.0, 2.0, 3.0, 4.0}}}});
    std::printf("\n%-20s %10s %14s %12s\n", "sampler", "trials", "reports/s", "bytes/trial");
    for (const char* sampler : {"random", "sobol", "tpe", "cmaes"}) {
        for (const int num_trials : {1'000, 10'000, 100'000}) {
            if (num_trials <= most) {
                auto spec = spec_of(SchedulerKind::asha, Mode::stop, num_trials);
                spec.sampler = sampler;
                spec.space = space;
                print(sampler, num_trials, Cluster(spec, random_floors(num_trials), 1024).run());
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool limited = argc == 3 && std::string_view(argv[1]) == "--most";
    const int most = limited ? std::atoi(argv[2]) : std::numeric_limits<int>::max();
    if (argc > 1 && !limited && (argc > 2 || argv[1][0] == '-')) {
        std::fprintf(stderr, "usage: decisions [--most N | FILE], such as decisions --most 10000\n");
        return 2;
    }
    if (argc == 2) {
        std::ifstream file(argv[1]);
        const std::vector<double> floors(std::istream_iterator<double>(file), {});
        const auto spec = spec_of(SchedulerKind::asha, Mode::stop, static_cast<int>(floors.size()));
        std::printf("%.0f\n", Cluster(spec, floors, /*num_slots=*/1).run().reports_per_second);
        return 0;
    }
    struct Row {
        const char* name;
        SchedulerKind kind;
        Mode mode;
        int num_slots;
    };
    const Row rows[] = {
        {"asha, stop", SchedulerKind::asha, Mode::stop, 1024},
        {"asha, promote", SchedulerKind::asha, Mode::promote, 1024},
        {"rasda", SchedulerKind::rasda, Mode::stop, 1024},
        {"rasda, 16,384 slots", SchedulerKind::rasda, Mode::stop, 16384},
        {"hyperband", SchedulerKind::hyperband, Mode::stop, 1024},
    };
    std::printf("%-20s %10s %14s %12s\n", "scheduler", "trials", "reports/s", "bytes/trial");
    for (const auto& [name, kind, mode, num_slots] : rows) {
        for (const int num_trials : {1'000, 10'000, 100'000, 1'000'000}) {
            if (num_trials > most) {
                break;
            }
            print(name, num_trials,
                  Cluster(spec_of(kind, mode, num_trials), random_floors(num_trials), num_slots).run());
        }
    }
    compare_samplers(most);
}
