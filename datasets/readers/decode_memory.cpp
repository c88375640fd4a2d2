#include "datasets/readers/decode_memory.hpp"

#include <algorithm>
#include <utility>

namespace crescendo::datasets {

std::unique_ptr<DecodeMemory::Scratch> DecodeMemory::take_scratch() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
        ++num_made_;
        return std::make_unique<Scratch>();
    }
    auto scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
}

void DecodeMemory::give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
}

std::shared_ptr<const DecodeMemory::Chunk> DecodeMemory::kept(const void* reader, const std::vector<hsize_t>& offset) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
        return part.reader == reader && part.chunk->offset == offset;
    });
    return found == parts_.end() ? nullptr : found->chunk;
}

void DecodeMemory::keep(const void* reader, std::shared_ptr<const Chunk> chunk) {
    const std::lock_guard lock(mutex_);
    std::erase_if(parts_, [&](const Part& part) { return part.reader == reader; });
    parts_.push_back({reader, std::move(chunk)});
    if (parts_.size() > num_data_sets_ * std::max<std::size_t>(1, num_made_)) {
        parts_.erase(parts_.begin());
    }
}

void DecodeMemory::forget(const void* reader) {
    const std::lock_guard lock(mutex_);
    std::erase_if(parts_, [&](const Part& part) { return part.reader == reader; });
}

}  // namespace crescendo::datasets
