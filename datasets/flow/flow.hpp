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

    /// Largest wave number that is kept along an axis.
    static std::int64_t largest_wave_number(std::size_t n) { return static_cast<std::int64_t>((n - 1) / 3); }

    /// Sets the vorticity at the points x = 2π column / n, y = 2π row / n. Its mean, which no velocity has, is dropped,
    /// and so is what is smaller than the kept wave numbers.
    void set_vorticity(std::span<const double> vorticity);

    /// A random flow that carries energy on average around the wave number `peak`, of mean energy 1/2:
    /// E(k) ~ k / (1 + (k / peak)^4) with random phases (J. C. McWilliams, "The emergence of isolated coherent vortices
    /// in turbulent flow", J. Fluid Mech. 146 (1984)). A function of seed and stream.
    void set_random(double peak, std::uint64_t seed, std::uint64_t stream);

    /// What `between_steps` throws ends it there.
    void advance(
        double time, const std::function<void()>& between_steps = [] {});

    /// Fields at the points, row-major.
    struct Fields {
        std::vector<double> u;
        std::vector<double> v;
        std::vector<double> vorticity;
    };
    Fields fields();

    /// Mean of (u² + v²) / 2, and of ω² / 2: without forces dE/dt = -2ν times the latter.
    double energy() const;
    double enstrophy() const;

    /// Energy of the wave numbers that round to k = 0, 1, …; the sum of all is energy().
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
    std::vector<double> squares_;  ///< k² by mode; 0 for those that are not kept
    std::vector<Complex> vorticity_;
    std::vector<Complex> velocity_;
    std::vector<Complex> stage_;
    std::vector<Complex> k_[4];
};

}  // namespace crescendo::datasets
