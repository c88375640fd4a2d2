#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "datasets/hdf5/packing.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// Types of the numbers in a sample. f16 is IEEE half precision, bf16 the upper half of an f32.
enum class ElementType { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

std::size_t size_of(ElementType type);
bool is_floating(ElementType type);

/// NumPy's name of the type: "uint8", "float32".
const char* to_string(ElementType type);

/// How a data set's bytes are read: by pread, if they are contiguous in the file; as stored chunks, which are decoded
/// outside the library's lock; or through the library, which reads everything, but one call at a time.
enum class Route { pread, chunks, library };

const char* to_string(Route route);

/// Which routes may be used.
enum class Routes {
    fastest,  ///< the first Route that the data set allows
    library,  ///< only Route::library
};

/// Position of the channels in a row with three or more axes: first (channels x height x width) or last.
enum class SampleLayout { chw, hwc };
inline constexpr Words sample_layouts{{std::pair{SampleLayout::chw, "chw"}, {SampleLayout::hwc, "hwc"}}};

/// Height and width of an image.
struct ImageSize {
    std::int64_t height = 0;
    std::int64_t width = 0;

    friend auto operator<=>(const ImageSize&, const ImageSize&) = default;
};

/// What pads an image: zeros, or the nearest number of the image.
enum class PadWith { zero, edge };
inline constexpr Words pad_words{{std::pair{PadWith::zero, "zero"}, {PadWith::edge, "edge"}}};

/// A row's channels, each with its own mean and spread: runs of `run` elements for channel 0, channel 1, and so on.
struct Channels {
    std::int64_t count = 1;
    std::int64_t run = 1;
};

/// The part of each row that is read.
struct RowPart {
    std::vector<std::int64_t> row;       ///< lengths of a row's axes in the file
    std::vector<Range> ranges = {};      ///< indices that are taken from each of these axes
    std::vector<std::size_t> axes = {};  ///< which of these axes a sample keeps; the others have a single index

    friend bool operator==(const RowPart&, const RowPart&) = default;
};

/// Padding around the images of a sample in a batch: the last two axes of its shape are longer than those read.
struct Padding {
    std::int64_t top = 0, left = 0;      ///< rows and columns before the image
    std::int64_t height = 0, width = 0;  ///< size of the image without the padding
    PadWith with = PadWith::zero;
};

/// One data set of an HDF5 file as samples. Its first axis counts rows. A sample is a row, or a window of neighbouring
/// rows.
struct Field {
    std::string path;                    ///< path inside the file, such as "/train/inputs"
    ElementType type = ElementType::u8;  ///< type of the elements, in host byte order once read
    std::int64_t num_samples = 0;
    std::vector<std::int64_t> shape;  ///< of one sample in a batch, channels first wherever they are stored; empty for
                                      ///< a scalar. The first axis of a window counts its rows
    std::int64_t chunk_samples = 0;   ///< rows in a chunk; 0 if the layout is not chunked
    Route route = Route::library;
    std::int64_t window = 0;              ///< rows in a window; 0: a sample is a row
    std::int64_t stride = 1;              ///< rows from one sample to the next
    std::optional<Packing> packing = {};  ///< what the stored numbers mean, if attributes say so
    bool channels_last = false;           ///< whether the channels come last in the bytes of a row
    std::optional<RowPart> part = {};     ///< the part of a row that a sample has; none: all of it
    std::optional<Padding> padding = {};
    std::vector<std::string> classes = {};  ///< names of its classes, by number; empty if unknown

    std::int64_t sample_elements() const;  ///< numbers in a sample in a batch, with padding
    std::size_t sample_bytes() const;      ///< bytes of a sample as read, without padding
    std::size_t stored_row_bytes() const;  ///< bytes of a whole row in the file

    /// Whether the numbers are measurements, not classes: floating-point, or packed as integers.
    bool is_real() const { return is_floating(type) || (packing && packing->scaled); }

    /// Guesses whether a row is height x width x channels: it has three axes, and the last one is shorter than both
    /// others, and either is at most 4 or the other two are equal.
    bool looks_channels_last() const;

    /// Distance in bytes between the starts of neighbouring samples that are read together. `count` such samples take
    /// bytes_of(count): windows may overlap, or may leave rows out.
    std::size_t pitch_bytes() const;
    std::size_t bytes_of(std::int64_t count) const;

    /// Distance in bytes between the starts of two chunks of `count` samples in memory. Chunks that do not overlap keep
    /// the gap between samples, so that neighbouring chunks can be read at once.
    std::size_t chunk_bytes(std::int64_t count) const;

    /// Channels of a row. With three or more axes: the first axis (channels x height x width). A list of up to 1,024
    /// numbers (features): each number. Otherwise one channel.
    Channels channels() const;
};

/// The attribute of integer targets that has the names of their classes.
inline constexpr const char* class_names_attribute = "classes";

/// Describes the first class that both lists name differently: "class 1 is dog in A and horse in B"; empty if there is
/// none. `here` and `there` are A and B.
std::string contradiction_of_classes(const std::vector<std::string>& one, const std::string& here,
                                     const std::vector<std::string>& other, const std::string& there);

/// The fields of a set's inputs, or of its targets. In a batch, their elements follow each other.
class Fields {
  public:
    Fields() = default;
    explicit Fields(std::vector<Field> fields) : fields_(std::move(fields)) {}

    std::size_t size() const { return fields_.size(); }
    const Field& operator[](std::size_t index) const { return fields_[index]; }
    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }

    std::int64_t sample_elements() const;
    std::size_t sample_bytes() const;
    std::size_t bytes_of(std::int64_t count) const;

  private:
    std::vector<Field> fields_;
};

/// Number of samples in a block of about 256 KiB, at least one: large enough to read at the disk's full speed, small
/// enough to shuffle well.
std::int64_t samples_per_block(std::size_t sample_bytes);

}  // namespace crescendo::datasets
