#pragma once

#include <vector>

namespace crescendo::analysis {

/// The state of a training or of a search at one moment.
struct Point {
    double seconds = 0;   ///< since the start, on a clock of the caller's choice
    double cost = 0;      ///< spent until then, in a unit of the caller's choice: slot-hours, money
    double resource = 0;  ///< consumed until then, in a unit of the caller's choice: epochs, steps
    double loss = 0;      ///< lower is better: the caller negates a metric to maximize

    friend bool operator==(const Point&, const Point&) = default;
};

/// Results of one trial, or of one search, in the order of time.
class Curve {
  public:
    /// Adds a point. Its time and cost must be finite and not below those of the previous point; its loss must not be
    /// NaN.
    void add(const Point& point);

    const std::vector<Point>& points() const { return points_; }

  private:
    std::vector<Point> points_;
};

}  // namespace crescendo::analysis
