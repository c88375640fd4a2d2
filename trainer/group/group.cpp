#include "trainer/group/group.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gloo/common/error.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "trainer/device/nccl/nccl_communicator.hpp"
#include "trainer/protocol/control_channel.hpp"
#include "trainer/protocol/error_words.hpp"

namespace crescendo::trainer {

namespace {

/// Call it in the `catch` of `error`.
[[noreturn]] void throw_lost_peer(const NcclError& error) {
    if (blames_this_worker(error.what())) {
        throw;
    }
    throw PeerLost(error.what());
}

}  // namespace

void rethrow_as_peer_lost() {
    try {
        throw;
    } catch (const gloo::Exception& error) {
        throw PeerLost(error.what());
    } catch (const c10::DistError& error) {
        throw PeerLost(error.what_without_backtrace());
    } catch (const NcclError& error) {
        throw_lost_peer(error);
    } catch (const Interrupted& interrupted) {
        throw PeerLost(interrupted.what());
    } catch (const RequestTimeout& timeout) {
        throw PeerLost(timeout.what());
    }
}

namespace {

/// Gloo wraps the store's exceptions in its own, so exception types are no help here.
c10::intrusive_ptr<c10d::ProcessGroup> meet(const Device& device, const c10::intrusive_ptr<c10d::Store>& store,
                                            int rank, int size, const Patience& patience) try {
    return device.make_process_group(store, rank, size, patience);
} catch (const std::bad_alloc&) {
    throw;
} catch (const c10::OutOfMemoryError&) {
    throw;
} catch (const c10::AcceleratorError&) {
    throw;
} catch (const c10::Error& error) {
    throw PeerLost(error.what_without_backtrace());
} catch (const NcclError& error) {
    throw_lost_peer(error);
} catch (const std::exception& error) {
    throw PeerLost(error.what());
}

/// For waits that have their own time-out, and so cannot be hangs.
std::function<bool()> asking(std::function<bool()> interrupted, std::function<void()> waiting) {
    return [interrupted = std::move(interrupted), waiting = std::move(waiting)] {
        if (waiting) {
            waiting();
        }
        return interrupted && interrupted();
    };
}

/// Cuts a tensor of more than `most_bytes` into blocks of rows. Rows are the same on all members, even if their memory
/// layouts differ.
std::vector<at::Tensor> pieces_of(const at::Tensor& tensor, std::size_t most_bytes) {
    if (tensor.dim() == 0 || tensor.nbytes() <= most_bytes) {
        return {tensor};
    }
    const auto bytes_of_row = tensor.nbytes() / static_cast<std::size_t>(tensor.size(0));
    return tensor.split(static_cast<std::int64_t>(std::max<std::size_t>(1, most_bytes / bytes_of_row)));
}

/// Splits a list into blocks of tensors with at most `most_bytes` together.
std::vector<std::vector<at::Tensor>> blocks_of(const std::vector<at::Tensor>& tensors, std::size_t most_bytes) {
    std::vector<std::vector<at::Tensor>> blocks;
    std::size_t bytes = 0;
    for (const auto& tensor : tensors) {
        if (blocks.empty() || bytes + tensor.nbytes() > most_bytes) {
            blocks.emplace_back();
            bytes = 0;
        }
        blocks.back().push_back(tensor);
        bytes += tensor.nbytes();
    }
    return blocks;
}

std::int64_t num_numbers(const std::vector<at::Tensor>& tensors) {
    std::int64_t count = 0;
    for (const auto& tensor : tensors) {
        count += tensor.numel();
    }
    return count;
}

/// Whether a tensor's memory holds its numbers row by row, without lazy conjugation or negation.
bool is_plain(const at::Tensor& tensor) { return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg(); }

/// One flat tensor with all numbers: a copy, except for a single contiguous tensor.
at::Tensor flatten(const std::vector<at::Tensor>& tensors) {
    if (tensors.size() == 1) {
        const at::Tensor rows = tensors.front().contiguous().resolve_conj().resolve_neg();
        return rows.as_strided({rows.numel()}, {1});  // reshape() would keep an odd stride of a single number
    }
    std::vector<at::Tensor> flat;
    for (const auto& tensor : tensors) {
        flat.push_back(tensor.reshape(-1));
    }
    return at::cat(flat);
}

void unflatten(const at::Tensor& block, const std::vector<at::Tensor>& tensors) {
    std::int64_t begin = 0;
    for (const auto& tensor : tensors) {
        tensor.copy_(block.narrow(0, begin, tensor.numel()).view_as(tensor));
        begin += tensor.numel();
    }
}

}  // namespace

Group::Group(const Device& device) : device_(device) {}

Group::Group(const Device& device, const c10::intrusive_ptr<c10d::Store>& store, Options options)
    : device_(device),
      rank_(options.rank),
      size_(options.size),
      timeout_(options.timeout),
      interrupted_(std::move(options.interrupted)),
      waiting_(std::move(options.waiting)),
      process_group_(
          meet(device, store, rank_, size_, {.timeout = timeout_, .give_up = asking(interrupted_, waiting_)})) {}

Group::Group(Group&&) noexcept = default;

Group::~Group() {
    if (!process_group_) {
        return;
    }
    try {
        device_.dissolve(*process_group_);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "a group did not end cleanly: %s\n", error.what());
    }
}

