#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "datasets/sources/sample_source.hpp"

namespace crescendo::datasets {

struct CsvOptions {
    std::vector<std::string> targets = {};  ///< target columns, by name or by number from 0; empty: the last column
    ElementType type = ElementType::f32;    ///< type of the inputs: f32 or f64
    std::optional<ElementType> target_type = {};  ///< i64, f32 or f64; default: i64 for integers, else `type`
};

/// Reads lines of comma-separated numbers (RFC 4180; cells may be quoted). The first line is a header if any of its
/// cells is not a number. Columns that are not targets are the inputs, in file order. Targets are in the order in which
/// the options name them. A single target is a scalar.
class CsvSet : public SetSource {
  public:
    /// Reads the whole file once, to count and check its lines. Throws InvalidInput, with line and column, for a cell
    /// that is not a number, and for a line with more or fewer cells than the first. Also throws it for target columns
    /// that do not exist.
    explicit CsvSet(const std::filesystem::path& file, const CsvOptions& options = {});

    const std::string& name() const override { return name_; }
    std::int64_t num_samples() const override { return num_samples_; }
    const SampleFormat& inputs() const override { return inputs_; }
    const SampleFormat* targets() const override { return &targets_; }
    void skip(std::int64_t num_samples) override;
    void read(std::span<std::byte> inputs, std::span<std::byte> targets) override;

  private:
    bool next_line();
    void split();
    void find_targets(const std::vector<std::string>& wished);
    double number(std::size_t column) const;
    std::int64_t integer(std::size_t column) const;
    void check_line(bool& integers) const;
    std::string place(std::size_t column) const;
    void store(ElementType type, std::size_t column, std::span<std::byte>& out) const;
    void rewind();

    std::string name_;
    std::ifstream file_;
    std::string line_;
    std::vector<std::string_view> cells_;  ///< cells of line_
    std::int64_t line_number_ = 0;         ///< number of the current line, from 1
    bool has_header_ = false;
    std::vector<std::string> names_;            ///< names of the columns; their numbers if there is no header
    std::vector<bool> is_target_;               ///< whether each column is a target
    std::vector<std::size_t> targets_of_line_;  ///< target columns, in the order of the options
    std::int64_t num_samples_ = 0;
    SampleFormat inputs_;
    SampleFormat targets_;
};

}  // namespace crescendo::datasets
