#include "scheduler/samplers/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/samplers/dot.hpp"

namespace crescendo {
namespace {

using Vector = std::vector<double>;

/// Square of the distance between two coordinates.
double squared_distance(const Axis& axis, double a, double b) {
    if (a < 0 || b < 0) {
        return (a < 0) == (b < 0) ? 0 : 1;
    }
    if (axis.is_categorical) {
        return a == b ? 0 : 1;  // each category has one coordinate
    }
    return (a - b) * (a - b);
}

/// √5 times the distance between two points, in units of the lengths.
double scaled_distance(const std::vector<Axis>& axes, const double* a, const double* b, const Vector& lengths) {
    double sum = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        sum += squared_distance(axes[axis], a[axis], b[axis]) / (lengths[axis] * lengths[axis]);
    }
    return std::sqrt(5 * sum);
}

double matern(double scaled) { return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled); }

/// A square matrix, column by column. Only elements on and below the diagonal are used.
struct Matrix {
    std::size_t n;
    Vector numbers;

    explicit Matrix(std::size_t size) : n(size), numbers(size * size) {}
    double* column(std::size_t k) { return numbers.data() + k * n; }
};

/// Covariances of values seen at the points.
Matrix covariances(const std::vector<Axis>& axes, const Vector& points, const GaussianProcess::Settings& settings) {
    Matrix result(axes.empty() ? 0 : points.size() / axes.size());
    for (std::size_t k = 0; k < result.n; ++k) {
        double* column = result.column(k);
        column[k] = settings.variance + settings.noise;
        for (std::size_t i = k + 1; i < result.n; ++i) {
            const double* a = &points[i * axes.size()];
            const double* b = &points[k * axes.size()];
            column[i] = settings.variance * matern(scaled_distance(axes, a, b, settings.lengths));
        }
    }
    return result;
}

/// Replaces the matrix by its Cholesky factor. Inner loops run down columns, so that compilers can vectorize them
/// without changing the order of any sum.
void factorize(Matrix& matrix) {
    for (std::size_t k = 0; k < matrix.n; ++k) {
        double* pivot = matrix.column(k);
        const double root = std::sqrt(std::max(pivot[k], 1e-12));  // rounding may take a little too much
        for (std::size_t i = k; i < matrix.n; ++i) {
            pivot[i] /= root;
        }
        pivot[k] = root;
        for (std::size_t j = k + 1; j < matrix.n; ++j) {
            double* column = matrix.column(j);
            const double factor = pivot[j];
            for (std::size_t i = j; i < matrix.n; ++i) {
                column[i] -= factor * pivot[i];
            }
        }
    }
}

/// Solves L x = b in place, for the first b.size() rows. Rows of b before `first` are 0.
void solve_lower(const double* factor, std::size_t n, Vector& b, std::size_t first = 0) {
    for (std::size_t k = first; k < b.size(); ++k) {
        const double* column = factor + k * n;
        b[k] /= column[k];
        const double x = b[k];
        for (std::size_t i = k + 1; i < b.size(); ++i) {
            b[i] -= x * column[i];
        }
    }
}

/// Solves Lᵀ x = b in place, for the first b.size() rows. Rows of x before `first` are not computed.
void solve_upper(const double* factor, std::size_t n, Vector& b, std::size_t first = 0) {
    for (std::size_t k = b.size(); k-- > first;) {
        const double* column = factor + k * n;
        for (std::size_t i = k + 1; i < b.size(); ++i) {
            b[k] -= column[i] * b[i];
        }
        b[k] /= column[k];
    }
}

/// A normal density of a logarithm: its own logarithm, and the derivative of that.
struct LogNormalPrior {
    double mean;
    double deviation;

    double log_density(double log) const { return -0.5 * (log - mean) * (log - mean) / (deviation * deviation); }
    double slope(double log) const { return (mean - log) / (deviation * deviation); }
};

