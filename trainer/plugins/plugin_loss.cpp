#include "trainer/plugins/plugin_loss.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/plugins/call.hpp"
#include "trainer/plugins/options.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* loss_key = "trainer.loss";

class PluginLossSpec : public LossSpec {
  public:
    PluginLossSpec(Section& section, const plugin::RegisteredLoss& loss, const std::string& library)
        : loss_(loss),
          who_(text("the loss {} of {}", loss.name, library)),
          options_(read_options(section, loss.options)) {}

    at::Tensor sum(const at::Tensor& outputs, const at::Tensor& targets) const override {
        const at::Tensor losses =
            call_plugin(who_, "its function", [&] { return loss_.losses(outputs, targets, options_); });
        CRESCENDO_VALIDATE(losses.defined() && losses.sizes() == at::IntArrayRef{outputs.size(0)}, loss_key,
                           "{} returns {} for {} samples; it must return one loss for each", who_,
                           !losses.defined()   ? "no tensor"
                           : losses.dim() == 0 ? "a single number"
                                               : shape_text(losses.sizes().vec()),
                           outputs.size(0));
        return losses.sum();
    }

    std::vector<Problem> misfits_of_task(const Task& task) const override try {
        constexpr std::int64_t num_samples = 2;
        const bool classes = task.kind == Task::Kind::classification;
        const at::Tensor outputs = at::zeros({num_samples, task.num_outputs}).requires_grad_();
        const at::Tensor targets =
            classes ? at::zeros({num_samples}, at::kLong) : at::zeros({num_samples, task.num_outputs});
        CRESCENDO_VALIDATE(sum(outputs, targets).requires_grad(), loss_key,
                           "{} has no gradient with respect to the outputs, so nothing can be learned", who_);
        CRESCENDO_VALIDATE(
            repeats_itself(task, targets), loss_key,
            "{} gives different losses for the same outputs and targets: it draws random numbers without a seed, or "
            "keeps state between calls, so a trial would not be reproducible after a crash or a regroup",
            who_);
        return {};
    } catch (const InvalidInput& invalid) {
        return {{loss_key, invalid.what()}};
    } catch (const std::runtime_error& thrown) {
        return {{loss_key, thrown.what()}};
    }

  private:
    /// Whether the loss does not depend on torch's generator. The test uses numbers from 0 to 1, which logarithms need.
    bool repeats_itself(const Task& task, const at::Tensor& targets) const {
        const std::int64_t num_samples = targets.size(0);
        const at::Tensor outputs =
            at::linspace(0.1, 0.9, num_samples * task.num_outputs).view({num_samples, task.num_outputs});
        at::Tensor first;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {  // a mask of two bits may be equal for two seeds
            at::manual_seed(seed);
            const at::Tensor loss = sum(outputs, targets).detach();
            first = first.defined() ? first : loss;
            if (!at::allclose(loss, first, /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true)) {
                return false;
            }
        }
        return true;
    }

    const plugin::RegisteredLoss& loss_;
    std::string who_;
    plugin::Config options_;
};

}  // namespace

std::shared_ptr<LossSpec> read_plugin_loss(Section& section, const plugin::RegisteredLoss& loss,
                                           const std::string& library) {
    return std::make_shared<PluginLossSpec>(section, loss, library);
}

}  // namespace crescendo::trainer
