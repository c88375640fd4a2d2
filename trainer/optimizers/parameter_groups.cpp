#include "trainer/optimizers/parameter_groups.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* all_others = "*";

using Factors = std::map<std::string, double>;

/// The entry of `factors` that applies to a parameter; the end iterator if there is none.
Factors::const_iterator factor_of(const std::string& parameter, const Factors& factors) {
    auto best = factors.find(all_others);
    for (auto each = factors.begin(); each != factors.end(); ++each) {
        const bool longer =
            best == factors.end() || best->first == all_others || each->first.size() > best->first.size();
        if (lies_in(each->first, parameter) && longer) {
            best = each;
        }
    }
    return best;
}

}  // namespace

ParameterGroups::ParameterGroups(const OptimizerSpec& spec, const std::vector<NamedTensor>& parameters,
                                 const Factors& factors)
    : parameters_(parameters) {
    for (const auto& [whole, factor] : factors) {
        if (whole != all_others) {
            expect_one_in(whole, parameters_, "trainer.lr_factors." + whole);
        }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        auto& [name, tensor] = parameters_[i];
        const auto found = factor_of(name, factors);
        const double factor = found == factors.end() ? 1.0 : found->second;
        if (factor == 0.0 || !tensor.requires_grad()) {
            tensor.set_requires_grad(false);
            continue;
        }
        learning_.push_back(tensor);
        auto group = std::ranges::find(groups_, factor, &Group::factor);
        if (group == groups_.end()) {
            group = groups_.insert(groups_.end(), Group{factor, {}, nullptr});
        }
        group->places.push_back(i);
    }
    CRESCENDO_VALIDATE(!groups_.empty(), "trainer.lr_factors",
                       "factors of 0 freeze all parameters of the model, so a trial would learn nothing; leave out the "
                       "parameters to train");
    for (auto& group : groups_) {
        std::vector<NamedTensor> of_group;
        for (const std::size_t place : group.places) {
            of_group.push_back(parameters_[place]);
        }
        group.optimizer = spec.make(of_group);
    }
}

void ParameterGroups::step(double learning_rate) {
    for (const auto& group : groups_) {
        group.optimizer->step(learning_rate * group.factor);
    }
}

std::vector<Optimizer::StateTensor> ParameterGroups::state() const {
    std::vector<Optimizer::StateTensor> all;
    for (const auto& group : groups_) {
        const auto state = group.optimizer->state();
        all.insert(all.end(), state.begin(), state.end());
    }
    return all;
}

void ParameterGroups::reset(std::int64_t num_steps) {
    for (const auto& group : groups_) {
        group.optimizer->reset(num_steps);
    }
}

std::vector<at::Tensor> ParameterGroups::evaluation_weights() const {
    std::vector<at::Tensor> all;
    for (const auto& group : groups_) {
        const auto weights = group.optimizer->evaluation_weights();
        if (weights.empty()) {
            return {};
        }
        if (all.empty()) {
            for (const auto& parameter : parameters_) {
                all.push_back(parameter.tensor.detach());
            }
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            all[group.places[i]] = weights[i];
        }
    }
    return all;
}

}  // namespace crescendo::trainer
