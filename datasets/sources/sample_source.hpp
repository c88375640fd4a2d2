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

/// What a data set is to be made of.
struct SampleFormat {
    ElementType type = ElementType::u8;
    std::vector<std::int64_t> shape = {};  ///< of one sample; empty for a scalar

    /// Of one sample.
    std::size_t bytes() const;
};

/// Samples of one kind in some other format than HDF5, read from the first to the last.
class SampleSource {
  public:
    explicit SampleSource(std::string name) : name_(std::move(name)) {}
    virtual ~SampleSource() = default;

    /// For messages.
    const std::string& name() const { return name_; }
    const SampleFormat& format() const { return format_; }
    std::int64_t num_samples() const { return num_samples_; }

    virtual void skip(std::int64_t num_samples) = 0;

    /// Fills `out`, any number of whole elements, in host byte order. Throws InvalidInput where the source ends before
    /// or is damaged.
    virtual void read(std::span<std::byte> out) = 0;

  protected:
    /// Throws InvalidInput where a sample would have no elements or 2^40 bytes and more.
    void set_format(SampleFormat format, std::int64_t num_samples);

  private:
    std::string name_;
    SampleFormat format_;
    std::int64_t num_samples_ = 0;
};

/// Inputs and, where there are any, their targets, read from the first sample to the last.
class SetSource {
  public:
    virtual ~SetSource() = default;

    /// For messages.
    virtual const std::string& name() const = 0;
    virtual std::int64_t num_samples() const = 0;
    virtual const SampleFormat& inputs() const = 0;
    virtual const SampleFormat* targets() const = 0;  ///< null where there are none
    /// Of the classes that targets number; empty where they number none, or have no names.
    virtual std::vector<std::string> class_names() const { return {}; }

    virtual void skip(std::int64_t num_samples) = 0;

    /// Fills both with the same number of whole samples, in host byte order; without targets, the inputs. Throws
    /// InvalidInput as SampleSource does.
    virtual void read(std::span<std::byte> inputs, std::span<std::byte> targets) = 0;
};

/// Two sources as a set, or one, of inputs, where `targets` is null. Throws InvalidInput unless they are equally long.
std::unique_ptr<SetSource> make_set(std::unique_ptr<SampleSource> inputs, std::unique_ptr<SampleSource> targets);

}  // namespace crescendo::datasets
