#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/section.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Columns of a table that hold codes of categories, counted from 0, and not measurements.
class EmbeddingSettings {
  public:
    /// Reads `categories`, which has the number of categories of each such column, and `embedding_width`.
    explicit EmbeddingSettings(Section& section);

    /// What keeps these samples from being such a table. `data` says how they are read.
    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data) const;

    /// Numbers of categories by column, of settings without misfits.
    std::map<std::int64_t, std::int64_t> categories() const;

    /// Numbers that a column of so many categories becomes: as the settings say, or half as many as there are
    /// categories, 50 at most (the rule of fast.ai's library).
    std::int64_t width(std::int64_t num_categories) const;

  private:
    nlohmann::json given_;    ///< the setting `categories`
    std::int64_t width_ = 0;  ///< the setting `embedding_width`; 0: the rule
    double noise_ = 0.0;      ///< the setting `input_noise`
};

/// Rows of a table whose codes are replaced by vectors that are learned (Guo and Berkhahn, "Entity Embeddings of
/// Categorical Variables", 2016). Without columns of codes it changes nothing.
///
/// The column i has the module `embedding<i>`, with a vector for each category and a last one for all other numbers:
/// codes that are too large or negative, fractions and NaN. That one is zero at first.
class Embeddings {
  public:
    /// Registers the modules at `parent`, for rows of `num_columns` numbers.
    Embeddings(torch::nn::Module& parent, const EmbeddingSettings& settings, std::int64_t num_columns);

    /// Numbers of a row with its vectors in place of its codes.
    std::int64_t num_features() const { return num_features_; }

    /// (samples, num_columns) → (samples, num_features), in the order of the columns.
    at::Tensor operator()(const at::Tensor& rows);

  private:
    struct Column {
        std::int64_t index;
        std::int64_t num_categories;
        torch::nn::Embedding vectors;
    };

    std::vector<Column> columns_;
    std::int64_t num_features_;
};

}  // namespace crescendo::trainer
