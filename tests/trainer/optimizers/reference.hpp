#pragma once

#include <string>
#include <vector>

#include "tests/trainer/optimizers/trained.hpp"
#include "tests/trainer/torch_doctest.hpp"

namespace crescendo::trainer::test {

/// Updates the parameters with the gradients and rates of reference.py.
inline void update_as_reference(Trained& trained, std::int64_t first, std::int64_t last, double rate) {
    for (std::int64_t update = first; update < last; ++update) {
        const auto number = static_cast<double>(update);
        double i = 0;
        for (auto& [name, tensor] : trained.parameters) {
            const at::Tensor places = at::arange(tensor.numel(), at::kDouble).add(i).add(0.3 * number);
            const at::Tensor waves = places.sin().add(0.5).view(tensor.sizes());
            tensor.mutable_grad() = tensor.detach().to(at::kDouble).add(waves).to(at::kFloat);
            i += static_cast<double>(tensor.numel());
        }
        trained.optimizer->step(rate * (1 - number / 200));
    }
}

/// Gives a worker the state of another one.
inline void take_over(Trained& to, const Trained& from) {
    to.optimizer->reset(from.optimizer->num_steps());
    const auto given = from.optimizer->state();
    const auto taken = to.optimizer->state();
    REQUIRE(given.size() == taken.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        CHECK(given[i].parameter + "/" + given[i].name == taken[i].parameter + "/" + taken[i].name);
        at::Tensor(taken[i].tensor).copy_(given[i].tensor);
    }
    for (std::size_t i = 0; i < to.parameters.size(); ++i) {
        to.parameters[i].tensor.copy_(from.parameters[i].tensor);
    }
}

inline std::vector<double> numbers_of(const std::vector<at::Tensor>& tensors) {
    std::vector<double> all;
    for (const auto& tensor : tensors) {
        const at::Tensor flat = tensor.detach().to(at::kDouble).flatten();
        all.insert(all.end(), flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
    }
    return all;
}

inline void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
}

/// Checks 100 updates against the numbers of reference.py. After 50 updates another worker takes over the state, as at
/// a regroup, which must not change a bit of the result. `averages` are the weights for evaluations, if these differ
/// from the parameters.
inline void check_reference(const std::string& optimizer, nlohmann::json settings, double rate,
                            const std::vector<double>& expected, const std::vector<double>& averages = {}) {
    CAPTURE(optimizer);
    settings["weight_decay"] = 0.1;
    Trained undisturbed(optimizer, settings);
    Trained first(optimizer, settings);
    Trained second(optimizer, settings);

    update_as_reference(undisturbed, 0, 100, rate);
    update_as_reference(first, 0, 50, rate);
    take_over(second, first);
    update_as_reference(second, 50, 100, rate);

    check_close(numbers_of({second.parameters[0].tensor, second.parameters[1].tensor}), expected);
    check_close(numbers_of(second.optimizer->evaluation_weights()), averages);
    for (std::size_t i = 0; i < second.parameters.size(); ++i) {
        CHECK(at::equal(second.parameters[i].tensor, undisturbed.parameters[i].tensor));
    }
}

}  // namespace crescendo::trainer::test
