#include "datasets/hdf5/hdf5_packing.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/hdf5/numbers.hpp"

namespace crescendo::datasets::hdf5 {
namespace {

struct Numbers {
    std::vector<double> values;
    bool floating = false;  ///< whether they are stored as floating-point
};

/// Whether `_Unsigned` declares signed integers unsigned. NetCDF's classic model has only signed ones.
bool is_unsigned(hid_t data_set, const std::string& name) {
    constexpr const char* attribute = "_Unsigned";
    if (!has_attribute(data_set, attribute)) {
        return false;
    }
    const auto problem = text("{} has an attribute {} that cannot be read", name, attribute);
    const auto said = text_of_attribute(data_set, attribute, problem);
    CRESCENDO_VALIDATE(said, "", "{} has an attribute {} that is not text; write \"true\" or \"false\", or remove it",
                       name, attribute);
    auto word = said->substr(0, said->find(' '));
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word == "true";
}

/// The value of the attribute `attribute`; none if there is no such attribute.
Numbers numbers_of(hid_t data_set, const char* attribute, const std::string& name) {
    if (!has_attribute(data_set, attribute)) {
        return {};
    }
    const auto problem = text("{} has an attribute {} that cannot be read", name, attribute);
    const auto opened = own(H5Aopen(data_set, attribute, H5P_DEFAULT), problem);
    const auto type = own(H5Aget_type(opened.get()), problem);
    const auto element = element_type(type.get());
    CRESCENDO_VALIDATE(element.has_value(), "",
                       "{} has an attribute {} of type {}, but the CF conventions define it as a number, which says "
                       "how to read the samples; correct it, or remove it",
                       name, attribute, type_name(type.get()));
    const auto space = own(H5Aget_space(opened.get()), problem);
    constexpr hssize_t most = 1 << 16;
    const auto count = H5Sget_simple_extent_npoints(space.get());
    CRESCENDO_VALIDATE(count >= 0 && count <= most, "", "{} has an attribute {} of {} numbers: the file is damaged",
                       name, attribute, count);
    Numbers numbers{std::vector<double>(static_cast<std::size_t>(count)), is_floating(*element)};
    if (count > 0) {
        check(H5Aread(opened.get(), H5T_NATIVE_DOUBLE, numbers.values.data()), problem);
    }
    return numbers;
}

/// A 16-bit floating-point format.
struct ShortFloat {
    int digits;    ///< binary digits, including the implicit one
    int least;     ///< the smallest positive number is 2^least
    int infinite;  ///< numbers from 2^infinite on are infinite
};
constexpr ShortFloat half{.digits = 11, .least = -24, .infinite = 16};
constexpr ShortFloat upper_half{.digits = 8, .least = -133, .infinite = 128};

/// Rounds `value` to the nearest number of this format, ties to even.
double rounded(double value, const ShortFloat& format) {
    if (!std::isfinite(value)) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - format.digits, format.least));
    const double nearest = std::nearbyint(value / unit) * unit;
    const double limit = std::ldexp(1.0, format.infinite);
    return std::abs(nearest) < limit ? nearest : std::copysign(std::numeric_limits<double>::infinity(), value);
}

/// `value` as an element of that type, which may have fewer digits than the written fill value. NaN if the type cannot
/// represent it.
double as_stored(double value, ElementType type) {
    return with_type(type, [&]<class T>() -> double {
        if constexpr (std::is_same_v<T, float>) {
            return static_cast<float>(value);
        } else if constexpr (std::is_integral_v<T>) {
            using Limits = std::numeric_limits<T>;
            const bool fits = value == std::floor(value) && value >= static_cast<double>(Limits::min()) &&
                              value <= static_cast<double>(Limits::max());
            return fits ? value : std::numeric_limits<double>::quiet_NaN();
        } else if constexpr (std::is_same_v<T, Half>) {
            return rounded(value, half);
        } else if constexpr (std::is_same_v<T, BFloat16>) {
            return rounded(value, upper_half);
        } else {
            return value;
        }
    });
}

