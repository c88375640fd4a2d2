#include "scheduler/samplers/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/samplers/dot.hpp"
#include "scheduler/space/quantiles.hpp"

namespace crescendo {
namespace {

constexpr double first_step = 0.3;
constexpr double most_of_a_step = 1.0;  // the width of the unit cube: more would mean nothing
constexpr double least_deviation = 1e-6;
constexpr double least_variance = 1e-14;      // in steps: below it, a factor no longer matches its covariance
constexpr double least_of_categories = 0.05;  // least probability that all categories but the best share

double normal(CounterRandom& random) { return normal_quantile(std::max(random.uniform(), 0x1.0p-53)); }

/// Reflects x into [0, 1), as between two mirrors.
double reflected(double x) {
    x = std::fmod(std::abs(x), 2.0);
    return std::clamp(x < 1 ? x : 2 - x, 0.0, last_coordinate);
}

/// A quarter of a discrete number's cell, so that one in twenty draws leaves the cell. At an end of the range, another
/// value is twice as far away.
double least_deviation_at(const Axis& axis, double mean) {
    constexpr double border = 1e-9;
    const auto [first, last] = axis.cell_at(mean);
    const double to_lower = first > border ? mean - first : last - mean;
    const double to_upper = last < 1 - border ? last - mean : mean - first;
    return std::max(last - first, 2 * std::min(to_lower, to_upper)) / 4;
}

/// Weights of the better half of `count` points, by rank. Their sum is 1.
std::vector<double> recombination_weights(std::size_t count) {
    std::vector<double> weights(std::max<std::size_t>(count / 2, 1));
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = std::log((static_cast<double>(count) + 1) / 2) - std::log(static_cast<double>(i) + 1);
        sum += weights[i];
    }
    for (double& weight : weights) {
        weight /= sum;
    }
    return weights;
}

/// The number of equally weighted points that the weighted mean is worth.
double effective_size(const std::vector<double>& weights) { return 1 / dot(weights, weights); }

double length_of(const std::vector<double>& vector) { return std::sqrt(dot(vector, vector)); }

void shorten(std::vector<double>& vector, double most) {
    const double length = length_of(vector);
    if (length > most) {
        for (double& each : vector) {
            each *= most / length;
        }
    }
}

/// The lower triangle L with L·Lᵀ = `matrix`, which is n × n. A pivot that rounding made too small is replaced.
std::vector<double> cholesky(const std::vector<double>& matrix, std::size_t n) {
    std::vector<double> factor(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= factor[i * n + k] * factor[j * n + k];
            }
            factor[i * n + j] = i == j ? std::sqrt(std::max(sum, least_variance)) : sum / factor[j * n + j];
        }
    }
    return factor;
}

/// Index of the category with this coordinate.
std::size_t category_at(const Axis& axis, double coordinate) {
    const auto found = std::ranges::lower_bound(axis.categories, coordinate);
    return std::min(static_cast<std::size_t>(found - axis.categories.begin()), axis.categories.size() - 1);
}

std::vector<double> times(const std::vector<double>& factor, const std::vector<double>& vector) {
    const std::size_t n = vector.size();
    std::vector<double> product(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
            product[i] += factor[i * n + k] * vector[k];
        }
    }
    return product;
}

/// The x with L·x = `vector`, by forward substitution.
std::vector<double> solved(const std::vector<double>& factor, std::vector<double> vector) {
    const std::size_t n = vector.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            vector[i] -= factor[i * n + k] * vector[k];
        }
        vector[i] /= factor[i * n + i];
    }
    return vector;
}

}  // namespace

int Evolution::usual_population(std::size_t num_axes) {
    return 4 + static_cast<int>(3 * std::log(static_cast<double>(std::max<std::size_t>(num_axes, 1))));
}

Evolution::Evolution(std::vector<Axis> axes, const Point& mean, int population)
    : axes_(std::move(axes)), population_(population), probabilities_(axes_.size()), step_(first_step) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        if (axes_[axis].is_categorical) {
            const auto count = axes_[axis].categories.size();
            probabilities_[axis].assign(count, 1 / static_cast<double>(count));
        } else {
            numbers_.push_back(axis);
            mean_.push_back(mean[axis]);
        }
    }
    const std::size_t n = numbers_.size();
    covariance_.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        covariance_[i * n + i] = 1;
    }
    factor_ = covariance_;
    step_path_.assign(n, 0.0);
    covariance_path_.assign(n, 0.0);
}

double Evolution::deviation(std::size_t number) const {
    return step_ * std::sqrt(covariance_[number * numbers_.size() + number]);
}

Evolution::Point Evolution::sample(CounterRandom& random) const {
    Point point(axes_.size());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        if (axes_[axis].is_categorical) {
            const auto& probabilities = probabilities_[axis];
            double left = random.uniform();
            std::size_t category = 0;
            while (category + 1 < probabilities.size() && left >= probabilities[category]) {
                left -= probabilities[category++];
            }
            point[axis] = axes_[axis].categories[category];
        }
    }
    std::vector<double> normals(numbers_.size());
    std::ranges::generate(normals, [&] { return normal(random); });
    const auto steps = times(factor_, normals);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        const double wider = std::max(1.0, least_deviation_at(axes_[numbers_[i]], mean_[i]) / deviation(i));
        point[numbers_[i]] = reflected(mean_[i] + step_ * wider * steps[i]);
    }
    return point;
}

void Evolution::update(const std::vector<Point>& ranked) {
    const auto weights = recombination_weights(ranked.size());
    move_categories(ranked, weights);
    if (!numbers_.empty()) {
        move_numbers(ranked, weights);
    }
    ++num_updates_;
}

