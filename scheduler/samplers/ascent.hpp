#pragma once

#include <functional>
#include <vector>

namespace crescendo {

/// A function's value at a point, and its derivatives by the coordinates.
struct Height {
    double value;
    std::vector<double> gradient;
};

/// How an ascent goes, and where it ends.
struct Ascent {
    int most_steps;
    double longest_step;  ///< of a coordinate
    double least_step;    ///< it ends where no coordinate is to go farther
};

/// The coordinates that a point may have: those of `from` are in [low, high].
struct Box {
    std::vector<double> low;
    std::vector<double> high;
};

/// Goes up from `from` to a local maximum of a function, by L-BFGS (Nocedal, "Updating Quasi-Newton Matrices with
/// Limited Storage", 1980), and returns the highest point that it comes to. A coordinate stays at a border of the box
/// while the function rises beyond it. Only +, -, * and / are used beside the function itself.
std::vector<double> ascend(const std::function<Height(const std::vector<double>&)>& function, std::vector<double> from,
                           const Box& box, const Ascent& ascent);

}  // namespace crescendo
