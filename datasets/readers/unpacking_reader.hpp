#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "datasets/hdf5/packing.hpp"
#include "datasets/readers/sample_reader.hpp"

namespace crescendo::datasets {

/// The type of unpacked numbers in memory: float32 for stored numbers of up to 16 bits and for float32; else float64.
ElementType unpacked_type(ElementType stored);

/// Reads numbers unpacked, as unpacked_type(). For sets whose files pack a data set by different factors, so that their
/// stored numbers cannot be mixed.
class UnpackingReader : public SampleReader {
  public:
    /// `stored` reads the stored numbers, which have type `type`.
    UnpackingReader(std::unique_ptr<SampleReader> stored, ElementType type, Packing packing);

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override;
    void announce_ranges(std::span<const Range> ranges) const override { stored_->announce_ranges(ranges); }

  private:
    std::span<std::byte> room_for_stored(std::span<std::byte> out) const;
    void unpack(std::span<std::byte> out) const;

    std::unique_ptr<SampleReader> stored_;
    ElementType type_;
    Packing packing_;
};

}  // namespace crescendo::datasets
