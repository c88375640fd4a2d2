#include "datasets/samples/shared_chunks.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "datasets/system/page.hpp"

namespace crescendo::datasets {
namespace {

using Clock = std::chrono::steady_clock;  // the same for all processes of a node

/// Longest wait for another process. A process needs longer only if it is stopped.
constexpr std::chrono::seconds patience{1};

constexpr std::uint64_t alignment = 64;  ///< of a chunk's bytes: a cache line
constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t bytes_an_entry = std::size_t{16} << 10;  ///< smaller chunks run out of entries before memory

/// A chunk in the ring. The entries form a ring too, in the order of their bytes.
struct Entry {
    enum class State : std::uint8_t { empty, reading, ready };

    State state = State::empty;
    SharedChunks::Key key;
    std::uint64_t begin = 0;  ///< ring bytes handed out before it, since the ring began
    std::uint64_t size = 0;
    std::uint64_t claimed = 0;  ///< time of the claim, in nanoseconds of Clock
    std::uint32_t process = 0;  ///< process that reads it
    std::uint32_t readers = 0;  ///< number of readers that copy it now
    std::uint32_t next = none;  ///< next entry with the same hash
};

struct Process {
    bool present = false;
    std::array<std::uint32_t, SharedChunks::most_readers> entries;  ///< entries that its readers copy, or `none`
};

/// Start of the shared memory. The entries, the first entry of each hash, and the ring follow it.
struct Header {
    pthread_mutex_t mutex;  ///< guards everything except the bytes of entries
    bool complete = false;  ///< whether the memory is initialized
    bool broken = false;    ///< whether a process died while it changed entries
    std::uint64_t ring_bytes = 0;
    std::uint32_t num_entries = 0;  ///< a power of two
    std::uint64_t first_entry = 0;  ///< number of the oldest entry, since the ring began
    std::uint64_t past_entry = 0;
    std::uint64_t end = 0;  ///< ring bytes handed out since it began
    std::uint32_t num_processes = 0;
    std::array<Process, SharedChunks::most_processes> processes;
};

std::size_t in_pages(std::size_t bytes) { return Page::needed_for(bytes) * sizeof(Page); }

/// Parts of the memory, for a ring of `ring` bytes.
struct Layout {
    std::size_t entries, hashes, ring, total;

    Layout(std::size_t ring_bytes, std::size_t num_entries)
        : entries(in_pages(sizeof(Header))),
          hashes(entries + in_pages(num_entries * sizeof(Entry))),
          ring(hashes + in_pages(num_entries * sizeof(std::uint32_t))),
          total(ring + ring_bytes) {}
};

[[noreturn]] void fail(const char* call, const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), text("{} of shared memory {}", call, path.string()));
}

/// Locks the byte at `offset`; the lock ends with the process. Byte 0 stands for the memory, byte 1 + i for process i.
struct flock lock_of(std::size_t offset) {
    return {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = static_cast<off_t>(offset), .l_len = 1, .l_pid = 0};
}

bool try_lock(int descriptor, std::size_t offset) {
    auto lock = lock_of(offset);
    return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

std::uint64_t nanoseconds_now() {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
}

}  // namespace

class SharedChunks::Memory {
  public:
    Memory(const std::filesystem::path& path, std::size_t bytes);
    ~Memory();

    /// Holds the mutex, unless it cannot be locked.
    class Lock {
      public:
        explicit Lock(Memory& memory) : memory_(memory), held_(memory.lock()) {}
        ~Lock() {
            if (held_) {
                ::pthread_mutex_unlock(&memory_.header().mutex);
            }
        }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
        explicit operator bool() const { return held_; }

      private:
        Memory& memory_;
        bool held_;
    };

    // The following are called with the mutex held.