/// The order that interrupts may result from these collectives, which another member has already finished: for example,
/// a report leads to the next regroup. So collectives that can end get time to do so. A member that gave up at once
/// would lose the report.
void Group::finish() const {
    if (!process_group_) {
        return;
    }
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds time_to_end{20};
    const auto began = Clock::now();
    std::optional<Clock::time_point> interrupted;
    const auto give_up = [&] {
        const auto now = Clock::now();
        if (waiting_ && now - began < 2 * timeout_) {
            waiting_();
        }
        if (interrupted || (interrupted_ && interrupted_())) {
            interrupted = interrupted.value_or(now);
            return now - *interrupted > time_to_end;
        }
        return false;
    };
    if (!collective([&] { return device_.finish(*process_group_, give_up); })) {
        throw PeerLost("a collective did not finish");
    }
}

std::vector<double> Group::sum(const std::vector<double>& numbers) const {
    if (size_ == 1) {
        return numbers;
    }
    at::Tensor on_device = at::tensor(numbers, at::kDouble).to(device_.place());
    sum(on_device);
    finish();
    const at::Tensor sums = on_device.cpu();
    return {sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + sums.numel()};
}

void Group::sum(at::Tensor& numbers) const {
    if (size_ == 1) {
        return;
    }
    std::vector<at::Tensor> tensors{numbers};
    collective([&] { process_group_->allreduce(tensors)->wait(); });
}

std::string Group::broadcast(const std::string& bytes) const {
    if (size_ == 1) {
        return bytes;
    }
    at::Tensor length = at::tensor(static_cast<std::int64_t>(bytes.size()), at::kLong).to(device_.place());
    broadcast_block(length);
    at::Tensor content = at::zeros({length.item<std::int64_t>()}, at::kByte);
    if (rank_ == 0) {
        std::memcpy(content.mutable_data_ptr(), bytes.data(), bytes.size());
    }
    content = content.to(device_.place());
    broadcast_block(content);
    content = content.cpu();
    return {static_cast<const char*>(content.const_data_ptr()), static_cast<std::size_t>(content.numel())};
}

void Group::broadcast(const std::vector<at::Tensor>& tensors, Before before, std::size_t block_bytes) const {
    if (size_ == 1) {
        return;
    }
    std::map<at::ScalarType, std::vector<at::Tensor>> by_type;
    for (const auto& tensor : tensors) {
        for (const auto& piece : pieces_of(tensor.detach(), block_bytes)) {
            by_type[tensor.scalar_type()].push_back(piece);
        }
    }
    for (const auto& [type, alike] : by_type) {
        for (const auto& part : blocks_of(alike, block_bytes)) {
            // As bytes, because Gloo and NCCL support few types.
            const bool in_place = before == Before::lost && part.size() == 1 && is_plain(part.front());
            if (rank_ == 0 || in_place) {
                broadcast_block(flatten(part).view(at::kByte));
            } else {  // the tensors change only after a complete block has arrived
                const at::Tensor block = at::empty({num_numbers(part)}, part.front().options());
                broadcast_block(block.view(at::kByte));
                unflatten(block, part);
            }
        }
    }
}

void Group::broadcast_block(at::Tensor block) const {
    std::vector<at::Tensor> tensors{std::move(block)};
    collective([&] { process_group_->broadcast(tensors)->wait(); });
    finish();
}

}  // namespace crescendo::trainer
