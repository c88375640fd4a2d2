#include "datasets/readers/chunked_reader.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "datasets/readers/file_bytes.hpp"

namespace crescendo::datasets {
namespace {

/// Size in bytes up to which chunks are read faster without announcements: a window has them in file order, and the
/// system reads ahead by itself (docs/decisions/read-ahead.md).
constexpr std::size_t short_chunk = std::size_t{128} << 10;

std::optional<FilterPipeline> pipeline_of(hid_t data_set, std::size_t chunk_bytes) {
    const auto settings = hdf5::own(H5Dget_create_plist(data_set), "no creation properties");
    unsigned options = 0;
    hdf5::check(H5Pget_chunk_opts(settings.get(), &options), "no chunk options");
    if (options != 0) {  // partial chunks are stored unfiltered, and nothing in the chunk says so
        return std::nullopt;
    }
    std::vector<FilterPipeline::Stage> stages;
    for (auto& filter : hdf5::filters(data_set)) {
        stages.push_back({filter.id, std::move(filter.parameters)});
    }
    return FilterPipeline::make(std::move(stages), chunk_bytes);
}

}  // namespace

std::unique_ptr<ChunkedReader> ChunkedReader::make(hid_t data_set, const Field& field, const std::string& name,
                                                   std::shared_ptr<DecodeMemory> memory) {
    ChunkGrid grid(hdf5::extent(data_set), hdf5::chunk_shape(data_set), size_of(field.type),
                   field.part ? field.part->ranges : std::vector<Range>());
    auto pipeline = pipeline_of(data_set, grid.chunk_bytes());
    if (!pipeline) {
        return nullptr;
    }
    return std::unique_ptr<ChunkedReader>(
        new ChunkedReader(data_set, std::move(grid), std::move(*pipeline), name, std::move(memory)));
}

ChunkedReader::ChunkedReader(hid_t data_set, ChunkGrid grid, FilterPipeline pipeline, std::string name,
                             std::shared_ptr<DecodeMemory> memory)
    : grid_(std::move(grid)), pipeline_(std::move(pipeline)), name_(std::move(name)), memory_(std::move(memory)) {
    hdf5::check(H5Iinc_ref(data_set), text("{} cannot be kept open", name_));
    data_set_ = hdf5::Handle(data_set);
    file_ = hdf5::own(H5Iget_file_id(data_set), text("{} has no file", name_));  // links may lead to another file
    descriptor_ = hdf5::Finder::serves(file_.get()) ? hdf5::descriptor(file_.get()) : -1;
}

ChunkedReader::~ChunkedReader() { memory_->forget(this); }

void ChunkedReader::read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const {
    auto scratch = memory_->take_scratch();
    const auto chunks = find(ranges);
    for (const auto& stored : chunks) {
        // Chunks and ranges are both in file order: ranges before this chunk share nothing with later chunks either.
        while (ranges.front().end <= grid_.first_sample(stored.offset)) {
            out = out.subspan(static_cast<std::size_t>(ranges.front().size()) * grid_.sample_bytes());
            ranges = ranges.subspan(1);
        }
        take(stored, ranges, out, *scratch);
    }
    memory_->give_back(std::move(scratch));
}

/// Copies the part of `ranges` that is in a chunk; `out` is the memory of the ranges. The first range must overlap the
/// chunk.
void ChunkedReader::take(const Stored& stored, std::span<const Range> ranges, std::span<std::byte> out,
                         Scratch& scratch) const {
    const auto& offset = stored.offset;
    const auto first = grid_.first_sample(offset);
    const auto last = grid_.last_sample(offset);
    const auto& range = ranges.front();
    if (grid_.holds_whole_samples(offset) && range.begin <= first && last < range.end) {
        const auto place = static_cast<std::size_t>(first - range.begin) * grid_.sample_bytes();
        load(stored, out.subspan(place, grid_.chunk_bytes()), scratch);
        return;
    }
    const auto chunk = chunk_at(stored, scratch);
    for (const auto& [begin, end] : ranges) {
        if (begin > last) {
            return;
        }
        const auto bytes = static_cast<std::size_t>(end - begin) * grid_.sample_bytes();
        grid_.copy(chunk->bytes, offset, begin, end, out.first(bytes));
        out = out.subspan(bytes);
    }
}

void ChunkedReader::announce_ranges(std::span<const Range> ranges) const {
    if (grid_.chunk_bytes() <= short_chunk) {
        return;
    }
    for (const auto& [offset, piece, mask] : find(ranges)) {
        if (piece) {
            announce_bytes(descriptor_, piece->offset, piece->offset + piece->bytes);
        }
    }
}

/// The chunks with samples of the ranges, each once, in file order. Uses one session for all of them: threads that take
/// turns after every chunk would only wake each other.
std::vector<ChunkedReader::Stored> ChunkedReader::find(std::span<const Range> ranges) const {
    std::vector<Stored> all;
    std::int64_t done = 0;  // chunks of samples before this one are already found
    const hdf5::Session session;
    for (const auto& [begin, end] : ranges) {
        if (std::max(begin, done) < end) {
            grid_.for_each_chunk(std::max(begin, done), end, [&](const Offset& offset) {
                all.push_back(find(offset));
                done = grid_.last_sample(offset) + 1;
            });
        }
    }
    return all;
}

ChunkedReader::Stored ChunkedReader::find(const Offset& offset) const {
    Stored stored{.offset = offset, .piece = {}};
    hsize_t bytes = 0;
    if (descriptor_ < 0 || H5Dget_chunk_storage_size(data_set_.get(), offset.data(), &bytes) < 0 || bytes == 0 ||
        !is_plausible(bytes)) {
        return stored;
    }
    const hdf5::Finder finder;
    if (H5Dread_chunk(data_set_.get(), H5P_DEFAULT, offset.data(), &stored.mask, unread_.of(bytes).data()) >= 0 &&
        finder.piece() && finder.piece()->bytes == bytes) {
        stored.piece = finder.piece();
    }
    return stored;
}

/// Whether a chunk can have this stored size: no filter adds so many bytes. A damaged index must not exhaust memory.
bool ChunkedReader::is_plausible(std::uint64_t stored_bytes) const {
    return pipeline_.empty() ? stored_bytes == grid_.chunk_bytes() : stored_bytes <= 2 * grid_.chunk_bytes() + 4096;
}

std::shared_ptr<const ChunkedReader::Chunk> ChunkedReader::chunk_at(const Stored& stored, Scratch& scratch) const {
    if (auto kept = memory_->kept(this, stored.offset)) {
        return kept;
    }
    auto chunk = std::make_shared<Chunk>();
    chunk->offset = stored.offset;
    chunk->bytes = chunk->memory.of(grid_.chunk_bytes());
    load(stored, chunk->bytes, scratch);
    memory_->keep(this, chunk);
    return chunk;
}

void ChunkedReader::load(const Stored& stored, std::span<std::byte> chunk, Scratch& scratch) const {
    const auto& offset = stored.offset;
    const auto message = [&](const std::runtime_error& error) {
        return text("{}: samples {} to {} cannot be read: {}: {}", name_, grid_.first_sample(offset),
                    grid_.last_sample(offset), place_of(offset), error.what());
    };
    rewording([&] { fetch_and_decode(stored, chunk, scratch); }, message);
}

void ChunkedReader::fetch_and_decode(const Stored& stored, std::span<std::byte> chunk, Scratch& scratch) const {
    if (!stored.piece) {
        return fetch_by_library(stored.offset, chunk, scratch);
    }
    const auto bytes = pipeline_.empty() ? chunk : scratch.stored.of(stored.piece->bytes);
    read_bytes(descriptor_, stored.piece->offset, bytes);
    if (!pipeline_.empty()) {
        pipeline_.decode(bytes, stored.mask, chunk, scratch);
    }
}

void ChunkedReader::fetch_by_library(const Offset& offset, std::span<std::byte> chunk, Scratch& scratch) const {
    std::span<std::byte> stored;
    std::uint32_t mask = 0;
    {
        const hdf5::Session session;
        hsize_t size = 0;
        if (H5Dget_chunk_storage_size(data_set_.get(), offset.data(), &size) < 0 || size == 0) {
            return read_by_library(offset, chunk);
        }
        if (!is_plausible(size)) {
            throw DamagedFile(text("its {} bytes in the file cannot be a chunk of {} bytes", size, chunk.size()));
        }
        stored = pipeline_.empty() ? chunk : scratch.stored.of(size);
        hdf5::check(H5Dread_chunk(data_set_.get(), H5P_DEFAULT, offset.data(), &mask, stored.data()),
                    "its bytes cannot be read");
    }
    if (!pipeline_.empty()) {
        pipeline_.decode(stored, mask, chunk, scratch);
    }
}

/// Reads a chunk through the library. A chunk that was never written has the fill value, or zeros. If it cannot be
/// found for another reason, that is an error.
void ChunkedReader::read_by_library(const Offset& offset, std::span<std::byte> chunk) const {
    // With the fill time "never" there is no fill value, and the library leaves the memory unchanged.
    std::fill(chunk.begin(), chunk.end(), std::byte{0});
    const auto shape = hdf5::chunk_shape(data_set_.get());
    const auto extent = hdf5::extent(data_set_.get());
    const std::vector<hsize_t> whole(shape.begin(), shape.end());
    const Offset origin(whole.size(), 0);
    std::vector<hsize_t> inside;  // without the padding
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        inside.push_back(std::min<hsize_t>(whole[axis], static_cast<hsize_t>(extent[axis]) - offset[axis]));
    }
    const auto type = hdf5::own(H5Dget_type(data_set_.get()), "no type");
    const auto file = hdf5::own(H5Dget_space(data_set_.get()), "no data space");
    const auto memory =
        hdf5::own(H5Screate_simple(static_cast<int>(whole.size()), whole.data(), nullptr), "no space in memory");
    const auto select = [&](const hdf5::Handle& space, const Offset& start) {
        hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, inside.data(), nullptr),
                    "no selection");
    };
    select(file, offset);
    select(memory, origin);
    hdf5::check(H5Dread(data_set_.get(), type.get(), memory.get(), file.get(), H5P_DEFAULT, chunk.data()),
                "it cannot be found");
}

/// "chunk (0, 28, 28) at offset 4096"
std::string ChunkedReader::place_of(const Offset& offset) const {
    std::string indices;
    for (const auto index : offset) {
        indices += text("{}{}", indices.empty() ? "" : ", ", index);
    }
    const hdf5::Session session;
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    // HDF5 1.10 walks through all chunks for this: use it only for messages.
    if (H5Dget_chunk_info_by_coord(data_set_.get(), offset.data(), &mask, &address, &size) < 0 ||
        address == HADDR_UNDEF) {
        return text("chunk ({})", indices);
    }
    return text("chunk ({}), {} bytes at offset {}", indices, size, address);
}

}  // namespace crescendo::datasets
