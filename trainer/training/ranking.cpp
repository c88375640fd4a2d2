#include "trainer/training/ranking.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <numeric>
#include <utility>

namespace crescendo::trainer {

namespace {

/// The log-odds of each class, as float32: its output minus the logarithm of the other classes' sum of exponentials.
/// NaN, from a diverged model, counts as even odds.
at::Tensor log_odds_of(const at::Tensor& outputs) {
    const at::Tensor exact = outputs.to(at::kDouble);
    if (exact.size(1) == 2) {
        return (exact - exact.flip(1)).to(at::kFloat).nan_to_num(0);
    }
    const at::Tensor log_shares = exact.log_softmax(1);
    // The share of the most likely class may round to 1, so its log-odds cannot be computed from it.
    const at::Tensor is_likeliest =
        at::arange(exact.size(1), exact.options().dtype(at::kLong)) == exact.argmax(1, true);
    const at::Tensor others =
        exact.masked_fill(is_likeliest, -std::numeric_limits<double>::infinity()).logsumexp(1, /*keepdim=*/true);
    return at::where(is_likeliest, exact - others, log_shares - at::log1p(-log_shares.exp()))
        .to(at::kFloat)
        .nan_to_num(0);
}

/// Whether a sample is among the one in 2^level that remain. Knuth's multiplicative hash spreads consecutive and
/// equally spaced numbers.
bool stays(std::int64_t sample, int level) {
    const std::uint32_t hash = static_cast<std::uint32_t>(sample) * std::uint32_t{2654435761};
    return level == 0 || hash >> (32 - level) == 0;
}

/// The numbers of all members, in the order of ranks.
at::Tensor of_all(const Group& group, const at::Tensor& own) {
    if (group.size() == 1) {
        return own;
    }
    std::vector<double> counts(static_cast<std::size_t>(group.size()), 0.0);
    counts[static_cast<std::size_t>(group.rank())] = static_cast<double>(own.size(0));
    counts = group.sum(counts);
    const auto begin = std::accumulate(counts.begin(), counts.begin() + group.rank(), 0.0);
    const auto count = std::accumulate(counts.begin(), counts.end(), 0.0);
    at::Tensor all = at::zeros({static_cast<std::int64_t>(count)}, own.options());
    if (count > 0) {
        all.narrow(0, static_cast<std::int64_t>(begin), own.size(0)).copy_(own);
        group.sum(all);
        group.finish();
    }
    return all;
}

double num_of(const at::Tensor& mask) { return static_cast<double>(mask.sum().item<std::int64_t>()); }

}  // namespace

Ranking::Ranking(std::int64_t num_classes, std::int64_t most_scores)
    : num_classes_(num_classes), most_scores_(most_scores) {}

/// The lowest level at which `samples` samples, of all members, fit into `most_scores_`.
int Ranking::level_of(std::int64_t samples) const {
    int level = 0;
    while ((samples >> level) * num_classes_ > most_scores_) {
        ++level;
    }
    return level;
}

void Ranking::add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples) {
    added_ += outputs.size(0);
    keep(log_odds_of(outputs), targets, samples);
    if (static_cast<std::int64_t>(samples_.size()) * num_classes_ > most_scores_) {
        thin_out(level_of(added_));
    }
}

/// Stores the samples that remain at the present level.
void Ranking::keep(at::Tensor log_odds, at::Tensor targets, const std::vector<std::int64_t>& samples) {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (stays(samples[i], level_)) {
            places.push_back(static_cast<std::int64_t>(i));
            samples_.push_back(samples[i]);
        }
    }
    if (places.size() < samples.size()) {
        const at::Tensor index = at::tensor(places, at::kLong).to(targets.device());
        log_odds = log_odds.index_select(0, index);
        targets = targets.index_select(0, index);
    }
    log_odds_.push_back(std::move(log_odds));
    targets_.push_back(std::move(targets));
}

void Ranking::thin_out(int level) {
    if (level == level_ || log_odds_.empty()) {
        return;
    }
    level_ = level;
    const at::Tensor log_odds = at::cat(std::exchange(log_odds_, {}));
    const at::Tensor targets = at::cat(std::exchange(targets_, {}));
    keep(log_odds, targets, std::exchange(samples_, {}));
}

std::vector<double> Ranking::sums(const Group& group) const {
    Ranking kept = *this;
    kept.thin_out(level_of(static_cast<std::int64_t>(group.sum({static_cast<double>(added_)}).front())));
    const auto options = at::TensorOptions(group.device().place()).dtype(at::kFloat);
    const at::Tensor log_odds =
        kept.log_odds_.empty() ? at::empty({0, num_classes_}, options) : at::cat(kept.log_odds_);
    const at::Tensor targets =
        kept.log_odds_.empty() ? at::empty({0}, options.dtype(at::kLong)) : at::cat(kept.targets_);
    // Each member compares the group's samples of a class with its own samples of other classes.
    const at::Tensor right = of_all(group, log_odds.gather(1, targets.unsqueeze(1)).squeeze(1));
    const at::Tensor classes = of_all(group, targets);
    const auto num_classes = static_cast<std::size_t>(num_classes_);
    std::vector<double> sums(3 * num_classes);
    for (std::size_t i = 0; i < num_classes; ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const at::Tensor has_class = targets == number;
        const at::Tensor own = right.masked_select(classes == number);
        const at::Tensor others = std::get<0>(log_odds.select(1, number).masked_select(~has_class).sort());
        const at::Tensor below = at::searchsorted(others, own);
        const at::Tensor not_above = at::searchsorted(others, own, /*out_int32=*/false, /*right=*/true);
        sums[i] = num_of(below + not_above) / 2;
        sums[num_classes + i] = num_of(has_class);
        sums[2 * num_classes + i] = static_cast<double>(others.size(0));
    }
    return sums;
}

double mean_area(const double* sums, std::size_t num_classes) {
    double areas = 0;
    double count = 0;
    for (std::size_t i = 0; i < num_classes; ++i) {
        const double pairs = sums[num_classes + i] * sums[2 * num_classes + i];
        if (pairs > 0) {
            areas += sums[i] / pairs;
            count += 1;
        }
    }
    return areas / count;
}

}  // namespace crescendo::trainer