    std::uint32_t find(const Key& key) const;
    /// Makes room for a chunk. Returns `none` if there is none now.
    std::uint32_t claim(const Key& key, std::size_t bytes);
    /// Takes a free reader of this process to copy the entry; `most_readers` if none is free.
    std::size_t begin_copy(std::uint32_t number);
    void end_copy(std::size_t reader);
    void finish(std::uint32_t number, bool complete);
    bool is_alone() const { return header().num_processes < 2; }
    /// Frees what a process held, if it has died. Returns whether it has died.
    bool bury(std::uint32_t process);

    Entry& entry(std::uint64_t number) const { return entries_[number & (header().num_entries - 1)]; }
    std::span<std::byte> bytes_of(const Entry& entry) const {
        return {ring_ + entry.begin % header().ring_bytes, entry.size};
    }

  private:
    Header& header() const { return *static_cast<Header*>(place_); }
    bool lock();
    void prepare(std::size_t bytes);
    void map(const Layout& layout);
    void enter();

    std::uint32_t& first_of(const Key& key) const;
    void forget(std::uint32_t number);
    bool evict_oldest();
    void leave(std::uint32_t process);

    std::filesystem::path path_;
    FileDescriptor file_;
    void* place_ = MAP_FAILED;
    std::size_t mapped_ = 0;
    Entry* entries_ = nullptr;
    std::uint32_t* hashes_ = nullptr;
    std::byte* ring_ = nullptr;
    std::uint32_t process_ = none;
};

SharedChunks::Memory::Memory(const std::filesystem::path& path, std::size_t bytes)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (!file_) {
        fail("open", path_);
    }
    const auto began = Clock::now();
    while (!try_lock(file_.get(), 0)) {
        if (Clock::now() - began > patience) {
            throw std::runtime_error(text("shared memory {} is locked by a stopped process", path.string()));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    try {
        prepare(bytes);
        enter();
    } catch (...) {
        if (place_ != MAP_FAILED) {
            ::munmap(place_, mapped_);
        }
        throw;
    }
    auto lock = lock_of(0);
    lock.l_type = F_UNLCK;
    ::fcntl(file_.get(), F_OFD_SETLK, &lock);
}

SharedChunks::Memory::~Memory() {
    if (const Lock lock(*this); lock) {
        leave(process_);
    }
    ::munmap(place_, mapped_);
}

/// Maps the memory. Initializes it first, if no process has done so.
void SharedChunks::Memory::prepare(std::size_t bytes) {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) {
        fail("stat", path_);
    }
    if (status.st_size > 0) {
        map(Layout(0, 0));
        const auto ring_bytes = header().ring_bytes;
        const auto num_entries = header().num_entries;
        const bool complete = header().complete;
        ::munmap(std::exchange(place_, MAP_FAILED), mapped_);
        if (!complete) {
            throw std::runtime_error(
                text("shared memory {} is incomplete: the process that prepared it died", path_.string()));
        }
        return map(Layout(ring_bytes, num_entries));
    }
    const auto num_entries = std::bit_ceil(std::max<std::size_t>(1024, bytes / bytes_an_entry));
    const Layout layout(in_pages(bytes), num_entries);
    if (::ftruncate(file_.get(), static_cast<off_t>(layout.total)) != 0) {
        fail("ftruncate", path_);
    }
    map(layout);
    auto& header = *new (place_) Header;
    header.ring_bytes = in_pages(bytes);
    header.num_entries = static_cast<std::uint32_t>(num_entries);
    std::uninitialized_fill_n(entries_, num_entries, Entry());
    std::fill_n(hashes_, num_entries, none);
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&header.mutex, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
    header.complete = true;
}

void SharedChunks::Memory::map(const Layout& layout) {
    mapped_ = layout.total;
    place_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (place_ == MAP_FAILED) {
        fail("mmap", path_);
    }
    auto* begin = static_cast<std::byte*>(place_);
    entries_ = reinterpret_cast<Entry*>(begin + layout.entries);
    hashes_ = reinterpret_cast<std::uint32_t*>(begin + layout.hashes);
    ring_ = begin + layout.ring;
}

