#include "scheduler/growth/step_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/check.hpp"

namespace crescendo {
namespace {

constexpr std::size_t num_terms = 3;  // fixed, per_sample, exchange
using Terms = std::array<double, num_terms>;

/// Penalty of the fit on time that more workers do not shorten.
constexpr double ridge = 1e-3;

Terms terms_of(const Setting& at, double overlap, bool is_exposed) {
    const double share = at.batch / at.workers;
    return {1.0, is_exposed ? (1.0 - overlap) * share : share, is_exposed ? doublings(at.workers) : 0.0};
}

/// A system of normal equations, over those of the terms that are used.
struct Equations {
    std::array<Terms, num_terms> matrix{};
    Terms right{};
    std::array<bool, num_terms> is_used{true, true, true};

    void add(const Terms& terms, double value, double weight) {
        for (std::size_t i = 0; i < num_terms; ++i) {
            for (std::size_t j = 0; j < num_terms; ++j) {
                matrix[i][j] += weight * terms[i] * terms[j];
            }
            right[i] += weight * terms[i] * value;
        }
    }

    /// Gaussian elimination; the matrix is symmetric and positive definite.
    Terms solve() const {
        auto rows = matrix;
        auto values = right;
        for (std::size_t i = 0; i < num_terms; ++i) {
            if (!is_used[i]) {
                rows[i] = {};
                for (auto& row : rows) {
                    row[i] = 0;
                }
                rows[i][i] = 1;
                values[i] = 0;
            }
        }
        for (std::size_t pivot = 0; pivot < num_terms; ++pivot) {
            for (std::size_t row = pivot + 1; row < num_terms; ++row) {
                const double factor = rows[row][pivot] / rows[pivot][pivot];
                for (std::size_t column = pivot; column < num_terms; ++column) {
                    rows[row][column] -= factor * rows[pivot][column];
                }
                values[row] -= factor * values[pivot];
            }
        }
        Terms solution{};
        for (std::size_t row = num_terms; row-- > 0;) {
            double sum = values[row];
            for (std::size_t column = row + 1; column < num_terms; ++column) {
                sum -= rows[row][column] * solution[column];
            }
            solution[row] = sum / rows[row][row];
        }
        return solution;
    }
};

/// Leaves out the most negative term until none is negative. If times are hundreds of orders of magnitude apart, terms
/// become NaN, which is neither negative nor not, so the number of rounds is bounded.
Terms solve_without_negatives(Equations equations) {
    auto terms = equations.solve();
    for (std::size_t num_left_out = 0; num_left_out < num_terms; ++num_left_out) {
        const auto lowest = std::min_element(terms.begin(), terms.end());
        if (*lowest >= 0) {
            break;
        }
        equations.is_used[static_cast<std::size_t>(lowest - terms.begin())] = false;
        terms = equations.solve();
    }
    return terms;
}

double misfit(const StepModel& model, const std::vector<StepTime>& times) {
    double sum = 0;
    for (const auto& time : times) {
        const double error = model.seconds(time.at) / time.seconds - 1.0;
        sum += time.weight * error * error;
    }
    return sum;
}

/// The fit for a given overlap. Which times show some exchange follows from the previous round's fit.
StepModel fit_with(double overlap, const std::vector<StepTime>& times) {
    constexpr int num_rounds = 3;
    StepModel model{0, 0, 1, overlap};  // at first, all times show some exchange
    const double unit = times.front().seconds;
    const double unit_batch = times.front().at.batch / times.front().at.workers;
    for (int round = 0; round < num_rounds; ++round) {
        Equations equations;
        for (const auto& time : times) {
            const double hidden = overlap * model.per_sample * time.at.batch / time.at.workers;
            const bool is_exposed = model.exchange * doublings(time.at.workers) > hidden;
            equations.add(terms_of(time.at, overlap, is_exposed), time.seconds,
                          time.weight / (time.seconds * time.seconds));
        }
        const double price = ridge / (unit * unit);
        equations.matrix[0][0] += price;
        equations.matrix[1][1] += 1e-9 * price * unit_batch * unit_batch;  // so that there is a solution
        equations.matrix[2][2] += price;
        const auto terms = solve_without_negatives(equations);
        model = {terms[0], terms[1], terms[2], overlap};
        if (model.exchange == 0) {
            break;
        }
    }
    return model;
}

}  // namespace

double StepModel::seconds(const Setting& at) const {
    const double variable = per_sample * at.batch / at.workers;
    return fixed + variable + std::max(0.0, exchange * doublings(at.workers) - overlap * variable);
}

StepModel StepModel::fit(const std::vector<StepTime>& times) {
    CRESCENDO_EXPECT(!times.empty());
    std::optional<StepModel> best;
    double least = 0;
    for (const double overlap : {0.0, 0.5, 1.0}) {
        const auto model = fit_with(overlap, times);
        const double error = misfit(model, times);
        if (!best || error < 0.98 * least) {  // without a clear gain, the simpler model stays
            best = model;
            least = error;
        }
    }
    return *best;
}

double doublings(int workers) {
    CRESCENDO_EXPECT(workers >= 1);
    const int whole = static_cast<int>(std::bit_width(static_cast<unsigned>(workers))) - 1;
    const double power = static_cast<double>(std::int64_t{1} << whole);
    return whole + (workers / power - 1.0);
}

}  // namespace crescendo
