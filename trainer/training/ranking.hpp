#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/group/group.hpp"

namespace crescendo::trainer {

/// How the samples of an evaluation rank by the log-odds that a network gives each class: what the areas under ROC
/// curves follow from. An area is the share of pairs of a sample of the class and one of the others in which the former
/// has the higher log-odds; equal ones count as half (Hanley and McNeil, Radiology 1982).
///
/// A member keeps the float32 log-odds of its samples on the device, so areas are exact, however close together or far
/// apart the log-odds lie. The memory is bounded: of a larger evaluation, the samples are thinned out by a hash of
/// their numbers. Which of them stay depends on how many there are, and not on how many members share them.
class Ranking {
  public:
    /// `most_scores`: log-odds (samples times classes) of an evaluation up to which no sample is left out.
    explicit Ranking(std::int64_t num_classes, std::int64_t most_scores = std::int64_t{1} << 25);

    /// Adds samples by their numbers in the set. `outputs` (samples, classes), `targets` (samples) of int64.
    void add(const at::Tensor& outputs, const at::Tensor& targets, const std::vector<std::int64_t>& samples);

    /// Numbers that are added over the group's members: for each class the pairs that are won, then for each class its
    /// samples, then for each class the samples of others. All members call it together. Throws PeerLost.
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
    std::vector<at::Tensor> log_odds_;  ///< batch by batch (samples, classes)
    std::vector<at::Tensor> targets_;
};

/// The mean area over the classes for which there is one: those that occur beside others. `sums` are `3 * num_classes`
/// numbers of Ranking::sums(), added over the group.
double mean_area(const double* sums, std::size_t num_classes);

}  // namespace crescendo::trainer