/// The stored number for `value`. Attributes have few digits, so a result close to a whole number means that number.
double packed(double value, const Packing& packing) {
    constexpr double beside = 0.01;
    const double stored = (value - packing.offset) / packing.scale;
    const double whole = std::round(stored);
    return std::abs(stored - whole) < beside ? whole : stored;
}

}  // namespace

std::optional<Packing> packing_of(hid_t data_set, ElementType type, const std::string& name) {
    Packing packing;
    const auto read = [&](const char* attribute) { return numbers_of(data_set, attribute, name); };
    const auto scale = read("scale_factor");
    const auto offset = read("add_offset");
    for (const auto& [attribute, numbers] : {std::pair{"scale_factor", &scale}, {"add_offset", &offset}}) {
        CRESCENDO_VALIDATE(numbers->values.size() <= 1, "",
                           "{} has an attribute {} of {} numbers, but the CF conventions allow only one, for all "
                           "samples; write the samples unpacked",
                           name, attribute, numbers->values.size());
    }
    const bool is_signed = with_type(type, []<class T>() { return std::is_integral_v<T> && std::is_signed_v<T>; });
    if (is_signed && is_unsigned(data_set, name)) {
        packing.wrap = std::ldexp(1.0, 8 * static_cast<int>(size_of(type)));
    }
    const auto wrapped = [&](double value) { return value < 0 ? value + packing.wrap : value; };
    packing.scaled = !scale.values.empty() || !offset.values.empty();
    packing.scale = scale.values.empty() ? 1 : scale.values.front();
    packing.offset = offset.values.empty() ? 0 : offset.values.front();
    CRESCENDO_VALIDATE(std::isfinite(packing.scale) && packing.scale != 0 && std::isfinite(packing.offset), "",
                       "{} has a scale_factor of {} and an add_offset of {}, which cannot unpack its numbers; correct "
                       "these attributes",
                       name, packing.scale, packing.offset);

    for (const char* attribute : {"_FillValue", "missing_value"}) {
        for (const double value : read(attribute).values) {
            const double stored = packing.wrap > 0 ? wrapped(value) : as_stored(value, type);
            const auto& known = packing.missing;
            if (!std::isnan(stored) && std::find(known.begin(), known.end(), stored) == known.end()) {
                packing.missing.push_back(stored);
            }
        }
    }

    const auto limit = [&](double value, bool floating, bool is_least) {
        if (std::isnan(value)) {
            return;
        }
        // Refers to packed numbers, unless it has the type of unpacked ones (NetCDF User's Guide, Attribute
        // Conventions).
        const bool unpacked = packing.scaled && floating && !is_floating(type);
        const double bound = unpacked            ? packed(value, packing)
                             : is_floating(type) ? as_stored(value, type)
                                                 : wrapped(value);
        (is_least != (unpacked && packing.scale < 0) ? packing.valid_min : packing.valid_max) = bound;
    };
    if (const auto [values, floating] = read("valid_range"); values.size() == 2) {
        limit(values[0], floating, true);
        limit(values[1], floating, false);
    }
    if (const auto [values, floating] = read("valid_min"); !values.empty()) {
        limit(values[0], floating, true);
    }
    if (const auto [values, floating] = read("valid_max"); !values.empty()) {
        limit(values[0], floating, false);
    }
    const bool limited = std::isfinite(packing.valid_min) || std::isfinite(packing.valid_max);
    return packing.wrap > 0 || packing.scaled || limited || !packing.missing.empty() ? std::optional(packing)
                                                                                     : std::nullopt;
}

void remove_packing(hid_t data_set) {
    for (const char* attribute : {"_Unsigned", "scale_factor", "add_offset", "_FillValue", "missing_value",
                                  "valid_range", "valid_min", "valid_max"}) {
        if (has_attribute(data_set, attribute)) {
            check(H5Adelete(data_set, attribute), text("its attribute {} cannot be removed", attribute));
        }
    }
}

}  // namespace crescendo::datasets::hdf5
