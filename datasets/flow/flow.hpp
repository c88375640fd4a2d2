#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "datasets/flow/fft.hpp"

namespace crescendo::datasets {

/// Incompressible flow in two dimensions on a periodic square of side 2π: the Navier-Stokes equations for the
/// vorticity ω = ∂v/∂x - ∂u/∂y,
///
///     ∂ω/∂t = ∂²(u² - v²)/∂x∂y + (∂²/∂y² - ∂²/∂x²)(uv) + ν ∇²ω
///
/// (the nonlinear terms are -u·∇ω; C. Basdevant, "Technical improvements for direct numerical simulation of homogeneous
/// three-dimensional turbulence", J. Comput. Phys. 50 (1983), saves transforms the same way). Pseudo-spectral, with the
/// upper third of the wave numbers removed against aliasing, the fourth-order method of Runge and Kutta, and friction
/// integrated exactly. The time step follows the velocity. Deterministic; one thread at a time.
class Flow {
  public:
    using Complex = Fft2::Complex;

    /// A fluid at rest on n x n points, n a power of two, at least 8. `viscosity` is ν, at least 0.
    Flow(std::size_t n, double viscosity);

    std::size_t size() const { return n_; }

    /// Largest wave number along an axis that is kept.
    static std::int64_t largest_wave_number(std::size_t n) { return static_cast<std::int64_t>((n - 1) / 3); }

    /// Sets the vorticity at the points x = 2π column / n, y = 2π row / n. Drops its mean, which no velocity field has,
    /// and structures finer than the kept wave numbers.
    void set_vorticity(std::span<const double> vorticity);

    /// Sets a random flow of mean energy 1/2, with most energy around the wave number `peak`: E(k) ~ k / (1 + (k /
    /// peak)^4) with random phases (J. C. McWilliams, "The emergence of isolated coherent vortices in turbulent flow",
    /// J. Fluid Mech. 146 (1984)). Depends only on `peak`, `seed` and `stream`.
    void set_random(double peak, std::uint64_t seed, std::uint64_t stream);

    /// Advances the flow by `time`. Calls `between_steps` between steps; an exception from it ends the call there.
    void advance(
        double time, const std::function<void()>& between_steps = [] {});

    /// Velocity and vorticity at the points, row-major.
    struct Fields {
        std::vector<double> u;
        std::vector<double> v;
        std::vector<double> vorticity;
    };
    Fields fields();

    /// Means of (u² + v²) / 2 and of ω² / 2. Without forces, d(energy)/dt = -2ν · enstrophy.
    double energy() const;
    double enstrophy() const;

    /// Energy of the modes whose wave number rounds to k = 0, 1, …; they sum to energy().
    std::vector<double> spectrum() const;

  private:
    template <class Function>
    void for_each_mode(const Function& function) const;
    double energy_of(std::size_t mode) const;
    double wave_number(std::size_t index) const;
    void to_velocity(std::span<const Complex> vorticity, std::span<Complex> velocity) const;
    double change(std::span<const Complex> vorticity, std::span<Complex> result);
    void step(double longest, double& left);

    std::size_t n_;
    double viscosity_;
    Fft2 fft_;
    std::vector<double> squares_;  ///< k² by mode; 0 for modes that are not kept
    std::vector<Complex> vorticity_;
    std::vector<Complex> velocity_;
    std::vector<Complex> stage_;
    std::vector<Complex> k_[4];
};

}  // namespace crescendo::datasets
