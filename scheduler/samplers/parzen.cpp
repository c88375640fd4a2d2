#include "scheduler/samplers/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/space/quantiles.hpp"

namespace crescendo {

Parzen::Parzen(std::vector<Axis> axes, const std::vector<Kernel>& kernels, const Smoothing& smoothing)
    : axes_(std::move(axes)) {
    double sum = smoothing.prior_weight;
    for (const auto& kernel : kernels) {
        sum += kernel.weight;
    }
    weights_.push_back(smoothing.prior_weight / sum);
    for (const auto& kernel : kernels) {
        weights_.push_back(kernel.weight / sum);
    }
    for (const double weight : weights_) {
        log_weights_.push_back(std::log(weight));
    }
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        along_.push_back(along(axis, kernels, smoothing));
    }
}

/// The width follows Scott's rule ("Multivariate Density Estimation", 1992) with half of its factor, because good
/// trials lie in a few places, whose mixture is not normal. A prior observation of half the range keeps kernels wide if
/// a few points are alike by chance, and the least width keeps a search from closing in too soon. The factors did well
/// on the problems of benchmarks/samplers.
Parzen::Along Parzen::along(std::size_t axis, const std::vector<Kernel>& kernels, const Smoothing& smoothing) const {
    Along result;
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (const auto& [point, weight] : kernels) {
        if (point[axis] >= 0) {
            count += weight;
            sum += weight * point[axis];
            squares += weight * point[axis] * point[axis];
        }
    }
    const double mean = count > 0 ? sum / count : 0;
    const double deviation = count > 0 ? std::sqrt(std::max(squares / count - mean * mean, 0.0)) : 0;
    const double n = std::max(count, 1.0);
    const double shrink = std::exp(-std::log(n) / (static_cast<double>(axes_.size()) + 4));
    const double breadth = smoothing.breadth;
    const double least = std::max(smoothing.least_width / (1 + n), axes_[axis].cell / 2);
    result.width = std::min(breadth * std::max(0.5 * (deviation + 0.5 / n) * shrink, least), 1.0);
    result.share_of_others = breadth / (breadth + n * axes_[axis].cell);
    result.centers.push_back(0);
    result.inverse_widths.push_back(0);
    result.log_heights.push_back(0);
    for (const auto& kernel : kernels) {
        const double center = kernel.point[axis];
        const bool is_uniform = center < 0 || axes_[axis].is_categorical;
        result.centers.push_back(center);
        result.inverse_widths.push_back(is_uniform ? 0 : 1 / result.width);
        result.log_heights.push_back(
            is_uniform
                ? 0
                : -log_root_of_two_pi - std::log(result.width * (normal_probability((1 - center) / result.width) -
                                                                 normal_probability(-center / result.width))));
    }
    return result;
}

std::vector<double> Parzen::sample(CounterRandom& random) const {
    double rest = random.uniform();
    std::size_t kernel = 0;
    while (kernel + 1 < weights_.size() && rest >= weights_[kernel]) {
        rest -= weights_[kernel++];
    }
    std::vector<double> center(axes_.size(), -1);
    for (std::size_t axis = 0; kernel > 0 && axis < axes_.size(); ++axis) {
        center[axis] = along_[axis].centers[kernel];
    }
    return sample_around(center, random);
}

std::vector<double> Parzen::sample_around(std::span<const double> center, CounterRandom& random) const {
    std::vector<double> point(center.begin(), center.end());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const auto& along = along_[axis];
        if (center[axis] < 0) {
            point[axis] = random.uniform();
        } else if (axes_[axis].is_categorical) {
            point[axis] = random.uniform() < along.share_of_others ? random.uniform() : center[axis];
        } else {
            // The width is at most 1, so at least one in three draws lies inside.
            do {
                point[axis] = center[axis] + along.width * normal_quantile(std::max(random.uniform(), 0x1.0p-54));
            } while (!(point[axis] >= 0 && point[axis] <= last_coordinate));
        }
    }
    return point;
}

double Parzen::log_density(std::span<const double> point) const {
    auto logs = log_weights_;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const double x = point[axis];
        const auto& [centers, inverse_widths, log_heights, width, share] = along_[axis];
        if (x < 0) {
            continue;
        }
        if (axes_[axis].is_categorical) {
            const double same = std::log((1 - share) / axes_[axis].cell + share);
            const double other = std::log(share);
            for (std::size_t i = 1; i < logs.size(); ++i) {
                logs[i] += centers[i] < 0 ? 0 : centers[i] == x ? same : other;
            }
        } else {
            for (std::size_t i = 1; i < logs.size(); ++i) {
                const double distance = (x - centers[i]) * inverse_widths[i];
                logs[i] += log_heights[i] - distance * distance / 2;
            }
        }
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double each : logs) {
        sum += std::exp(each - largest);
    }
    return largest + std::log(sum);
}

}  // namespace crescendo
