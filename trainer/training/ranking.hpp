#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/group/group.hpp"

namespace crescendo::trainer {

/// Ranks the samples of an evaluation by the log-odds that a network gives each class, to compute areas under ROC
/// curves. The area of a class is the share of pairs, of one sample of the class and one of another class, in which the
/// former has the higher log-odds; ties count as half (Hanley and McNeil, Radiology 1982).
///
/// A member keeps the float32 log-odds of its samples on the device, so areas are exact, whatever the distances between
/// log-odds. The memory is bounded: in a larger evaluation, samples are thinned out by a hash of their numbers. Which
/// samples remain depends on the number of samples, but not on the number of members that share them.
class Ranking {
  public:
    /// Up to `most_scores` log-odds (samples times classes) in an evaluation, no sample is left out.
    explicit Ranking(std::int64_t num_classes, std::int64_t most_scores = std::int64_t{1} << 25);

    /// Adds samples. `outputs` (samples, classes), `targets` (samples) of int64; `samples` are their numbers in the
    /// set.
    void add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples);

    /// Numbers to sum over the group's members: for each class its won pairs, then for each class its samples, then for
    /// each class the samples of other classes. All members must call it together. Throws PeerLost.
    std::vector<double> sums(const Group& group) const;

  private:
    int level_of(std::int64_t samples) const;
    void keep(at::Tensor log_odds, at::Tensor targets, const std::vector<std::int64_t>& samples);
    void thin_out(int level);

    std::int64_t num_classes_;
    std::int64_t most_scores_;
    std::int64_t added_ = 0;
    int level_ = 0;  ///< one of 2^level samples is kept
    std::vector<std::int64_t> samples_;
    std::vector<at::Tensor> log_odds_;  ///< per batch: (samples, classes)
    std::vector<at::Tensor> targets_;
};

/// The mean area over the classes that have one: those with samples in the class and outside of it. `sums` are the `3 *
/// num_classes` numbers of Ranking::sums(), summed over the group.
double mean_area(const double* sums, std::size_t num_classes);

}  // namespace crescendo::trainer
