#include "scheduler/space/quantiles.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/check.hpp"

namespace crescendo {
namespace {

using Coefficients = std::array<double, 8>;  // of x^0, x^1, …

double polynomial(const Coefficients& coefficients, double x) {
    double result = 0;
    for (auto each = coefficients.rbegin(); each != coefficients.rend(); ++each) {
        result = result * x + *each;
    }
    return result;
}

// The approximations of AS 241: near the median, in the tails, and far out in the tails.
constexpr Coefficients center_numerator{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                        3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients center_denominator{1.0,
                                          4.2313330701600911252e1,
                                          6.8718700749205790830e2,
                                          5.3941960214247511077e3,
                                          2.1213794301586595867e4,
                                          3.9307895800092710610e4,
                                          2.8729085735721942674e4,
                                          5.2264952788528545610e3};
constexpr Coefficients tail_numerator{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                                      3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tail_denominator{1.0,
                                        2.05319162663775882187e0,
                                        1.67638483018380384940e0,
                                        6.89767334985100004550e-1,
                                        1.48103976427480074590e-1,
                                        1.51986665636164571966e-2,
                                        5.47593808499534494600e-4,
                                        1.05075007164441684324e-9};
constexpr Coefficients far_numerator{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                     2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_denominator{1.0,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};

/// Logarithm of the gamma function, by Stirling's series after x is moved to 12 or more. std::lgamma() differs between
/// libraries.
double log_gamma(double x) {
    double moved = 1;  // gamma(x) = gamma(x + n) / (x * (x + 1) * … * (x + n - 1))
    for (; x < 12; ++x) {
        moved *= x;
    }
    const double z = 1 / (x * x);
    const double series =
        (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * 691 / 360360))))) / x;
    return (x - 0.5) * std::log(x) - x + log_root_of_two_pi + series - std::log(moved);
}

/// The continued fraction of the incomplete beta function, by Lentz's method (Press et al., "Numerical Recipes",
/// section 6.4). It converges fast for x below (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
    constexpr double precision = 1e-16;
    constexpr double tiny = 1e-300;
    constexpr int most_steps = 10'000;  // far more than the root of the largest a or b
    const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int m = 1; m < most_steps; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        result *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        result *= d * c;
        if (std::abs(d * c - 1) <= precision) {
            break;
        }
    }
    return result;
}

/// The cumulative distribution function of Beta(a, b), and its complement.
class BetaDistribution {
  public:
    BetaDistribution(double a, double b)
        : a_(a), b_(b), log_beta_(log_gamma(a) + log_gamma(b) - log_gamma(a + b)) {}

    /// The probability of a value below x. Its relative error is small if it is below one half.
    double below(double x) const { return is_left(x) ? left(x) : 1 - right(x); }
    /// The probability of a value above x. Its relative error is small if it is below one half.
    double above(double x) const { return is_left(x) ? 1 - left(x) : right(x); }

  private:
    bool is_left(double x) const { return x < (a_ + 1) / (a_ + b_ + 2); }
    double density(double x) const { return std::exp(a_ * std::log(x) + b_ * std::log1p(-x) - log_beta_); }
    double left(double x) const { return density(x) * beta_fraction(x, a_, b_) / a_; }
    double right(double x) const { return density(x) * beta_fraction(1 - x, b_, a_) / b_; }

    double a_, b_;
    double log_beta_;
};

}  // namespace

double normal_quantile(double probability) {
    CRESCENDO_EXPECT(probability > 0 && probability < 1);
    const double q = probability - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(center_numerator, r) / polynomial(center_denominator, r);
    }
    const double r = std::sqrt(-std::log(q < 0 ? probability : 1 - probability));
    const double quantile = r <= 5
                                ? polynomial(tail_numerator, r - 1.6) / polynomial(tail_denominator, r - 1.6)
                                : polynomial(far_numerator, r - 5) / polynomial(far_denominator, r - 5);
    return q < 0 ? -quantile : quantile;
}

double normal_probability(double x) { return std::erfc(-x * 0.70710678118654752440) / 2; }

double beta_probability(double x, double a, double b) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    return BetaDistribution(a, b).below(x);
}

double beta_quantile(double probability, double a, double b) {
    CRESCENDO_EXPECT(probability >= 0 && probability < 1);
    const BetaDistribution beta(a, b);
    // Bisects the bit patterns of the doubles in [0, 1], which are in the same order as the doubles, so small numbers
    // are as exact as large ones. Whatever the rounding, a greater probability never turns left before a smaller one
    // does.
    std::uint64_t low = 0;
    std::uint64_t high = std::bit_cast<std::uint64_t>(1.0);
    while (high - low > 1) {
        const auto middle = low + (high - low) / 2;
        const double x = std::bit_cast<double>(middle);
        const bool is_below =
            probability <= 0.5 ? beta.below(x) < probability : beta.above(x) > 1 - probability;
        (is_below ? low : high) = middle;
    }
    return std::bit_cast<double>(low);
}

}  // namespace crescendo
