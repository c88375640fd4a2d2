#pragma once

#include <memory>
#include <utility>

#include "trainer/settings/model_spec.hpp"

namespace crescendo::trainer {

/// Base of the spec of a `Network`, which is made from these `Settings` and the task.
template <class Network, class Settings>
class NetworkSpec : public ModelSpec {
  public:
    explicit NetworkSpec(Settings settings = {}) : settings_(std::move(settings)) {}

    std::shared_ptr<Model> make(const Task& task) const final { return std::make_shared<Network>(settings_, task); }

  protected:
    Settings settings_;
};

}  // namespace crescendo::trainer
