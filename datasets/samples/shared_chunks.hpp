#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace crescendo::datasets {

/// Decoded chunks in memory that the processes of a node share, so that one process reads and decodes a chunk for all.
/// The memory is a ring: a new chunk replaces the oldest ones. Sharing only ever saves work: a process that finds no
/// room, or waits too long for another, reads for itself. The chunks that a dead process was reading become free. A
/// stopped process keeps its few chunks, and no other process waits for it.
/// All processes must be of the same build. Any number of threads may use an object, but at most `most_readers` of them
/// copy chunks at a time; for the others, chunks are absent.
class SharedChunks {
  public:
    static constexpr std::size_t most_processes = 256;
    static constexpr std::size_t most_readers = 64;

    struct Key {
        std::uint64_t set = 0;  ///< identifies a set and its version
        std::int64_t chunk = 0;

        friend bool operator==(const Key&, const Key&) = default;
    };

    /// Opens the memory at `path`, which must be an existing file on a memory file system. The first process to open it
    /// makes it `bytes` large. Throws std::runtime_error if it cannot be used.
    SharedChunks(const std::filesystem::path& path, std::size_t bytes);
    ~SharedChunks();
    SharedChunks(const SharedChunks&) = delete;
    SharedChunks& operator=(const SharedChunks&) = delete;

    enum class State {
        ready,    ///< the chunk's bytes are available while the lease lives
        claimed,  ///< no process has it: this one must read it for all and publish it
        reading,  ///< another process is reading it
        absent,   ///< no process has it, and it cannot be kept: there is no room, or no other process
    };

    /// What acquire() found. A claimed chunk that is not published before its lease ends becomes free again.
    class Lease {
      public:
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&&) = delete;
        ~Lease();

        State state() const { return state_; }
        /// Bytes of a ready or claimed chunk.
        std::span<std::byte> bytes() const { return bytes_; }
        /// For State::reading, the time since the other process claimed the chunk.
        std::chrono::nanoseconds age() const { return age_; }
        /// Declares the bytes of a claimed chunk complete.
        void publish();

      private:
        friend SharedChunks;
        Lease(SharedChunks& owner, State state) : owner_(&owner), state_(state) {}

        SharedChunks* owner_;
        State state_;
        std::uint32_t entry_ = 0;
        std::size_t reader_ = 0;  ///< index of the process's reader that has it
        std::span<std::byte> bytes_;
        std::chrono::nanoseconds age_{};
    };

    /// Looks for a chunk of `bytes` bytes, and claims it if no process has it.
    Lease acquire(const Key& key, std::size_t bytes);

  private:
    class Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace crescendo::datasets
