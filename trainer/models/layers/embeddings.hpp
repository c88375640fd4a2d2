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

/// Settings for the columns of a table that hold codes of categories, numbered from 0, instead of measurements.
class EmbeddingSettings {
  public:
    /// Reads `categories`, the number of categories of each such column, and `embedding_width`.
    explicit EmbeddingSettings(Section& section);

    /// Returns why these samples are not such a table. `data` says how they are read.
    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data) const;

    /// Number of categories by column. The settings must have no misfits.
    std::map<std::int64_t, std::int64_t> categories() const;

    /// Length of the vector that replaces a code of `num_categories` categories: the setting, or else half the number
    /// of categories, at most 50 (the rule of fast.ai's library).
    std::int64_t width(std::int64_t num_categories) const;

  private:
    nlohmann::json given_;    ///< the setting `categories`
    std::int64_t width_ = 0;  ///< the setting `embedding_width`; 0: fast.ai's rule
    double noise_ = 0.0;      ///< the setting `input_noise`
};

/// Replaces the codes in a table's rows by learned vectors (Guo and Berkhahn, "Entity Embeddings of Categorical
/// Variables", 2016). Changes nothing if no column has codes.
///
/// Column i has the module `embedding<i>`, with one vector per category and a last one for all other numbers: codes
/// that are too large or negative, fractions and NaN. The last vector is initially zero.
class Embeddings {
  public:
    /// Registers the modules with `parent`. Rows have `num_columns` numbers.
    Embeddings(torch::nn::Module& parent, const EmbeddingSettings& settings, std::int64_t num_columns);

    /// Length of a row after its codes were replaced by vectors.
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