/// A normal density of the logarithms of n lengths. Each has a variance of 3: its own part is 3/n, and the rest is
/// shared by all. Without a shared part, the most probable lengths after few results in many dimensions would be so
/// long for most axes that these axes made no difference.
class PriorOfLengths {
  public:
    explicit PriorOfLengths(const Vector& lengths)
        : logs_(lengths), own_(variance / static_cast<double>(logs_.size())) {
        const auto n = static_cast<double>(logs_.size());
        double sum = 0;
        for (double& each : logs_) {
            each = std::log(each) - (std::sqrt(2.0) + 0.5 * std::log(n));
            sum += each;
        }
        const double shared = variance - own_;
        share_ = sum * shared / (own_ + n * shared);
        log_density_ = -0.5 * (dot(logs_, logs_) - share_ * sum) / own_;
    }

    double log_density() const { return log_density_; }
    double slope(std::size_t axis) const { return (share_ - logs_[axis]) / own_; }

  private:
    static constexpr double variance = 3;

    Vector logs_;  // around the mean
    double own_;
    double share_;  // the part of the logarithms that all lengths most probably share
    double log_density_;
};

constexpr LogNormalPrior prior_of_variance{0, 2};
constexpr double rate_of_noise = 100;  // of the exponential prior, whose mean is a hundredth of the values' variance
constexpr double least_noise = 1e-8;   // keeps the matrix of covariances from being singular

/// Settings from the logarithms of the lengths, of the variance, and of the noise above its least value.
GaussianProcess::Settings settings_of(std::span<const double> logs) {
    GaussianProcess::Settings settings;
    for (const double log : logs.first(logs.size() - 2)) {
        settings.lengths.push_back(std::exp(std::clamp(log, -7.0, 7.0)));
    }
    settings.variance = std::exp(std::clamp(logs[logs.size() - 2], -5.0, 8.0));
    settings.noise = least_noise + std::exp(std::clamp(logs.back(), -30.0, 2.0));
    return settings;
}

}  // namespace

GaussianProcess::GaussianProcess(const std::vector<Axis>& axes, const Points& points, const Vector& values,
                                 const Points& pending, Settings settings)
    : axes_(axes), points_(points), values_(values), settings_(std::move(settings)), weights_(values) {
    points_.insert(points_.end(), pending.begin(), pending.end());
    auto matrix = covariances(axes_, points_, settings_);
    factorize(matrix);
    solve_lower(matrix.column(0), matrix.n, weights_);
    solve_upper(matrix.column(0), matrix.n, weights_);
    factor_ = std::move(matrix.numbers);
}

GaussianProcess::Normal GaussianProcess::at(std::span<const double> point) const {
    const std::size_t n = points_.size() / axes_.size();
    Vector likeness(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double scaled = scaled_distance(axes_, point.data(), &points_[i * axes_.size()], settings_.lengths);
        likeness[i] = settings_.variance * matern(scaled);
    }
    return normal(likeness);
}

GaussianProcess::Slope GaussianProcess::slope_at(std::span<const double> point) const {
    const std::size_t n = points_.size() / axes_.size();
    Vector likeness(n);
    Vector falls(n);  // its derivative with respect to half of the squared distance in lengths
    for (std::size_t i = 0; i < n; ++i) {
        const double scaled = scaled_distance(axes_, point.data(), &points_[i * axes_.size()], settings_.lengths);
        likeness[i] = settings_.variance * matern(scaled);
        falls[i] = -settings_.variance * (1 + scaled) * std::exp(-scaled) * 5 / 3;
    }
    Slope result{normal(likeness), Vector(axes_.size()), Vector(axes_.size())};
    solve_upper(factor_.data(), n, likeness);
    for (std::size_t i = 0; i < n; ++i) {
        const double* other = &points_[i * axes_.size()];
        const double by_mean = i < weights_.size() ? weights_[i] * falls[i] : 0;
        const double by_deviation = -likeness[i] * falls[i] / result.belief.deviation;
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            if (!axes_[axis].is_categorical && point[axis] >= 0 && other[axis] >= 0) {
                const double step = (point[axis] - other[axis]) / (settings_.lengths[axis] * settings_.lengths[axis]);
                result.mean[axis] += by_mean * step;
                result.deviation[axis] += by_deviation * step;
            }
        }
    }
    return result;
}

