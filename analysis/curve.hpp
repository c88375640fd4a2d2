#pragma once

#include <vector>

namespace crescendo::analysis {

/// What was known at one moment of a training or of a search.
struct Point {
    double seconds = 0;   ///< since the start, on the clock of the caller's choice
    double cost = 0;      ///< spent until then, in any one unit: slot-hours, money
    double resource = 0;  ///< consumed until then, in any one unit: epochs, steps
    double loss = 0;      ///< lower is better: a metric that is to be maximized has its sign changed before

    friend bool operator==(const Point&, const Point&) = default;
};

/// Results of one trial, or of one search, in the order of time.
class Curve {
  public:
    /// Adds a point. Its time and cost are finite and not below those of the point before; its loss is not NaN.
    void add(const Point& point);

    const std::vector<Point>& points() const { return points_; }

  private:
    std::vector<Point> points_;
};

}  // namespace crescendo::analysis
