#include "trainer/models/layers/embeddings.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "trainer/data/normalization.hpp"
#include "trainer/data/shapes.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* categories_key = "trainer.categories";
constexpr std::int64_t most_categories = std::int64_t{1} << 20;
constexpr std::int64_t widest_by_rule = 50;

std::optional<std::int64_t> whole_number(const std::string& word) {
    const auto number = number_from<std::int64_t>(word);
    return number && *number >= 0 ? number : std::nullopt;
}

std::vector<Problem> misfits_of_columns(const nlohmann::json& categories, std::int64_t num_columns,
                                        const std::string& location) {
    std::vector<Problem> problems;
    for (const auto& [name, number] : categories.items()) {
        const auto column = whole_number(name);
        if (!column || *column >= num_columns) {
            problems.push_back({categories_key, text("{} is not a column of {}, which has the columns 0 to {}", name,
                                                     location, num_columns - 1)});
        } else if (!number.is_number_integer() || number < 1 || number > most_categories) {
            problems.push_back(
                {text("{}.{}", categories_key, name),
                 text("{} is not a number of categories; give 1 to {}", number.dump(), most_categories)});
        }
    }
    return problems;
}

/// Returns problems if the settings normalise columns of codes, which must be read as stored. Throws like
/// normalizations().
std::vector<Problem> misfits_of_normalization(const std::map<std::int64_t, std::int64_t>& categories,
                                              const datasets::SampleSet& samples, const DataSettings& data) {
    const auto all = normalizations(samples, data);
    std::vector<Problem> problems;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < samples.inputs().size(); ++i) {
        const auto& field = samples.inputs()[i];
        const auto of_column = [&](const std::vector<double>& numbers, std::int64_t column) {
            return numbers.size() == 1 ? numbers[0] : numbers.at(static_cast<std::size_t>(column - first));
        };
        for (auto at = categories.lower_bound(first);
             at != categories.end() && at->first < first + field.sample_elements(); ++at) {
            const double mean = of_column(all[i]->mean, at->first);
            const double std = of_column(all[i]->std, at->first);
            if (mean != 0.0 || std != 1.0) {
                problems.push_back(
                    {categories_key,
                     text("the codes in column {} of {}:{} are normalised with mean {} and std {}; keep them unchanged "
                          "with `normalize: {{}: none}`, in their own data set if other columns are measurements",
                          at->first, samples.location(), field.path, mean, std, data.inputs[i])});
            }
        }
        first += field.sample_elements();
    }
    return problems;
}

}  // namespace

EmbeddingSettings::EmbeddingSettings(Section& section) : given_(section.object("categories")) {
    section.integer("embedding_width", width_, 1, 1 << 16);
    section.number("input_noise", noise_, {.min = 0.0, .below = std::numeric_limits<double>::infinity()});
}

std::vector<Problem> EmbeddingSettings::misfits(const datasets::SampleSet& samples, const DataSettings& data) const {
    if (given_.empty()) {
        return {};
    }
    const auto shape = joined_shape(samples.inputs());
    if (shape.size() != 1) {
        return {{categories_key, text("a sample of {} is {}, but only the samples of a table, which are rows of "
                                      "numbers, have columns; leave it out",
                                      samples.location(), shape_text(shape))}};
    }
    if (noise_ > 0) {
        return {{"trainer.input_noise", "it would change category codes; leave it out"}};
    }
    const auto problems = misfits_of_columns(given_, shape[0], samples.location());
    return problems.empty() ? misfits_of_normalization(categories(), samples, data) : problems;
}

std::map<std::int64_t, std::int64_t> EmbeddingSettings::categories() const {
    std::map<std::int64_t, std::int64_t> all;
    for (const auto& [name, number] : given_.items()) {
        const auto column = whole_number(name);
        CRESCENDO_EXPECT(column.has_value());
        all.emplace(*column, number.get<std::int64_t>());
    }
    return all;
}

std::int64_t EmbeddingSettings::width(std::int64_t num_categories) const {
    return width_ > 0 ? width_ : std::min(widest_by_rule, (num_categories + 1) / 2);
}

Embeddings::Embeddings(torch::nn::Module& parent, const EmbeddingSettings& settings, std::int64_t num_columns)
    : num_features_(num_columns) {
    for (const auto& [index, num_categories] : settings.categories()) {
        const auto width = settings.width(num_categories);
        torch::nn::Embedding vectors(num_categories + 1, width);
        {
            const at::NoGradGuard no_gradients;
            vectors->weight[num_categories].zero_();
        }
        parent.register_module("embedding" + std::to_string(index), vectors);
        columns_.push_back({index, num_categories, vectors});
        num_features_ += width - 1;
    }
}

at::Tensor Embeddings::operator()(const at::Tensor& rows) {
    if (columns_.empty()) {
        return rows;
    }
    std::vector<at::Tensor> parts;
    std::int64_t next = 0;
    for (auto& [index, num_categories, vectors] : columns_) {
        parts.push_back(rows.narrow(1, next, index - next));
        const at::Tensor codes = rows.select(1, index);
        const at::Tensor known = codes.ge(0).logical_and(codes.lt(num_categories)).logical_and(codes.eq(codes.floor()));
        parts.push_back(vectors(at::where(known, codes, static_cast<double>(num_categories)).to(at::kLong)));
        next = index + 1;
    }
    parts.push_back(rows.narrow(1, next, rows.size(1) - next));
    return at::cat(parts, 1);
}

}  // namespace crescendo::trainer
