#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A key of a sweep file, with a comment for its reader.
struct ImportedLine {
    std::string key;
    OrderedJson value;
    std::string comment = {};
    std::vector<ImportedLine> parameters = {};  ///< for a parameter that holds others: these, instead of a value
    std::string when = {};                      ///< condition of such a parameter; empty: none
};

/// A search from another tool's file, in the words of a sweep file.
struct ImportedSweep {
    std::string origin;                         ///< "a W&B sweep file"
    std::vector<ImportedLine> head = {};        ///< keys before the parameters
    std::vector<ImportedLine> parameters = {};  ///< each with its distribution
    std::vector<ImportedLine> tail = {};        ///< keys after the parameters
    std::vector<std::string> notes = {};        ///< what was lost or changed in the import
};

/// Note for imports from Ray and Optuna, whose files name no program that could be started.
inline constexpr const char* add_program = "add program: with a program that takes its parameters as arguments";

/// Adds a note that lists the keys of the other tool's file that a sweep file has no word for, if there are any.
void note_lost(const std::vector<std::string>& keys, ImportedSweep& sweep);

/// The line `name: …`. A sweep's name is also the name of its folder, so a slash becomes a dash.
ImportedLine name_line(std::string name);

/// The text of the sweep file. `source` is the name of the other tool's file.
std::string text_of(const ImportedSweep& sweep, const std::string& source);

/// A value on one line of YAML, such as {min: 0.1, max: 0.9}. It reads back as the same value.
std::string flow(const OrderedJson& value);

/// A JSON number without its fraction. Nothing if it needs more than 64 bits.
std::optional<std::int64_t> whole_number(const OrderedJson& number);

// Distributions in the words of a sweep file.

OrderedJson uniform(const OrderedJson& min, const OrderedJson& max);
OrderedJson log_uniform(double min, double max);
OrderedJson choice(const OrderedJson& values);
OrderedJson constant(const OrderedJson& value);

/// The whole numbers min, min + step, …, max: a range if `step` is 1, or a list of at most 1,000 numbers. For a longer
/// list, the step is lost, which the line's comment says.
ImportedLine whole_numbers(const std::string& name, std::int64_t min, std::int64_t max, std::int64_t step = 1);

/// The numbers min, min + step, …, max: a list of at most 1,000 numbers. If there are more, a continuous range, which
/// the line's comment says.
ImportedLine stepped_numbers(const std::string& name, double min, double max, double step);

}  // namespace crescendo::launch
