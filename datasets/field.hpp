#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// The numbers a sample can be made of. f16 is IEEE half precision, bf16 the upper half of an f32.
enum class ElementType { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

std::size_t size_of(ElementType type);

/// NumPy's name of the type: "uint8", "float32".
const char* to_string(ElementType type);

/// How a data set's bytes are reached: by pread where they lie in one piece, as stored chunks that are decoded
/// outside the library's lock, or through the library, which reads everything but one call at a time.
enum class Route { pread, chunks, library };

const char* to_string(Route route);

/// Which routes may be taken.
enum class Routes {
    fastest,  ///< whichever the data set allows, in the order of Route
    library,  ///< the library alone
};

/// One data set of an HDF5 file seen as samples: its first axis counts them, the others are a sample's shape.
struct Field {
    std::string path;                    ///< inside the file, "/train/inputs"
    ElementType type = ElementType::u8;  ///< in host byte order once read
    std::int64_t num_samples = 0;
    std::vector<std::int64_t> shape;  ///< of one sample; empty for a scalar
    std::int64_t chunk_samples = 0;   ///< samples a chunk holds; 0 where the layout is not chunked
    Route route = Route::library;

    std::int64_t sample_elements() const;
    std::size_t sample_bytes() const;
};

/// Samples that make a block of about 256 KiB, and at least one: large enough to read at the disk's full speed,
/// small enough to shuffle well.
std::int64_t samples_per_block(std::size_t sample_bytes);

}  // namespace crescendo::datasets
