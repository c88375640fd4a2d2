#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace crescendo::datasets {

/// A laser that moves over a flat steel plate, as in laser powder bed fusion. SI units.
struct Laser {
    double power = 200;         ///< W
    double speed = 1;           ///< m/s
    double radius = 45e-6;      ///< m; standard deviation of the Gaussian beam
    double absorptivity = 0.4;  ///< share of the power that the plate absorbs
};

/// Properties of stainless steel 316L close to its melting point.
struct Steel {
    static constexpr double conductivity = 28;     ///< W/(m K)
    static constexpr double diffusivity = 5.4e-6;  ///< m²/s
    static constexpr double melting = 1700;        ///< K
    static constexpr double boiling = 3100;        ///< K
    static constexpr double before = 300;          ///< K
};

/// Temperature of the plate's surface around the laser spot, as seen by a camera that looks along the beam: a square of
/// `width` metres and size x size points that moves with the spot. The spot is at three quarters of the square's width
/// and half of its height, and moves to the right.
/// Uses the solution of T. W. Eagar and N.-S. Tsai, "Temperature fields produced by traveling distributed heat
/// sources", Welding Journal 62 (1983), for heat conducted into a half-space, from the moment the laser is switched on.
/// Ignores the heat that melting and boiling absorb.
class MeltPool {
  public:
    MeltPool(const Laser& laser, std::size_t size, double width);

    /// Advances to `time`, in seconds since the laser was switched on. Time must not go back.
    void advance_to(double time);

    /// Temperature in kelvin, row-major. Columns are along the laser's path.
    std::span<const double> temperature() const { return temperature_; }

    /// Distances from the spot in metres: of a column along the laser's path, of a row across it.
    double along(std::size_t column) const;
    double across(std::size_t row) const;

  private:
    void add_heat_of(double root, double weight);

    Laser laser_;
    std::size_t size_;
    double spacing_;
    double root_of_time_ = 0;
    std::vector<double> temperature_;
    std::vector<double> factors_;  ///< of the columns
};

}  // namespace crescendo::datasets
