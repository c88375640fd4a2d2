#include "core/random.hpp"

#include "core/check.hpp"

namespace crescendo {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

CounterRandom::CounterRandom(std::uint64_t seed, std::uint64_t stream)
    : key_{low(seed), high(seed)}, counter_{0, 0, low(stream), high(stream)} {}

void CounterRandom::refill() {
    auto x = counter_;
    auto key = key_;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xD2511F53ULL * x[0];
        const std::uint64_t b = 0xCD9E8D57ULL * x[2];
        x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    block_ = x;
    used_ = 0;
    if (++counter_[0] == 0) {
        ++counter_[1];
    }
}

std::uint64_t CounterRandom::next() {
    if (used_ == 4) {
        refill();
    }
    const std::uint64_t value = block_[used_] | (std::uint64_t{block_[used_ + 1]} << 32);
    used_ += 2;
    return value;
}

double CounterRandom::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t CounterRandom::below(std::uint64_t bound) {
    CRESCENDO_EXPECT(bound >= 1);
    // Values below `skip` would make small remainders more likely than large ones.
    const std::uint64_t skip = (0 - bound) % bound;
    for (;;) {
        if (const std::uint64_t value = next(); value >= skip) {
            return value % bound;
        }
    }
}

}  // namespace crescendo
