#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace crescendo::datasets {

/// Decoded chunks in memory that the processes of a node share, so that one of them reads and decodes a chunk for all.
///
/// The memory is a ring: a new chunk takes the place of the oldest ones. It only ever saves work. A process that finds
/// no room, or waits too long for another, reads for itself. What a dead process was reading becomes free. One that is
/// stopped keeps its few chunks, and nobody waits for it.
///
/// All processes must be of the same build. Any number of threads may use an object, but at most `most_readers` of them
/// copy chunks at a time; the others are told that there is none.
class SharedChunks {
  public:
    static constexpr std::size_t most_processes = 256;
    static constexpr std::size_t most_readers = 64;

    struct Key {
        std::uint64_t set = 0;  ///< tells sets, and versions of a set, apart
        std::int64_t chunk = 0;

        friend bool operator==(const Key&, const Key&) = default;
    };

    /// Opens the memory behind `path`, a file that exists and lies in memory. The first process to open it makes it
    /// `bytes` large. Throws std::runtime_error if it cannot be used.
    SharedChunks(const std::filesystem::path& path, std::size_t bytes);
    ~SharedChunks();
    SharedChunks(const SharedChunks&) = delete;
    SharedChunks& operator=(const SharedChunks&) = delete;

    enum class State {
        ready,    ///< the chunk's bytes are here, and stay as long as the lease
        claimed,  ///< nobody has it: this process reads it for all, and publishes it
        reading,  ///< another process reads it now
        absent,   ///< nobody has it, and it cannot be kept: there is no room, or no other process
    };

    /// What acquire() found. If a claimed chunk is not published before its lease ends, it is free again.
    class Lease {
      public:
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&&) = delete;
        ~Lease();

        State state() const { return state_; }
        /// Of a chunk that is ready, or claimed.
        std::span<std::byte> bytes() const { return bytes_; }
        /// Time since another process claimed a chunk that it reads now.
        std::chrono::nanoseconds age() const { return age_; }
        /// Says that the bytes of a claimed chunk are complete.
        void publish();

      private:
        friend SharedChunks;
        Lease(SharedChunks& owner, State state) : owner_(&owner), state_(state) {}

        SharedChunks* owner_;
        State state_;
        std::uint32_t entry_ = 0;
        std::size_t reader_ = 0;  ///< which of this process's readers has it
        std::span<std::byte> bytes_;
        std::chrono::nanoseconds age_{};
    };

    /// Looks for a chunk of `bytes` bytes, and claims it if nobody has it.
    Lease acquire(const Key& key, std::size_t bytes);

  private:
    class Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace crescendo::datasets
