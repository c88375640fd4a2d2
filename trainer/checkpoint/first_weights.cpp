#include "trainer/checkpoint/first_weights.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/check.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/checkpoint/saved_tensors.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/named_tensor.hpp"
#include "trainer/optimizers/schedule_free.hpp"

namespace crescendo::trainer {

namespace {

constexpr const char* file_key = "trainer.init_from";
constexpr const char* except_key = "trainer.init_except";

using TensorsByName = std::map<std::string, at::Tensor>;

/// The averages with which a trial of the optimizer schedule_free was evaluated, from its checkpoint. (`model` has the
/// points at which gradients are computed.) Empty for other files.
TensorsByName averages_of_optimizer(const SavedTensors& saved) {
    TensorsByName all;
    const auto words = saved.texts.find("settings");
    const auto model = saved.dicts.find("model");
    const auto optimizer = saved.dicts.find("optimizer");
    if (words == saved.texts.end() || model == saved.dicts.end() || optimizer == saved.dicts.end()) {
        return all;
    }
    const auto settings = nlohmann::json::parse(words->second);
    if (settings.value("optimizer", "") != "schedule_free") {
        return all;
    }
    const double beta = settings.value("schedule_free_beta", default_schedule_free_beta);
    for (const auto& [name, state] : optimizer->second.dicts) {
        all[name] = schedule_free_average(model->second.tensors.at(name), state.tensors.at("z"), beta);
    }
    return all;
}

TensorsByName weights_of(const SavedTensors& saved) {
    TensorsByName all;
    const auto add = [&](const char* of_model) {
        if (const auto found = saved.dicts.find(of_model); found != saved.dicts.end()) {
            all.insert(found->second.tensors.begin(), found->second.tensors.end());
        }
    };
    add("ema");
    all.merge(averages_of_optimizer(saved));
    for (const char* of_model : {"model", "state_dict", "model_state_dict"}) {
        add(of_model);
    }
    return all.empty() ? saved.tensors : all;
}

/// Whether the file is a checkpoint of ours. Other files of torch.save have no digest.
bool is_checkpoint(const SavedTensors& saved) {
    return saved.texts.contains("task") && saved.texts.contains("progress") && saved.dicts.contains("model");
}

/// Damaged weights would train, and only give worse results.
TensorsByName read_pt(const std::string& file) {
    const auto saved = read_saved_tensors(file);
    if (is_checkpoint(saved)) {
        require_undamaged(file);
    }
    return weights_of(saved);
}

TensorsByName without_prefix(const TensorsByName& tensors, const std::string& prefix) {
    if (!std::ranges::all_of(tensors, [&](const auto& each) { return each.first.starts_with(prefix); })) {
        return tensors;
    }
    TensorsByName all;
    for (const auto& [name, tensor] : tensors) {
        all.emplace(name.substr(prefix.size()), tensor);
    }
    return all;
}

TensorsByName read_tensors(const std::string& file) {
    CRESCENDO_VALIDATE(std::filesystem::is_regular_file(file), file_key, "{}: there is no such file", file);
    TensorsByName all;
    try {
        all = file.ends_with(".safetensors") ? read_safetensors(file) : read_pt(file);
    } catch (const DamagedCheckpoint& error) {
        throw InvalidInput(text("{}; restore it from a copy, or name another file", error.what()), file_key);
    } catch (const std::exception&) {
        all.clear();
    }
    CRESCENDO_VALIDATE(!all.empty(), file_key,
                       "{} has no named weights: it is damaged, a whole pickled module, or TorchScript; in Python, "
                       "save the weights with torch.save(model.state_dict(), 'weights.pt')",
                       file);
    return without_prefix(all, "module.");
}

/// Removes from the file's tensors the one with the first of these names that it has, and its copies under the other
/// names.
std::optional<at::Tensor> take_out(TensorsByName& tensors, const std::vector<std::string>& names) {
    std::optional<at::Tensor> taken;
    for (const auto& name : names) {
        const auto found = tensors.find(name);
        if (found == tensors.end()) {
            continue;
        }
        const at::Tensor tensor = found->second;
        if (!taken || (taken->scalar_type() == tensor.scalar_type() && at::equal(*taken, tensor))) {
            taken = tensor;
            tensors.erase(found);
        }
    }
    return taken;
}

/// Collects mismatches, and lists the first few.
class Misfits {
  public:
    void add(const std::string& words) {
        if (++count_ <= most_named) {
            words_ += (words_.empty() ? "" : ", ") + words;
        }
    }

    std::string text() const {
        return count_ > most_named ? words_ + ", and " + std::to_string(count_ - most_named) + " more" : words_;
    }

  private:
    static constexpr int most_named = 3;
    int count_ = 0;
    std::string words_;
};

}  // namespace

void take_first_weights(Trial& trial) {
    const auto& file = trial.settings().init_from;
    if (file.empty()) {
        return;
    }
    TensorsByName tensors = read_tensors(file);
    const auto network = trial.named_tensors();
    const auto& drawn = trial.settings().init_except;
    const auto is_drawn = [&](const std::string& name) {
        return std::ranges::any_of(drawn, [&](const std::string& whole) { return lies_in(whole, name); });
    };
    for (const auto& whole : drawn) {
        expect_one_in(whole, network, except_key);
    }

    const at::NoGradGuard no_gradients;
    Misfits misfits;
    std::vector<at::Tensor> known;  // tensors of the file that the model also has
    for (const auto& [name, tensor] : network) {
        std::vector<std::string> names{name};
        std::ranges::copy(trial.model().other_names(name), std::back_inserter(names));
        const auto taken = take_out(tensors, names);
        if (taken) {
            known.push_back(*taken);
        }
        if (is_drawn(name)) {
            continue;
        }
        if (!taken) {
            if (!name.ends_with("num_batches_tracked")) {  // earlier versions of torch did not have it
                misfits.add(text("it lacks {}", name));
            }
        } else if (taken->sizes() == tensor.sizes()) {
            at::Tensor(tensor).copy_(*taken);
        } else {
            misfits.add(text("its {} is {}, but {} in the model", name, shape_text(taken->sizes().vec()),
                             shape_text(tensor.sizes().vec())));
        }
    }
    const auto is_known = [&](const at::Tensor& tensor) {
        return std::ranges::any_of(known, [&](const at::Tensor& other) { return are_one(other, tensor); });
    };
    for (const auto& [name, tensor] : tensors) {
        if (!is_drawn(name) && !is_known(tensor)) {
            misfits.add(text("the model has no {}", name));
        }
    }
    CRESCENDO_VALIDATE(
        misfits.text().empty(), file_key,
        "{} does not fit the model: {}; name what to learn from scratch in trainer.init_except, such as the last layer",
        file, misfits.text());

    trial.begin_averages();
}

}  // namespace crescendo::trainer
