#pragma once

namespace crescendo {

inline constexpr double log_root_of_two_pi = 0.91893853320467274178;

/// The number below which a standard normal variable lies with `probability`, in (0, 1). Relative error below 1e-15.
///
/// Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37(3), 1988.
double normal_quantile(double probability);

/// The probability of a standard normal variable below `x`.
double normal_probability(double x);

/// The probability of a value below `x` in the distribution Beta(a, b). Both a and b are in [1e-3, 1e5].
double beta_probability(double x, double a, double b);

/// The number below which a variable with the distribution Beta(a, b) lies with `probability`, in [0, 1). Both a and b
/// are in [1e-3, 1e5]. The error is below 1e-12, absolute and relative. A greater probability never gives a smaller
/// result.
double beta_quantile(double probability, double a, double b);

}  // namespace crescendo
