#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// Type and shape of the samples of a data set.
struct SampleFormat {
    ElementType type = ElementType::u8;
    std::vector<std::int64_t> shape = {};  ///< shape of one sample; empty for a scalar
    bool is_boolean = false;  ///< i8 with only 0 and 1; HDF5 stores it as its enumeration of FALSE and TRUE

    /// Size of one sample in bytes.
    std::size_t bytes() const;
};

/// Samples of one data set in a format other than HDF5, read from first to last.
class SampleSource {
  public:
    explicit SampleSource(std::string name) : name_(std::move(name)) {}
    virtual ~SampleSource() = default;

    /// For messages.
    const std::string& name() const { return name_; }
    const SampleFormat& format() const { return format_; }
    std::int64_t num_samples() const { return num_samples_; }

    virtual void skip(std::int64_t num_samples) = 0;

    /// Fills `out` with the next elements, in host byte order. `out` holds any number of whole elements. Throws
    /// InvalidInput if the source ends before that or is damaged.
    virtual void read(std::span<std::byte> out) = 0;

  protected:
    /// Sets format() and num_samples(). Throws InvalidInput if a sample would have no elements, or 2^40 bytes or more,
    /// or all samples more than 2^63. Returns the number of their bytes.
    std::int64_t set_format(SampleFormat format, std::int64_t num_samples);

  private:
    std::string name_;
    SampleFormat format_;
    std::int64_t num_samples_ = 0;
};

/// Inputs and targets, if any, read from the first sample to the last.
class SetSource {
  public:
    virtual ~SetSource() = default;

    /// For messages.
    virtual const std::string& name() const = 0;
    virtual std::int64_t num_samples() const = 0;
    virtual const SampleFormat& inputs() const = 0;
    virtual const SampleFormat* targets() const = 0;  ///< nullptr if there are none
    /// Names of the target classes, by number; empty if targets are not classes, or classes have no names.
    virtual std::vector<std::string> class_names() const { return {}; }

    virtual void skip(std::int64_t num_samples) = 0;

    /// Fills `inputs` and `targets` with the same number of whole samples, in host byte order. Without targets, it
    /// fills only `inputs`. Throws InvalidInput as SampleSource does.
    virtual void read(std::span<std::byte> inputs, std::span<std::byte> targets) = 0;
};

/// Makes a set from two sources, or from one source of inputs if `targets` is nullptr. Throws InvalidInput unless they
/// are equally long.
std::unique_ptr<SetSource> make_set(std::unique_ptr<SampleSource> inputs, std::unique_ptr<SampleSource> targets);

}  // namespace crescendo::datasets