/// Takes a process number that no living process has.
void SharedChunks::Memory::enter() {
    const Lock lock(*this);
    if (!lock) {
        throw std::runtime_error(text("shared memory {} is no longer usable", path_.string()));
    }
    for (std::uint32_t i = 0; i < most_processes; ++i) {
        if (try_lock(file_.get(), 1 + i)) {
            if (header().processes[i].present) {
                leave(i);  // the number's previous process is dead
            }
            process_ = i;
            header().processes[i].present = true;
            header().processes[i].entries.fill(none);
            ++header().num_processes;
            return;
        }
    }
    throw std::runtime_error(text("{} processes already use shared memory {}", most_processes, path_.string()));
}

bool SharedChunks::Memory::lock() {
    std::timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += patience.count();
    const int error = ::pthread_mutex_timedlock(&header().mutex, &until);
    if (error == EOWNERDEAD) {
        header().broken = true;  // entries may contradict each other, and others may be copying them
        ::pthread_mutex_consistent(&header().mutex);
    } else if (error != 0) {
        return false;
    }
    if (header().broken) {
        ::pthread_mutex_unlock(&header().mutex);
        return false;
    }
    return true;
}

std::uint32_t& SharedChunks::Memory::first_of(const Key& key) const {
    auto mixed = (key.set ^ static_cast<std::uint64_t>(key.chunk)) * 0x9E3779B97F4A7C15ULL;
    return hashes_[(mixed >> 32) & (header().num_entries - 1)];
}

std::uint32_t SharedChunks::Memory::find(const Key& key) const {
    auto number = first_of(key);
    while (number != none && !(entries_[number].key == key)) {
        number = entries_[number].next;
    }
    return number;
}

std::uint32_t SharedChunks::Memory::claim(const Key& key, std::size_t bytes) {
    auto& head = header();
    if (bytes == 0 || bytes > head.ring_bytes) {
        return none;
    }
    auto begin = (head.end + alignment - 1) / alignment * alignment;
    if (begin % head.ring_bytes + bytes > head.ring_bytes) {
        begin += head.ring_bytes - begin % head.ring_bytes;  // a chunk must be contiguous
    }
    const auto has_room = [&] {
        return head.first_entry == head.past_entry ||
               (begin + bytes - entry(head.first_entry).begin <= head.ring_bytes &&
                head.past_entry - head.first_entry < head.num_entries);
    };
    while (!has_room()) {
        if (!evict_oldest()) {
            return none;
        }
    }
    const auto number = static_cast<std::uint32_t>(head.past_entry++ & (head.num_entries - 1));
    auto& first = first_of(key);
    entries_[number] = {.state = Entry::State::reading,
                        .key = key,
                        .begin = begin,
                        .size = bytes,
                        .claimed = nanoseconds_now(),
                        .process = process_,
                        .next = std::exchange(first, number)};
    head.end = begin + bytes;
    return number;
}

/// Returns false if the oldest entry is in use.
bool SharedChunks::Memory::evict_oldest() {
    const auto number = static_cast<std::uint32_t>(header().first_entry & (header().num_entries - 1));
    const auto in_use = [&] { return entries_[number].state == Entry::State::reading || entries_[number].readers > 0; };
    for (std::uint32_t process = 0; in_use() && process < most_processes; ++process) {
        bury(process);
    }
    if (in_use()) {
        return false;
    }
    if (entries_[number].state == Entry::State::ready) {
        forget(number);
    }
    ++header().first_entry;
    return true;
}

/// Removes an entry from the list of its hash.
void SharedChunks::Memory::forget(std::uint32_t number) {
    auto* link = &first_of(entries_[number].key);
    while (*link != number) {
        link = &entries_[*link].next;
    }
    *link = entries_[number].next;
    entries_[number].state = Entry::State::empty;
}

std::size_t SharedChunks::Memory::begin_copy(std::uint32_t number) {
    auto& readers = header().processes[process_].entries;
    const auto reader = static_cast<std::size_t>(std::find(readers.begin(), readers.end(), none) - readers.begin());
    if (reader < most_readers) {
        readers[reader] = number;
        ++entries_[number].readers;
    }
    return reader;
}

