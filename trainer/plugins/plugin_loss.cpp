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
                           "{} returns {} for {} samples; it is to return one loss for each", who_,
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
        return {};
    } catch (const InvalidInput& invalid) {
        return {{loss_key, invalid.what()}};
    } catch (const std::runtime_error& thrown) {
        return {{loss_key, thrown.what()}};
    }

  private:
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
