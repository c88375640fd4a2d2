#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace crescendo::datasets {

/// A laser that crosses a flat plate of steel, as in laser powder bed fusion. SI units.
struct Laser {
    double power = 200;         ///< W
    double speed = 1;           ///< m/s
    double radius = 45e-6;      ///< m; standard deviation of the Gaussian beam
    double absorptivity = 0.4;  ///< share of the power that the plate takes up
};

/// Stainless steel 316L close to its melting point.
struct Steel {
    static constexpr double conductivity = 28;     ///< W/(m K)
    static constexpr double diffusivity = 5.4e-6;  ///< m²/s
    static constexpr double melting = 1700;        ///< K
    static constexpr double boiling = 3100;        ///< K
    static constexpr double before = 300;          ///< K
};

/// Temperature of the plate's surface around the spot, which a camera sees that looks along the laser's beam: a square
/// of `width` metres and size x size points that moves with the spot. The spot is at three quarters of the square's
/// width and half of its height, and moves to the right.
///
/// The solution of T. W. Eagar and N.-S. Tsai, "Temperature fields produced by traveling distributed heat sources",
/// Welding Journal 62 (1983), for heat that is conducted into a half-space, from the moment the laser is switched on.
/// What melting and boiling take up is left out.
class MeltPool {
  public:
    MeltPool(const Laser& laser, std::size_t size, double width);

    /// Lets time pass until `time`, in seconds since the laser was switched on. It never goes back.
    void advance_to(double time);

    /// Kelvin, row by row; a column is the way along the laser's path.
    std::span<const double> temperature() const { return temperature_; }

    /// Distance of a column from the spot along the laser's path, and of a row across it, in metres.
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