/// The way from the mean to the point, in steps. It is 0 along axes that the point lacks.
std::vector<double> Evolution::steps_to(const Point& point) const {
    std::vector<double> steps(numbers_.size(), 0.0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double most = 3 * deviation(i) / step_;
        if (point[numbers_[i]] >= 0) {
            steps[i] = std::clamp((point[numbers_[i]] - mean_[i]) / step_, -most, most);
        }
    }
    return steps;
}

/// Moves the distribution of the numbers. Names in parentheses are those of Hansen's tutorial.
///
/// A point says nothing about a number that it lacks. So its share of the covariance there is the present covariance,
/// and the mean step is made longer along such an axis: by chance alone, it is then as long as if all points had the
/// number. Otherwise each generation would narrow the distribution along numbers that few points have.
void Evolution::move_numbers(const std::vector<Point>& ranked, const std::vector<double>& weights) {
    const std::size_t size = numbers_.size();
    const auto n = static_cast<double>(size);
    const double effective = effective_size(weights);                                            // (μ_eff)
    const double step_rate = (effective + 2) / (n + effective + 5);                              // (c_σ)
    const double damping = 1 + 2 * std::max(0.0, std::sqrt((effective - 1) / (n + 1)) - 1) + step_rate;  // (d_σ)
    const double path_rate = (4 + effective / n) / (n + 4 + 2 * effective / n);                  // (c_c)
    const double one_rate = 2 / ((n + 1.3) * (n + 1.3) + effective);                             // (c_1)
    const double many_rate =                                                                     // (c_μ)
        std::min(1 - one_rate, 2 * (0.25 + effective + 1 / effective - 2) / ((n + 2) * (n + 2) + effective));
    const double usual_length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    const double most_length = std::sqrt(n) + 2 * n / (n + 2);  // of an injected point

    const auto is_lacking = [&](std::size_t point, std::size_t number) { return ranked[point][numbers_[number]] < 0; };

    std::vector<std::vector<double>> steps;   // (y_i)
    std::vector<double> mean_step(size, 0.0);  // (y_w)
    for (std::size_t k = 0; k < weights.size(); ++k) {
        auto normals = solved(factor_, steps_to(ranked[k]));
        shorten(normals, most_length);
        steps.push_back(times(factor_, normals));
        for (std::size_t i = 0; i < size; ++i) {
            mean_step[i] += weights[k] * steps.back()[i];
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        double lacking = 0;  // share of the weights
        for (std::size_t k = 0; k < weights.size(); ++k) {
            lacking += is_lacking(k, i) ? weights[k] : 0;
        }
        mean_step[i] /= std::sqrt(std::max(1 - lacking, least_variance));
    }
    const auto mean_normals = solved(factor_, mean_step);
    for (std::size_t i = 0; i < size; ++i) {
        mean_[i] = std::clamp(mean_[i] + step_ * mean_step[i], 0.0, last_coordinate);
    }

    const double to_step_path = std::sqrt(step_rate * (2 - step_rate) * effective);
    for (std::size_t i = 0; i < size; ++i) {
        step_path_[i] = (1 - step_rate) * step_path_[i] + to_step_path * mean_normals[i];
    }
    const double length = length_of(step_path_);
    const double settled = std::sqrt(1 - std::pow(1 - step_rate, 2.0 * (num_updates_ + 1)));
    const bool is_slow = length / settled < (1.4 + 2 / (n + 1)) * usual_length;  // (h_σ)
    const double to_path = is_slow ? std::sqrt(path_rate * (2 - path_rate) * effective) : 0;
    for (std::size_t i = 0; i < size; ++i) {
        covariance_path_[i] = (1 - path_rate) * covariance_path_[i] + to_path * mean_step[i];
    }
    const double kept = 1 - one_rate - many_rate + (is_slow ? 0 : one_rate * path_rate * (2 - path_rate));
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = kept * covariance_[i * size + j] + one_rate * covariance_path_[i] * covariance_path_[j];
            for (std::size_t k = 0; k < weights.size(); ++k) {
                const bool is_unknown = is_lacking(k, i) && is_lacking(k, j);
                const double product = is_unknown ? covariance_[i * size + j] : steps[k][i] * steps[k][j];
                sum += many_rate * weights[k] * product;
            }
            covariance_[i * size + j] = covariance_[j * size + i] = i == j ? std::max(sum, least_variance) : sum;
        }
    }
    factor_ = cholesky(covariance_, size);
    step_ = std::min(step_ * std::exp(std::min(1.0, step_rate / damping * (length / usual_length - 1))), most_of_a_step);
}

void Evolution::move_categories(const std::vector<Point>& ranked, const std::vector<double>& weights) {
    const double effective = effective_size(weights);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        auto& probabilities = probabilities_[axis];
        if (probabilities.size() < 2) {
            continue;
        }
        const auto count = static_cast<double>(probabilities.size());
        const double rate = effective / (effective + count + 1);
        std::vector<double> seen(probabilities.size(), 0.0);
        double total = 0;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            if (ranked[k][axis] >= 0) {
                seen[category_at(axes_[axis], ranked[k][axis])] += weights[k];
                total += weights[k];
            }
        }
        const double least = least_of_categories / (count - 1);
        double sum = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            probabilities[i] += rate * (seen[i] - total * probabilities[i]);
            probabilities[i] = std::max(probabilities[i], std::min(least, 1 / count));
            sum += probabilities[i];
        }
        for (double& each : probabilities) {
            each /= sum;
        }
    }
}

bool Evolution::has_converged() const {
    if (numbers_.empty()) {
        return false;
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        if (deviation(i) > std::max(least_deviation, axes_[numbers_[i]].cell_length_at(mean_[i]) / 8)) {
            return false;
        }
    }
    return true;
}

}  // namespace crescendo
