#include "trainer/data/batch_loader.hpp"

#include <ATen/record_function.h>

#include <utility>

namespace crescendo::trainer {

void BatchLoader::enter(const datasets::SampleStream::Share& share) {
    fetched_.reset();
    stream_.enter(share);
}

std::optional<LoadedBatch> BatchLoader::next() {
    if (!fetched_) {
        fetch();
    }
    return std::exchange(fetched_, std::nullopt);
}

void BatchLoader::fetch() {
    const auto began = std::chrono::steady_clock::now();
    auto slice = [&] {
        RECORD_USER_SCOPE("crescendo::reading");
        return stream_.next(device_.staging_memory(), waiting_);
    }();
    // If the device is still computing, the samples arrived before it needs them.
    if (device_.idle()) {
        waited_ += std::chrono::steady_clock::now() - began;
    }
    if (!slice) {
        return;
    }
    RECORD_USER_SCOPE("crescendo::copy");
    const Batch batch = make_batch(*slice, task_, device_);
    fetched_ = LoadedBatch{std::move(*slice), batch};
}

}  // namespace crescendo::trainer
