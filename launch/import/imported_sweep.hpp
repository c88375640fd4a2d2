#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A key of a sweep file, with what a reader should know of it.
struct ImportedLine {
    std::string key;
    OrderedJson value;
    std::string comment = {};
    std::vector<ImportedLine> parameters = {};  ///< of a parameter that holds others, instead of its value
    std::string when = {};                      ///< condition of such a parameter; empty: it has none
};

/// A search that another tool's file describes, in the words of a sweep file.
struct ImportedSweep {
    std::string origin;                         ///< "a sweep file of W&B"
    std::vector<ImportedLine> head = {};        ///< keys before the parameters
    std::vector<ImportedLine> parameters = {};  ///< each with its distribution
    std::vector<ImportedLine> tail = {};        ///< keys after the parameters
    std::vector<std::string> notes = {};        ///< what could not be carried over, or is otherwise than it was
};

/// What Ray and Optuna say of a program is nothing that could be started.
inline constexpr const char* add_program = "add program: with a program that takes its parameters as arguments";

/// Notes which keys of the other tool's file have no word in a sweep file, if there are any.
void note_lost(const std::vector<std::string>& keys, ImportedSweep& sweep);

/// The name of a sweep is that of its folder, so a slash becomes a dash.
ImportedLine name_line(std::string name);

/// The text of the sweep file. `source` is the name of the other tool's file.
std::string text_of(const ImportedSweep& sweep, const std::string& source);

/// A value on one line of YAML: {min: 0.1, max: 0.9}. It reads back as the same value.
std::string flow(const OrderedJson& value);

/// The number that so many significant digits say: 0.001, and not 0.0010000000000000002.
double rounded(double number, int digits);

/// The whole number of a JSON number, without what is behind its point. Nothing if it needs more than 64 bits.
std::optional<std::int64_t> whole_number(const OrderedJson& number);

// Distributions in the words of a sweep file.

OrderedJson uniform(const OrderedJson& min, const OrderedJson& max);
OrderedJson log_uniform(double min, double max);
OrderedJson choice(const OrderedJson& values);
OrderedJson constant(const OrderedJson& value);

/// The whole numbers min, min + step, …, max: a range, or the list of them if there are at most 1,000. Other steps than
/// 1 over more values are lost, which the comment says.
ImportedLine whole_numbers(const std::string& name, std::int64_t min, std::int64_t max, std::int64_t step = 1);

/// The numbers min, min + step, …, max, in the same way.
ImportedLine stepped_numbers(const std::string& name, double min, double max, double step);

}  // namespace crescendo::launch
