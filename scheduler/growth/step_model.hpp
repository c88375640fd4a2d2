#pragma once

#include <compare>
#include <vector>

namespace crescendo {

/// Workers and batch of a group.
struct Setting {
    int workers = 1;
    double batch = 1;  ///< samples in a step of the whole group, in any unit

    friend auto operator<=>(const Setting&, const Setting&) = default;
};

/// How long a step took.
struct StepTime {
    Setting at;
    double seconds = 0;
    double weight = 1;  ///< how much it counts in a fit
};

/// A throughput model: the seconds of a step of W workers with a group's batch b.
///
///     T(W, b) = compute + exposed,  compute = fixed + per_sample * b / W
///     exposed = max(0, exchange * log2(W) - overlap * per_sample * b / W)
///
/// The exchange of gradients runs beside the backward pass: a share `overlap` of the time that grows with the batch
/// hides as much of it. No parameter is negative.
struct StepModel {
    double fixed = 0;
    double per_sample = 0;
    double exchange = 0;
    double overlap = 0;

    double seconds(const Setting& at) const;

    /// The model that fits best: weighted least squares of relative errors. What the times do not determine is as small
    /// as possible, so times of one worker alone predict that twice the workers are twice as fast. `times` is not
    /// empty, and its seconds are > 0. Equal times give equal models, bit for bit: only +, -, * and / are used.
    static StepModel fit(const std::vector<StepTime>& times);
};

/// log2 of powers of two, and linear between them.
double doublings(int workers);

}  // namespace crescendo
