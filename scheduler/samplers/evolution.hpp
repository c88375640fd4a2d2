#pragma once

#include <cstddef>
#include <vector>

#include "core/random.hpp"
#include "scheduler/samplers/axis.hpp"

namespace crescendo {

/// A distribution over the unit cube that moves towards good points: CMA-ES (Hansen, "The CMA Evolution Strategy: A
/// Tutorial", arXiv:1604.00772) for numbers, and a probability of each category (Hamano et al., "CatCMA", GECCO 2024).
///
/// * Points need not come from the present distribution. They count as if injected (Hansen, "Injecting External
///   Solutions Into CMA-ES", arXiv:1110.4181): a point from far away moves the distribution only by a bounded amount.
/// * The covariance is factored by Cholesky (Krause et al., "CMA-ES with Optimal Covariance Update", NIPS 2016).
/// * The deviation of a discrete number stays at least a quarter of its cell, and each category keeps some probability.
///   So no value is given up (Hamano et al., "CMA-ES with Margin", GECCO 2022).
///
/// Sums are taken in a fixed order, so equal points give equal distributions.
class Evolution {
  public:
    /// A coordinate for each axis, in [0, 1), or negative if the configuration lacks it.
    using Point = std::vector<double>;

    /// Begins around `mean`. A generation has at least `population` points.
    Evolution(std::vector<Axis> axes, const Point& mean, int population);

    /// The least population that Hansen's tutorial recommends: 4 + 3 log n.
    static int usual_population(std::size_t num_axes);

    Point sample(CounterRandom& random) const;

    /// Moves the distribution by a generation of at least two points, best first. Along an axis, those of the better
    /// half that have its category or number decide. If none has the number, the axis slowly becomes narrow.
    void update(const std::vector<Point>& ranked);

    int population() const { return population_; }

    /// Whether the distribution has become so narrow that it will find nothing new.
    bool has_converged() const;

  private:
    void move_numbers(const std::vector<Point>& ranked, const std::vector<double>& weights);
    void move_categories(const std::vector<Point>& ranked, const std::vector<double>& weights);
    std::vector<double> steps_to(const Point& point) const;
    double deviation(std::size_t number) const;

    std::vector<Axis> axes_;
    int population_;
    std::vector<std::size_t> numbers_;                // the n axes that are not categorical
    std::vector<std::vector<double>> probabilities_;  // by axis; empty for a number
    std::vector<double> mean_;                        // of the numbers
    double step_;                                     // sigma
    std::vector<double> covariance_;                  // n × n, without the step
    std::vector<double> factor_;                      // its Cholesky factor
    std::vector<double> step_path_;
    std::vector<double> covariance_path_;
    int num_updates_ = 0;
};

}  // namespace crescendo
