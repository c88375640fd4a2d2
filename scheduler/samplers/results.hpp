#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/ending.hpp"
#include "scheduler/space/search_space.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// What a learning sampler knows about trials: their points, and their losses at each rung.
///
/// Trials are numbered: first those of earlier sweeps (SweepSpec::warm_start), then those of this sweep by id.
///
/// A trial counts at a rung with the first loss that it reports there. A trial that is complete before a rung
/// (Ending::complete) counts at it, and at all higher ones, with its last loss.
class Results {
  public:
    /// The coordinate of a parameter that a configuration does not have.
    static constexpr double absent = -1;

    using Point = std::span<const double>;

    struct Loss {
        double loss;
        int trial;

        friend auto operator<=>(const Loss&, const Loss&) = default;
    };

    /// The trials that reached one rung.
    struct Ranking {
        static constexpr std::size_t most_best = 32;

        std::size_t rung;
        std::vector<Loss> losses{};  ///< in the order in which they arrived
        std::vector<Loss> best{};    ///< the best `most_best` of them, best first: sorting thousands would be expensive
        int num_finite = 0;
        int num_own = 0;  ///< trials of this sweep

        void insert(Loss loss);
    };

    explicit Results(const SweepSpec& spec);

    /// The resources at which trials of such a sweep count. Without a maximum, the last one is out of reach, and only
    /// complete trials count there.
    static std::vector<Resource> milestones_of(const SchedulerSpec& spec);

    void tell(const Trial& trial);

    const SearchSpace& space() const { return space_; }

    /// Number of trials so far, including those of earlier sweeps.
    int num_trials() const { return static_cast<int>(trials_.size()); }

    /// The point of a trial, or of a configuration, with `absent` coordinates.
    Point point(int trial) const;
    std::vector<double> point_of(const Config& config) const;

    /// The highest rung that at least `enough` trials reached with a finite loss. Null if there is none.
    const Ranking* highest_ranking(int enough) const;

    /// Whether a trial counts at the rung.
    bool has_reached(int trial, const Ranking& ranking) const {
        return trials_[static_cast<std::size_t>(trial)].num_rungs > ranking.rung;
    }

    /// Whether nothing is known about a trial yet, except that it runs.
    bool is_pending(int trial) const;

    /// Whether a trial has not ended.
    bool is_running(int trial) const;

    /// Whether a trial counts at the rung, or will not reach it because it has lost (Ending::lost). Other trials may
    /// still reach it.
    bool is_settled(int trial, const Ranking& ranking) const;

    /// Whether is_settled() holds, or the trial has lost so far: it is paused at a lower rung until it is promoted.
    bool is_settled_so_far(int trial, const Ranking& ranking) const {
        return is_settled(trial, ranking) || trials_[static_cast<std::size_t>(trial)].is_paused;
    }

  private:
    struct Told {
        bool is_known = false;
        bool is_proposed = false;
        bool is_paused = false;
        bool has_ended = false;
        Ending ending = Ending::none;
        std::size_t num_rungs = 0;
    };

    void add_earlier(const std::vector<EarlierResult>& results, bool has_max);
    bool counts(const Told& told, Resource resource, bool is_complete) const;
    void count(const Trial& trial, int number, Told& told);

    SearchSpace space_;
    std::size_t num_dimensions_;
    std::vector<Resource> milestones_;
    std::size_t num_earlier_;
    std::vector<Ranking> rankings_;  // by milestone
    std::vector<Told> trials_;
    std::vector<double> points_;  // of all trials, one after the other
};

}  // namespace crescendo
