#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

/// The slots of a sweep: which ones exist, which are free, and which a group takes next.
///
/// If slots share GPUs, and the GPUs of a group must be distinct, a group has at most one worker on each GPU.
///
/// The order in which slots joined or became free makes no difference. Taking or releasing a slot costs O(log n) in the
/// number of slots and nodes; taking one on a node whose slots share GPUs costs O(m) in the number of free slots there.
class SlotPool {
  public:
    explicit SlotPool(bool distinct_gpus = true) : distinct_gpus_(distinct_gpus) {}

    /// Ids are lower than this, and not negative. This limits `places_` to 96 MiB.
    static constexpr std::int32_t end_of_ids = 1 << 22;

    /// Adds a free slot. It may have been lost before, but must not be there now.
    void join(Slot slot);

    /// Removes a free slot. knows() still returns true for it.
    void lose(SlotId slot);

    /// Takes `count` of the free slots, at most num_free_for(group), on as few nodes as possible: first on nodes where
    /// `group` already has slots, then on the node that they fill best. On one node, the lowest ids come first. If
    /// slots share GPUs, slots on the GPUs with the fewest workers of the group come first and, among these, slots on
    /// the GPUs with the fewest taken slots. Slots in `avoided`, which must be in the pool, are taken only if no others
    /// will do.
    std::vector<SlotId> take(int count, const std::vector<SlotId>& group, const std::vector<SlotId>& avoided = {});

    /// Frees slots that were taken.
    void release(const std::vector<SlotId>& slots);

    bool has(SlotId slot) const { return knows(slot) && place_of(slot).is_here; }
    /// Whether the slot ever joined.
    bool knows(SlotId slot) const { return index_of(slot) < places_.size() && place_of(slot).is_known; }
    /// The slot with its place, which is known once the slot has joined.
    Slot slot(SlotId id) const { return {id, nodes_[place_of(id).node].id, place_of(id).gpu}; }
    bool is_free(SlotId slot) const { return has(slot) && place_of(slot).is_free; }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    /// The most slots that a group can have.
    int most_of_group() const { return most_of_group_; }
    /// How many of the free slots `group` can have besides its own.
    int num_free_for(const std::vector<SlotId>& group) const;
    /// All slots that are there, in the order of their ids.
    std::vector<SlotId> slots() const;

  private:
    struct Place {
        std::size_t node = 0;  // index into nodes_
        std::optional<int> gpu = {};
        bool is_known = false;
        bool is_here = false;
        bool is_free = false;
    };
    struct Gpu {
        int num_slots = 0;
        int num_free = 0;
        int num_taken = 0;  // by groups: a slot that take() hides for a moment is neither free nor taken
    };
    struct Node {
        NodeId id;
        std::vector<SlotId> free = {};  // a heap, lowest first
        std::map<int, Gpu> gpus = {};   // that slots share; empty if they share none
        std::size_t num_places = 0;     // how many of the free slots a group without slots on this node can have
    };
    /// Nodes with free slots by their number of places, then by id; with their indices.
    using Order = std::set<std::tuple<std::size_t, NodeId, std::size_t>>;
    /// Slots of a group on each shared GPU of a node.
    using Members = std::map<int, int>;

    static std::size_t index_of(SlotId slot) { return static_cast<std::size_t>(slot.value); }
    const Place& place_of(SlotId slot) const { return places_[index_of(slot)]; }
    Place& place_of(SlotId slot) { return places_[index_of(slot)]; }
    std::size_t index_of(NodeId node);
    Gpu* gpu_of(const Place& place);
    /// Whether a slot on `gpu` (null: the slot shares none) is one more that a group can have, besides those counted.
    bool is_place(const Gpu* gpu, int Gpu::*counted) const {
        return !distinct_gpus_ || gpu == nullptr || gpu->*counted == 0;
    }
    std::size_t best_node(std::size_t count, const std::vector<SlotId>& group, const std::vector<SlotId>& taken) const;
    void add_free(SlotId slot);
    void withdraw(SlotId slot);
    void note_not_free(SlotId slot);
    void take_from(std::size_t node, std::size_t count, const std::vector<SlotId>& group, std::vector<SlotId>& taken);
    Members members_on(std::size_t node, const std::vector<SlotId>& group) const;
    std::size_t num_usable(const Node& node, const Members& members) const;
    SlotId pop_lowest(Node& node);
    SlotId pop_by_gpus(Node& node, const Members& members);
    void move_in_order(std::size_t node, std::size_t num_places_before);

    bool distinct_gpus_;
    std::vector<Place> places_;  // by slot
    std::vector<Node> nodes_;
    std::map<NodeId, std::size_t> indices_;
    Order by_num_places_;
    int size_ = 0;
    int most_of_group_ = 0;
    int num_free_ = 0;
    int num_places_ = 0;  // of all nodes
};

}  // namespace crescendo
