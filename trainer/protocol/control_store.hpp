#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "trainer/protocol/control_channel.hpp"

namespace crescendo::trainer {

/// The store through which the members of one (trial, generation) find each other. Crescendo keeps its content at the
/// other end of the control channel, so it needs no listening port and no shared file.
///
/// Thread-safe. Functions that wait throw the exceptions of ControlChannel::request_all().
class ControlStore : public c10d::Store {
  public:
    /// `channel` must outlive the store.
    ControlStore(ControlChannel& channel, std::int64_t trial, std::int64_t generation,
                 std::chrono::milliseconds timeout);

    c10::intrusive_ptr<c10d::Store> clone() override;

    using Store::compareSet;
    using Store::set;
    void set(const std::string& key, const std::vector<std::uint8_t>& value) override;
    std::vector<std::uint8_t> compareSet(const std::string& key, const std::vector<std::uint8_t>& expected,
                                         const std::vector<std::uint8_t>& desired) override;
    /// Waits until the key exists, and returns its value.
    std::vector<std::uint8_t> get(const std::string& key) override;
    /// Like get() for several keys, with one round trip for all.
    std::vector<std::vector<std::uint8_t>> multiGet(const std::vector<std::string>& keys) override;
    std::int64_t add(const std::string& key, std::int64_t delta) override;
    bool deleteKey(const std::string& key) override;
    bool check(const std::vector<std::string>& keys) override;
    void wait(const std::vector<std::string>& keys) override;
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;
    /// Not needed by our groups: throws c10::NotImplementedError.
    std::int64_t getNumKeys() override;

  private:
    nlohmann::json operation(const char* name) const;
    nlohmann::json perform(const nlohmann::json& request);
    std::vector<nlohmann::json> perform_all(std::vector<nlohmann::json> requests);

    ControlChannel& channel_;
    std::int64_t trial_;
    std::int64_t generation_;
};

}  // namespace crescendo::trainer
