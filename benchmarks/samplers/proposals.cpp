/// Measures how long a sampler takes to propose, and to take in a trial, by the number of trials that have ended.
///
/// There are 20 parameters: numbers, integers and choices, some conditional. 64 trials run, and each ends at one of
/// four rungs. Times are CPU times, so that other work on the machine does not count. `gp` proposes only the timed
/// trials; those before are random.
///
///     proposals               each sampler that learns, with up to 100,000 trials
///     proposals --most N      the same with at most N trials

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/draws.hpp"
#include "core/random.hpp"
#include "scheduler/samplers/any_sampler.hpp"

using namespace crescendo;

namespace {

/// CPU time of this thread, in microseconds.
double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

SweepSpec spec_of(const std::string& sampler) {
    std::vector<Parameter> parameters;
    for (int i = 0; i < 5; ++i) {
        parameters.push_back({text("rate_{}", i), LogUniformValues{1e-5, 1}});
        parameters.push_back({text("width_{}", i), IntUniform{1, 100}});
        parameters.push_back({text("kind_{}", i), Categorical{{1.0, 2.0, 3.0, 4.0}}});
        parameters.push_back({text("share_{}", i), Uniform{0, 1}, text("kind_{} > 2", i)});
    }
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = 1'000'000;
    spec.sampler = sampler;
    spec.space = SearchSpace(std::move(parameters));
    spec.scheduler.kind = SchedulerKind::asha;
    spec.scheduler.max = Resource{27};
    return spec;
}

/// The quantile of the calls' times, in microseconds.
double quantile(std::vector<double>& times, double share) {
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), at, times.end());
    return *at;
}

class Measurement {
  public:
    explicit Measurement(const std::string& sampler) : spec_(spec_of(sampler)), sampler_(spec_) {}

    /// Continues to this many trials, and prints the times of the last `num_timed`.
    void run_to(int num_trials, int num_timed) {
        std::vector<double> proposals;
        std::vector<double> tells;
        for (; next_ < num_trials; ++next_) {
            Trial trial;
            trial.id = TrialId{next_};
            const double begin = now();
            const bool is_timed = next_ >= num_trials - num_timed;
            trial.config = is_timed || !sampler_->proposes_by_events()
                               ? sampler_->propose(trial.id)->config
                               : spec_.space.sample(draws(1, Purpose::configuration, trial.id));
            const double proposed = now();
            sampler_->tell(trial);
            running_.push_back(std::move(trial));
            if (running_.size() > 64) {
                end_first();
            }
            const double told = now();
            if (is_timed) {
                proposals.push_back(proposed - begin);
                tells.push_back(told - proposed);
            }
        }
        std::printf("%8d %10.0f %10.0f %10.1f %10.1f\n", num_trials, quantile(proposals, 0.5),
                    quantile(proposals, 0.99), quantile(tells, 0.5), quantile(tells, 0.99));
    }

  private:
    /// One trial in three survives a rung.
    void end_first() {
        auto trial = std::move(running_.front());
        running_.pop_front();
        trial.loss = random_.uniform();
        trial.resource = Resource{1};
        while (trial.resource.value < 27 && random_.below(3) == 0) {
            sampler_->tell(trial);
            trial.resource = Resource{trial.resource.value * 3};
        }
        const bool is_complete = trial.resource.value == 27;
        trial.status = is_complete ? TrialStatus::finished : TrialStatus::stopped;
        trial.reason = is_complete ? StopReason::completed : StopReason::judged;
        sampler_->tell(trial);
    }

    SweepSpec spec_;
    AnySampler sampler_;
    CounterRandom random_{1, 0};
    std::deque<Trial> running_;
    int next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const bool limited = argc == 3 && std::string_view(argv[1]) == "--most";
    if (argc > 1 && !limited) {
        std::fprintf(stderr, "usage: proposals [--most N], such as proposals --most 10000\n");
        return 2;
    }
    const int most = limited ? std::atoi(argv[2]) : 100'000;
    for (const char* sampler : {"sobol", "tpe", "cmaes", "gp"}) {
        std::printf("%s\n%8s %10s %10s %10s %10s   microseconds\n", sampler, "trials", "a proposal", "p99", "a trial",
                    "p99");
        Measurement measurement(sampler);
        for (const int num_trials : {std::min(most, 1'000), 10'000, 100'000}) {
            if (num_trials <= most) {
                measurement.run_to(num_trials, std::string_view(sampler) == "gp" ? 100 : 1000);
            }
        }
    }
}
