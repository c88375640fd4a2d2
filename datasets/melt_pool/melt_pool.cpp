#include "datasets/melt_pool/melt_pool.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// Number of times at which an interval's heat is summed. This many give the temperature within a thousandth.
constexpr int times_of_an_interval = 48;

}  // namespace

MeltPool::MeltPool(const Laser& laser, std::size_t size, double width)
    : laser_(laser),
      size_(size),
      spacing_(width / static_cast<double>(size)),
      temperature_(size * size, Steel::before),
      factors_(size) {
    CRESCENDO_EXPECT(size > 0 && width > 0 && laser.radius > 0 && laser.speed > 0);
}

double MeltPool::along(std::size_t column) const {
    return (static_cast<double>(column) + 0.5 - 0.75 * static_cast<double>(size_)) * spacing_;
}

double MeltPool::across(std::size_t row) const {
    return (static_cast<double>(row) + 0.5 - 0.5 * static_cast<double>(size_)) * spacing_;
}

void MeltPool::advance_to(double time) {
    // Integrates over the age of the heat. Using the root of the age as the variable removes the pole of young heat.
    const double end = std::sqrt(time);
    CRESCENDO_EXPECT(end >= root_of_time_);
    const double step = (end - root_of_time_) / times_of_an_interval;
    for (int i = 0; i < times_of_an_interval; ++i) {
        add_heat_of(root_of_time_ + (i + 0.5) * step, step);
    }
    root_of_time_ = end;
}

/// Adds the temperature from heat of age root². Ages [0, t] give the temperature at time t, so a later time only adds
/// older heat.
void MeltPool::add_heat_of(double root, double weight) {
    const double age = root * root;
    const double radius2 = laser_.radius * laser_.radius;
    const double spread = 2 * Steel::diffusivity * age + radius2;
    const double heat = laser_.absorptivity * laser_.power * std::sqrt(Steel::diffusivity) /
                        (Steel::conductivity * std::pow(std::numbers::pi, 1.5) * spread) * weight;
    for (std::size_t column = 0; column < size_; ++column) {
        const double behind = along(column) + laser_.speed * age;  // distance from where the spot was then
        factors_[column] = heat * std::exp(-behind * behind / (2 * spread));
    }
    for (std::size_t row = 0; row < size_; ++row) {
        const double aside = across(row);
        const double factor = std::exp(-aside * aside / (2 * spread));
        const auto first = temperature_.begin() + static_cast<std::ptrdiff_t>(row * size_);
        std::transform(factors_.begin(), factors_.end(), first, first,
                       [&](double of_column, double kelvin) { return kelvin + factor * of_column; });
    }
}

}  // namespace crescendo::datasets
