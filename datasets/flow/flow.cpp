#include "datasets/flow/flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/random.hpp"

namespace crescendo::datasets {
namespace {

constexpr double courant = 0.5;  ///< cells that the fastest fluid crosses per step

Flow::Complex times_i(Flow::Complex value) { return {-value.imag(), value.real()}; }

}  // namespace

Flow::Flow(std::size_t n, double viscosity)
    : n_(n),
      viscosity_(viscosity),
      fft_(n),
      squares_(n * n),
      vorticity_(n * n),
      velocity_(n * n),
      stage_(n * n),
      k_{std::vector<Complex>(n * n), std::vector<Complex>(n * n), std::vector<Complex>(n * n),
         std::vector<Complex>(n * n)} {
    CRESCENDO_EXPECT(n >= 8 && viscosity >= 0);
    const auto largest = static_cast<double>(largest_wave_number(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double kx = wave_number(i);
            const double ky = wave_number(j);
            const bool kept = std::abs(kx) <= largest && std::abs(ky) <= largest;
            squares_[i * n + j] = kept ? kx * kx + ky * ky : 0.0;
        }
    }
}

double Flow::wave_number(std::size_t index) const {
    return index <= n_ / 2 ? static_cast<double>(index) : static_cast<double>(index) - static_cast<double>(n_);
}

/// Calls function(mode, its opposite, kx, ky) for the modes that are kept. Coefficients are stored as [kx][ky], as Fft2
/// leaves them.
template <class Function>
void Flow::for_each_mode(const Function& function) const {
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            const auto mode = i * n_ + j;
            if (squares_[mode] > 0) {
                const auto opposite = (n_ - i) % n_ * n_ + (n_ - j) % n_;
                function(mode, opposite, wave_number(i), wave_number(j));
            }
        }
    }
}

void Flow::set_vorticity(std::span<const double> vorticity) {
    CRESCENDO_EXPECT(vorticity.size() == n_ * n_);
    std::copy(vorticity.begin(), vorticity.end(), vorticity_.begin());
    fft_.forward(vorticity_);
    for (std::size_t mode = 0; mode < vorticity_.size(); ++mode) {
        if (squares_[mode] == 0) {
            vorticity_[mode] = 0;
        }
    }
}

void Flow::set_random(double peak, std::uint64_t seed, std::uint64_t stream) {
    CounterRandom random(seed, stream);
    std::fill(vorticity_.begin(), vorticity_.end(), Complex{});
    for_each_mode([&](std::size_t mode, std::size_t opposite, double, double) {
        if (mode > opposite) {  // the opposite has the conjugate, because the fields are real
            return;
        }
        const double k = std::sqrt(squares_[mode]);
        // E(k), divided by the 2πk modes of that wave number, gives |u|², and |ω| = k |u|.
        const double amplitude = k * std::sqrt(1.0 / (1.0 + std::pow(k / peak, 4)));
        vorticity_[mode] = std::polar(amplitude, 2 * std::numbers::pi * random.uniform());
        vorticity_[opposite] = std::conj(vorticity_[mode]);
    });
    const double scale = std::sqrt(0.5 / energy());
    for (auto& value : vorticity_) {
        value = scale * value;
    }
}

/// Computes the coefficients of u + iv, so that one transform gives both: û = i ky ω̂ / k², v̂ = -i kx ω̂ / k².
void Flow::to_velocity(std::span<const Complex> vorticity, std::span<Complex> velocity) const {
    std::fill(velocity.begin(), velocity.end(), Complex{});
    for_each_mode([&](std::size_t mode, std::size_t, double kx, double ky) {
        const auto stream_function = (1 / squares_[mode]) * vorticity[mode];
        velocity[mode] = kx * stream_function + ky * times_i(stream_function);
    });
}

