#include "datasets/samples/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {

OpenFiles::OpenFiles(std::size_t num_files, std::vector<std::shared_ptr<const SetFile>> first, Open open)
    : open_(std::move(open)), slots_(num_files), num_open_(first.size()), most_(std::max(most(), first.size())) {
    CRESCENDO_EXPECT(first.size() <= num_files);
    for (std::size_t i = 0; i < first.size(); ++i) {
        slots_[i].file = std::move(first[i]);
    }
}

std::size_t OpenFiles::most() {
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) {
        return 64;
    }
    return std::clamp<std::size_t>(descriptors.rlim_cur / 8, 1, 256);
}

std::shared_ptr<const SetFile> OpenFiles::get(std::size_t number) {
    const std::lock_guard lock(mutex_);
    auto& slot = slots_[number];
    slot.used = ++uses_;
    if (!slot.file) {
        if (num_open_ == most_) {
            close_oldest();
        }
        slot.file = open_(number);
        ++num_open_;
    }
    return slot.file;
}

std::shared_ptr<const SetFile> OpenFiles::if_open(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return slots_[number].file;
}

void OpenFiles::close_oldest() {
    const auto age = [](const Slot& slot) { return slot.file ? slot.used : ~std::uint64_t{0}; };
    std::min_element(slots_.begin(), slots_.end(), [&](const Slot& one, const Slot& other) {
        return age(one) < age(other);
    })->file.reset();
    --num_open_;
}

}  // namespace crescendo::datasets
