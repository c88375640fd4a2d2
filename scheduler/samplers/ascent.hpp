#pragma once

#include <functional>
#include <vector>

namespace crescendo {

/// A function's value at a point, and its derivatives with respect to the coordinates.
struct Height {
    double value;
    std::vector<double> gradient;
};

/// Step lengths of an ascent, and when it ends.
struct Ascent {
    int most_steps;
    double longest_step;  ///< largest change of a coordinate in one step
    double least_step;    ///< the ascent ends if no coordinate would change by more
};

/// The range [low, high] of each coordinate of a point. The ascent's start must be inside.
struct Box {
    std::vector<double> low;
    std::vector<double> high;
};

/// Climbs from `from` to a local maximum of a function, by L-BFGS (Nocedal, "Updating Quasi-Newton Matrices with
/// Limited Storage", 1980), and returns the highest point that it reaches. A coordinate stays at a border of the box
/// while the function rises beyond it. Uses only +, -, * and / besides the function itself.
std::vector<double> ascend(const std::function<Height(const std::vector<double>&)>& function, std::vector<double> from,
                           const Box& box, const Ascent& ascent);

}  // namespace crescendo
