#include "trainer/device/nccl/nccl_groups.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>

#include "core/check.hpp"
#include "trainer/device/nccl/nccl_backend.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* plan_key = "nccl/plan";

/// Separates the communicators that a member offers from the description of its GPU, which follows.
constexpr std::string_view end_of_offers = "\n\n";

std::string member_key(int rank) { return text("nccl/member/{}", rank); }

std::string new_name() {
    std::random_device random;
    return text("{}-{}-{}", random(), random(), random());
}

std::string algorithms_of_environment() {
    const char* algorithms = std::getenv("NCCL_ALGO");
    return algorithms != nullptr ? algorithms : "";
}

nccl::UniqueId new_id(const NcclLibrary& library) {
    nccl::UniqueId id{};
    const auto result = library.get_unique_id(&id);
    if (result != nccl::Result::success) {
        throw NcclError(text("NCCL, ncclGetUniqueId: {}", library.describe(result)));
    }
    return id;
}

}  // namespace

/// Rank 0's instructions for the members.
struct NcclGroups::Plan {
    std::string name;  ///< the communicator's name; "": none, because members share a GPU
    std::string id;    ///< bytes of nccl::UniqueId for a new communicator; "": reuse the kept one

    std::string to_text() const { return name + '\n' + id; }
    static Plan from_text(const std::string& text) {
        const auto end = text.find('\n');
        return {text.substr(0, end), text.substr(end + 1)};
    }
};

std::string NcclGroups::Part::offer(int member) const {
    return text("\n{} {} {} {}", name, member, size, communicator->num_collectives());
}

NcclGroups::NcclGroups(NcclLibrary library, GpuIdentity gpu) : library_(library), gpu_(std::move(gpu)) {}

NcclGroups::~NcclGroups() {
    for (const Part& part : kept_) {  // all in parallel
        end_idle(*part.communicator);
    }
    await_ended();
}

void NcclGroups::warm_up() try {
    NcclCommunicator first(library_, new_id(library_), /*rank=*/0, /*size=*/1, {.timeout = std::chrono::minutes(1)});
    end_idle(first);
} catch (const NcclError& error) {
    std::fprintf(stderr, "trials with several workers cannot train here: %s\n", error.what());
}

c10::intrusive_ptr<c10d::ProcessGroup> NcclGroups::make(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                        int size, const Patience& patience, at::DeviceType place,
                                                        std::shared_ptr<DeviceQueue> queue) {
    const Plan plan = meet(*store, rank, size);
    if (plan.name.empty()) {
        return {};
    }
    std::unique_ptr<NcclCommunicator> communicator;
    if (plan.id.empty()) {
        communicator = take(plan.name);
    } else {
        nccl::UniqueId id{};
        std::memcpy(id.bytes, plan.id.data(), std::min(plan.id.size(), sizeof id.bytes));
        communicator = std::make_unique<NcclCommunicator>(library_, id, rank, size, patience);
    }
    await_ended();
    present_ = {.name = plan.name,
                .rank = rank,
                .size = size,
                .algorithms = algorithms_of_environment(),
                .communicator = nullptr};
    auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
    group->setBackend(
        place, c10d::ProcessGroup::BackendType::NCCL,
        c10::make_intrusive<NcclBackend>(std::move(communicator), std::move(queue), rank, size, patience));
    group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
    return group;
}

void NcclGroups::end(c10d::ProcessGroup& group) {
    present_.communicator = nccl_backend(group)->release();
    if (present_.communicator) {
        kept_.push_front(std::move(present_));
    }
    keep(most_of_a_trial);
}

void NcclGroups::rest() { keep(most_kept); }

void NcclGroups::keep(std::size_t most) {
    for (; kept_.size() > most; kept_.pop_back()) {
        end_idle(*kept_.back().communicator);
    }
}

/// Ends it in the background, because NCCL takes a second for an idle communicator, and a lone worker should not wait.
void NcclGroups::end_idle(NcclCommunicator& communicator) noexcept try {
    std::erase_if(ending_, [](const std::future<void>& each) {
        return each.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    ending_.push_back(communicator.begin_abort());
} catch (const std::exception&) {  // no thread is available; its destructor reports that
}

/// Call it before new collectives. While NCCL frees a communicator's memory, CUDA waits until the GPU is idle, and
/// blocks all other calls of the process. If a collective's peer were lost then, nothing could abort the collective.
void NcclGroups::await_ended() noexcept {
    const auto end = std::chrono::steady_clock::now() + NcclCommunicator::time_to_abort;
    for (const auto& each : ending_) {
        each.wait_until(end);
    }
}

/// Members introduce themselves to rank 0, which instructs all of them. So a member waits for one answer of the store,
/// and rank 0 waits for one per member, all at the same time.
NcclGroups::Plan NcclGroups::meet(c10d::Store& store, int rank, int size) const {
    if (rank != 0) {
        store.set(member_key(rank), introduction());
        return Plan::from_text(store.get_to_str(plan_key));
    }
    std::vector<std::string> members{introduction()};
    std::vector<std::string> others;
    for (int member = 1; member < size; ++member) {
        others.push_back(member_key(member));
    }
    for (const auto& introduced : store.multiGet(others)) {
        members.emplace_back(introduced.begin(), introduced.end());
    }
    const Plan plan = plan_for(members);
    store.set(plan_key, plan.to_text());
    return plan;
}

/// A communicator can be reused only if every member kept it after the same number of collectives. The number is
/// compared because a broadcast may be done at its root before other members begin it.
NcclGroups::Plan NcclGroups::plan_for(const std::vector<std::string>& members) const {
    std::vector<GpuIdentity> gpus;
    for (const auto& member : members) {
        gpus.push_back(read_gpu_identity(member.substr(member.find(end_of_offers) + end_of_offers.size())));
    }
    if (share_a_gpu(gpus)) {
        return {};
    }
    for (const Part& part : kept_) {
        int num_offers = 0;
        for (int rank = 0; rank < static_cast<int>(members.size()); ++rank) {
            const auto& member = members[static_cast<std::size_t>(rank)];
            const auto offers = member.substr(0, member.find(end_of_offers) + 1);
            num_offers += offers.find(part.offer(rank) + '\n') != std::string::npos ? 1 : 0;
        }
        if (num_offers == part.size && members.size() == static_cast<std::size_t>(part.size)) {
            return {.name = part.name, .id = {}};
        }
    }
    const auto id = new_id(library_);
    return {.name = new_name(), .id = std::string(id.bytes, sizeof id.bytes)};
}

std::string NcclGroups::introduction() const {
    std::string offers;
    for (const Part& part : kept_) {
        if (!part.communicator->has_failed() && part.algorithms == algorithms_of_environment()) {
            offers += part.offer(part.rank);
        }
    }
    return offers.append(end_of_offers) + gpu_.to_text();
}

std::unique_ptr<NcclCommunicator> NcclGroups::take(const std::string& name) {
    const auto part = std::ranges::find(kept_, name, &Part::name);
    if (part == kept_.end()) {
        throw NcclError(text("rank 0 chose the communicator {}, which this rank does not have", name));
    }
    auto communicator = std::move(part->communicator);
    kept_.erase(part);
    return communicator;
}

NcclBackend* nccl_backend(const c10d::ProcessGroup& group) {
    return group.getBackendType() == c10d::ProcessGroup::BackendType::NCCL
               ? static_cast<NcclBackend*>(group.getDefaultBackend().get())
               : nullptr;
}

}  // namespace crescendo::trainer