/// Computes the nonlinear change of the vorticity. Returns the largest speed along an axis.
double Flow::change(std::span<const Complex> vorticity, std::span<Complex> result) {
    to_velocity(vorticity, velocity_);
    fft_.inverse(velocity_);
    double fastest = 0;
    for (auto& velocity : velocity_) {
        const double u = velocity.real();
        const double v = velocity.imag();
        fastest = std::max({fastest, std::abs(u), std::abs(v)});
        velocity = {u * u - v * v, u * v};
    }
    fft_.forward(velocity_);
    std::fill(result.begin(), result.end(), Complex{});
    for_each_mode([&](std::size_t mode, std::size_t opposite, double kx, double ky) {
        // Two real fields were transformed as one complex field: the Hermitian part belongs to the first.
        const auto mirror = std::conj(velocity_[opposite]);
        const auto difference = 0.5 * (velocity_[mode] + mirror);       // of u² - v²
        const auto product = -0.5 * times_i(velocity_[mode] - mirror);  // of uv
        result[mode] = (-kx * ky) * difference + (kx * kx - ky * ky) * product;
    });
    return fastest;
}

/// Makes one step, no longer than `longest` or `left`, and subtracts its length from `left`.
void Flow::step(double longest, double& left) {
    const double fastest = change(vorticity_, k_[0]);
    const double cell = 2 * std::numbers::pi / static_cast<double>(n_);
    const double limit = fastest > 0 ? std::min(longest, courant * cell / fastest) : longest;
    const double dt = limit < left ? limit : left;
    left = limit < left ? left - limit : 0;

    const auto& w = vorticity_;
    std::vector<double> half(squares_.size());  // factors by which friction damps in half a step
    for (std::size_t m = 0; m < half.size(); ++m) {
        half[m] = std::exp(-viscosity_ * squares_[m] * dt / 2);
        stage_[m] = half[m] * (w[m] + (dt / 2) * k_[0][m]);
    }
    change(stage_, k_[1]);
    for (std::size_t m = 0; m < half.size(); ++m) {
        stage_[m] = half[m] * w[m] + (dt / 2) * k_[1][m];
    }
    change(stage_, k_[2]);
    for (std::size_t m = 0; m < half.size(); ++m) {
        stage_[m] = half[m] * (half[m] * w[m] + dt * k_[2][m]);
    }
    change(stage_, k_[3]);
    for (std::size_t m = 0; m < half.size(); ++m) {
        const auto middle = 2.0 * (k_[1][m] + k_[2][m]);
        vorticity_[m] = half[m] * (half[m] * (w[m] + (dt / 6) * k_[0][m]) + (dt / 6) * middle) + (dt / 6) * k_[3][m];
    }
}

void Flow::advance(double time, const std::function<void()>& between_steps) {
    constexpr double longest = 0.1;
    for (double left = time; left > 0;) {
        between_steps();
        step(longest, left);
    }
}

Flow::Fields Flow::fields() {
    Fields result{std::vector<double>(n_ * n_), std::vector<double>(n_ * n_), std::vector<double>(n_ * n_)};
    to_velocity(vorticity_, velocity_);
    fft_.inverse(velocity_);
    stage_ = vorticity_;
    fft_.inverse(stage_);
    for (std::size_t point = 0; point < velocity_.size(); ++point) {
        result.u[point] = velocity_[point].real();
        result.v[point] = velocity_[point].imag();
        result.vorticity[point] = stage_[point].real();
    }
    return result;
}

/// (|û|² + |v̂|²) / 2 = |ω̂|² / 2k², with Parseval's factor.
double Flow::energy_of(std::size_t mode) const {
    const auto points = static_cast<double>(n_ * n_);
    return std::norm(vorticity_[mode]) / (2 * squares_[mode] * points * points);
}

double Flow::energy() const {
    double sum = 0;
    for_each_mode([&](std::size_t mode, std::size_t, double, double) { sum += energy_of(mode); });
    return sum;
}

double Flow::enstrophy() const {
    double sum = 0;
    for_each_mode([&](std::size_t mode, std::size_t, double, double) { sum += squares_[mode] * energy_of(mode); });
    return sum;
}

std::vector<double> Flow::spectrum() const {
    std::vector<double> result(n_);
    for_each_mode([&](std::size_t mode, std::size_t, double, double) {
        result[static_cast<std::size_t>(std::lround(std::sqrt(squares_[mode])))] += energy_of(mode);
    });
    return result;
}

}  // namespace crescendo::datasets