/// `likeness` becomes the solution of L x = likeness.
GaussianProcess::Normal GaussianProcess::normal(Vector& likeness) const {
    double mean = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        mean += weights_[i] * likeness[i];
    }
    solve_lower(factor_.data(), likeness.size(), likeness);
    return {mean, std::sqrt(std::max(settings_.variance - dot(likeness, likeness), 1e-12))};
}

Height GaussianProcess::evidence(const std::vector<Axis>& axes, const Points& points, const Vector& values,
                                 const Settings& settings) {
    auto factor = covariances(axes, points, settings);
    factorize(factor);
    const std::size_t n = factor.n;
    Vector weights = values;
    solve_lower(factor.column(0), n, weights);
    solve_upper(factor.column(0), n, weights);

    const double fit = dot(values, weights);
    Height result{-0.5 * fit, Vector(axes.size() + 2)};
    for (std::size_t i = 0; i < n; ++i) {
        result.value -= std::log(factor.column(i)[i]);
    }
    // The derivative with respect to a logarithm t is ½ Σ (w wᵀ - K⁻¹) dK/dt, over all elements of the matrices.
    double by_noise = 0;
    for (std::size_t k = 0; k < n; ++k) {
        Vector inverse(n);  // a column of K⁻¹, from its diagonal down
        inverse[k] = 1;
        solve_lower(factor.column(0), n, inverse, k);
        solve_upper(factor.column(0), n, inverse, k);
        by_noise += 0.5 * (weights[k] * weights[k] - inverse[k]) * settings.noise;
        for (std::size_t i = k + 1; i < n; ++i) {
            const double* a = &points[i * axes.size()];
            const double* b = &points[k * axes.size()];
            const double scaled = scaled_distance(axes, a, b, settings.lengths);
            const double slope =
                (weights[i] * weights[k] - inverse[i]) * settings.variance * (1 + scaled) * std::exp(-scaled) * 5 / 3;
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                result.gradient[axis] += slope * squared_distance(axes[axis], a[axis], b[axis]) /
                                         (settings.lengths[axis] * settings.lengths[axis]);
            }
        }
    }
    const PriorOfLengths prior_of_lengths(settings.lengths);
    result.value += prior_of_lengths.log_density();
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        result.gradient[axis] += prior_of_lengths.slope(axis);
    }
    const double log_variance = std::log(settings.variance);
    result.value += prior_of_variance.log_density(log_variance) - rate_of_noise * settings.noise;
    // dK/dt of the variance is K without the noise, and Σ w wᵀ K = yᵀ w.
    result.gradient[axes.size()] =
        0.5 * (fit - static_cast<double>(n)) - by_noise + prior_of_variance.slope(log_variance);
    result.gradient.back() = by_noise - rate_of_noise * settings.noise;
    return result;
}

GaussianProcess::Settings GaussianProcess::fit(const std::vector<Axis>& axes, const Points& points,
                                               const Vector& values) {
    const auto look = [&](const Vector& logs) {
        const auto settings = settings_of(logs);
        auto result = evidence(axes, points, values, settings);
        result.gradient.back() *= 1 - least_noise / settings.noise;  // for the logarithm of the noise above the least
        return result;
    };
    Vector at(axes.size(), std::log(0.5));
    at.insert(at.end(), {prior_of_variance.mean, -4});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Box everywhere{Vector(at.size(), -infinity), Vector(at.size(), infinity)};
    return settings_of(
        ascend(look, std::move(at), everywhere, {.most_steps = 40, .longest_step = 1, .least_step = 1e-3}));
}

}  // namespace crescendo