void SharedChunks::Memory::end_copy(std::size_t reader) {
    auto& number = header().processes[process_].entries[reader];
    --entries_[std::exchange(number, none)].readers;
}

void SharedChunks::Memory::finish(std::uint32_t number, bool complete) {
    if (complete) {
        entries_[number].state = Entry::State::ready;
    } else {
        forget(number);
    }
}

bool SharedChunks::Memory::bury(std::uint32_t process) {
    auto lock = lock_of(1 + process);
    if (process == process_ || !header().processes[process].present || ::fcntl(file_.get(), F_OFD_GETLK, &lock) != 0 ||
        lock.l_type != F_UNLCK) {
        return false;
    }
    leave(process);
    return true;
}

/// Frees everything that a process has in use.
void SharedChunks::Memory::leave(std::uint32_t process) {
    auto& head = header();
    for (auto& copied : head.processes[process].entries) {
        if (copied != none) {
            --entries_[std::exchange(copied, none)].readers;
        }
    }
    for (auto i = head.first_entry; i < head.past_entry; ++i) {
        if (entry(i).state == Entry::State::reading && entry(i).process == process) {
            forget(static_cast<std::uint32_t>(i & (head.num_entries - 1)));
        }
    }
    head.processes[process].present = false;
    --head.num_processes;
}

SharedChunks::SharedChunks(const std::filesystem::path& path, std::size_t bytes)
    : memory_(std::make_unique<Memory>(path, bytes)) {}
SharedChunks::~SharedChunks() = default;

SharedChunks::Lease SharedChunks::acquire(const Key& key, std::size_t bytes) {
    Lease lease(*this, State::absent);
    const Memory::Lock lock(*memory_);
    if (!lock || memory_->is_alone()) {
        return lease;
    }
    auto number = memory_->find(key);
    if (number != none && memory_->entry(number).state == Entry::State::reading &&
        memory_->bury(memory_->entry(number).process)) {
        number = memory_->find(key);
    }
    if (number == none) {
        number = memory_->claim(key, bytes);
        lease.state_ = number == none ? State::absent : State::claimed;
    } else if (memory_->entry(number).size != bytes) {
        return lease;
    } else if (const auto& entry = memory_->entry(number); entry.state == Entry::State::reading) {
        lease.state_ = State::reading;
        lease.age_ = std::chrono::nanoseconds(nanoseconds_now() - entry.claimed);
    } else {
        lease.reader_ = memory_->begin_copy(number);
        lease.state_ = lease.reader_ < most_readers ? State::ready : State::absent;
    }
    if (lease.state_ == State::ready || lease.state_ == State::claimed) {
        lease.entry_ = number;
        lease.bytes_ = memory_->bytes_of(memory_->entry(number));
    }
    return lease;
}

SharedChunks::Lease::Lease(Lease&& other) noexcept
    : owner_(other.owner_),
      state_(std::exchange(other.state_, State::absent)),
      entry_(other.entry_),
      reader_(other.reader_),
      bytes_(other.bytes_),
      age_(other.age_) {}

SharedChunks::Lease::~Lease() {
    if (state_ != State::ready && state_ != State::claimed) {
        return;
    }
    if (const Memory::Lock lock(*owner_->memory_); !lock) {
        return;  // its chunks stay in use until the process ends
    } else if (state_ == State::ready) {
        owner_->memory_->end_copy(reader_);
    } else {
        owner_->memory_->finish(entry_, /*complete=*/false);
    }
}

void SharedChunks::Lease::publish() {
    CRESCENDO_EXPECT(state_ == State::claimed);
    if (const Memory::Lock lock(*owner_->memory_); lock) {
        owner_->memory_->finish(entry_, /*complete=*/true);
        state_ = State::absent;
    }
}

}  // namespace crescendo::datasets
