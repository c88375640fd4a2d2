#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/dry_run.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/lone_value.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/named_tensor.hpp"
#include "trainer/protocol/error_words.hpp"
#include "trainer/protocol/failure.hpp"

namespace crescendo::trainer {

using nlohmann::json;
using Script = torch::jit::Module;

namespace {

constexpr const char* model_key = "trainer.model";
constexpr const char* how_to_export = "in Python, write it with torch.jit.script(model).save('model.pt')";

/// The sentence of an error message that says what is wrong: torch's first, or TorchScript's last line.
std::string essence(const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    std::string words = of_torch ? of_torch->what_without_backtrace() : error.what();
    words.erase(words.find_last_not_of('\n') + 1);
    if (const auto last = words.rfind("\nRuntimeError: "); last != std::string::npos) {
        words = words.substr(last + 1);
    } else if (words.starts_with("The following operation failed in the TorchScript interpreter")) {
        words = words.substr(words.rfind('\n') + 1);
    }
    words = words.substr(0, words.find('\n'));
    return words.substr(0, words.find(". "));
}

Script load(const std::string& file) {
    CRESCENDO_VALIDATE(std::filesystem::exists(file), model_key, "{}: there is no such file", file);
    try {
        return torch::jit::load(file, at::kCPU);
    } catch (const std::exception& error) {
        throw InvalidInput(text("{} is not TorchScript: {}; {}", file, essence(error), how_to_export), model_key);
    }
}

/// Calls `look` with every operation of forward(), including those of the functions that it calls.
void look_at_operations(const Script& script, const std::function<void(const torch::jit::Node&)>& look) {
    const auto graph = script.get_method("forward").graph()->copy();
    torch::jit::Inline(*graph);
    const std::function<void(const torch::jit::Block*)> walk = [&](const torch::jit::Block* block) {
        for (const auto* node : block->nodes()) {
            look(*node);
            for (const auto* inner : node->blocks()) {
                walk(inner);
            }
        }
    };
    walk(graph->block());
}

bool draws_random_numbers(const Script& script) {
    // Torch does not mark these operations as random.
    static const std::set<std::string> in_place{"bernoulli_",  "cauchy_", "exponential_", "geometric_",
                                                "log_normal_", "normal_", "random_",      "uniform_"};
    bool found = false;
    look_at_operations(script, [&](const torch::jit::Node& node) {
        const std::string name = node.kind().toUnqualString();
        found = found || node.isNondeterministic() || name.find("dropout") != std::string::npos ||
                name == "scaled_dot_product_attention" || in_place.contains(name);
    });
    return found;
}

/// The name of the attribute that a value is, or from which it was computed: "layer.weight". Empty if there is none.
std::string attribute_behind(const torch::jit::Value* value) {
    std::string name;
    const auto* node = value->node();
    for (; !node->inputs().empty(); node = node->input(0)->node()) {
        if (node->kind() == torch::jit::prim::GetAttr) {
            name = node->s(torch::jit::attr::name) + (name.empty() ? "" : "." + name);
        }
    }
    return name;
}

/// The attributes that forward() may change in place. May include others.
std::set<std::string> changed_attributes(const Script& script) {
    std::set<std::string> names;
    look_at_operations(script, [&](const torch::jit::Node& node) {
        const auto* schema = node.maybeSchema();
        for (std::size_t i = 0; schema != nullptr && i < schema->arguments().size(); ++i) {
            const auto* alias = schema->arguments()[i].alias_info();
            if (alias != nullptr && alias->isWrite()) {
                names.insert(attribute_behind(node.inputs()[i]));
            }
        }
    });
    return names;
}

/// Converts a constant of the settings to the attribute's type; nullopt if the types differ.
std::optional<c10::IValue> value_of(const json& constant, const c10::Type& type) {
    switch (type.kind()) {
        case c10::TypeKind::BoolType:
            return constant.is_boolean() ? std::optional<c10::IValue>(constant.get<bool>()) : std::nullopt;
        case c10::TypeKind::FloatType:
            return constant.is_number() ? std::optional<c10::IValue>(constant.get<double>()) : std::nullopt;
        case c10::TypeKind::StringType:
            return constant.is_string() ? std::optional<c10::IValue>(constant.get<std::string>()) : std::nullopt;
        case c10::TypeKind::IntType:
            // Samplers produce doubles.
            if (constant.is_number() && constant.get<double>() == static_cast<double>(constant.get<std::int64_t>())) {
                return constant.get<std::int64_t>();
            }
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

/// The attributes that a constant may set: "slope (float), act (str)".
std::string settable_attributes(const Script& script) {
    std::string all;
    for (std::size_t i = 0; i < script.type()->numAttributes(); ++i) {
        const auto& type = script.type()->getAttribute(i);
        const std::string& name = script.type()->getAttributeName(i);
        const bool is_torchs = name == "training" || name.starts_with("_");
        const bool is_settable = type->kind() == c10::TypeKind::BoolType || type->kind() == c10::TypeKind::FloatType ||
                                 type->kind() == c10::TypeKind::StringType || type->kind() == c10::TypeKind::IntType;
        if (is_settable && !is_torchs) {
            all += text("{}{} ({})", all.empty() ? "" : ", ", name, type->annotation_str());
        }
    }
    return all.empty() ? "none" : all;
}

/// `path` is the dotted path of the setting, `trainer.constants`.
void set_constants(Script script, const json& constants, const std::string& path) {
    for (const auto& [name, value] : constants.items()) {
        const std::string place = path + "." + name;
        CRESCENDO_VALIDATE(name != "training", place,
                           "the trainer sets training before each step and evaluation; leave it out, and give the "
                           "model another attribute");
        const auto& type = *script.type();
        CRESCENDO_VALIDATE(!type.findConstantSlot(name), place,
                           "{} is Final or in __constants__, so its value is built in; make it a plain attribute",
                           name);
        CRESCENDO_VALIDATE(
            type.findAttributeSlot(name), place,
            "the model has no attribute {}, so this would change nothing; attributes that can be set: {}", name,
            settable_attributes(script));
        if (value.is_object() && script.attr(name).isModule()) {
            set_constants(script.attr(name).toModule(), value, place);
            continue;
        }
        const auto found = value_of(value, *type.getAttribute(name));
        CRESCENDO_VALIDATE(found, place, "{} cannot be used here: {} has the type {}", value.dump(), name,
                           type.getAttribute(name)->annotation_str());
        script.setattr(name, *found);
    }
}

/// A TorchScript network. Its parameters and buffers are also registered in this module, with their names in torch's
/// state_dict. Parameters that do not require gradients are frozen. Frozen parameters that forward() changes, such as
/// an average of another network, are buffers here.
///
/// The script runs without optimization, operation by operation, as Python runs the model. TorchScript would optimise
/// it after a few runs, and then a network that was loaded later would differ in the last bits.
class ScriptModel : public Model {
  public:
    explicit ScriptModel(const Script& script, const Task& task)
        : script_(script),
          is_random_(draws_random_numbers(script)),
          gives_numbers_(task.kind != Task::Kind::classification) {
        share_tensors(*this, script_, changed_attributes(script), /*prefix=*/"");
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        const at::Tensor outputs = run(inputs, dropout_keys);
        return gives_numbers_ ? outputs.reshape({inputs.size(0), -1}) : outputs;
    }

    bool drops_units() const override { return is_random_; }
    bool reads_keys_on_host() const override { return true; }

    std::vector<std::string> other_names(const std::string& name) const override {
        const auto found = other_names_.find(name);
        return found == other_names_.end() ? std::vector<std::string>() : found->second;
    }

    /// Writes the network with its present weights, in evaluation mode.
    void save(const std::filesystem::path& file) const {
        Script copy = script_.deepcopy();
        copy.eval();
        copy.save(file.string());
    }

    void train(bool on) override {
        Model::train(on);
        script_.train(on);
    }

  private:
    /// Shortens TorchScript's errors, whose tracebacks of many lines would hide the cause. TorchScript also replaces
    /// the type of errors, so that of out of memory is restored.
    at::Tensor run(const at::Tensor& inputs, const at::Tensor& dropout_keys) try {
        const torch::jit::GraphOptimizerEnabledGuard as_written(false);
        const auto once = [&] {
            if (is_random_) {
                seed_generator(dropout_keys);
            }
            return script_.forward({inputs}).toTensor();
        };
        return run_with_lone_value(*this, inputs.size(0), once, [this](bool on) { evaluate_norms(on); });
    } catch (const std::runtime_error& error) {
        TORCH_CHECK_WITH(OutOfMemoryError, !says_out_of_memory(error.what()), essence(error));
        throw std::runtime_error(in_words_of_settings(essence(error)));
    }

    /// Every module with a running mean counts as a batch norm, including a user's own.
    void evaluate_norms(bool on) {
        for (Script module : script_.modules()) {
            if (module.type()->findAttributeSlot("running_mean") && module.type()->findAttributeSlot("training")) {
                module.setattr("training", !on);
            }
        }
    }

    /// Gives the script a copy of a tensor whose elements share memory, as after expand(), because it could not be
    /// overwritten.
    static at::Tensor writable(Script script, const std::string& name, const at::Tensor& tensor) {
        if (tensor.requires_grad() || at::has_internal_overlap(tensor) != at::MemOverlap::Yes) {
            return tensor;
        }
        const at::Tensor own = tensor.contiguous();
        script.setattr(name, own);
        return own;
    }

    void share_tensors(torch::nn::Module& to, Script from, const std::set<std::string>& changed,
                       const std::string& prefix) {
        for (const auto& [name, tensor] : from.named_parameters(/*recurse=*/false)) {
            const auto twin = std::ranges::find_if(
                parameters_, [&](const NamedTensor& other) { return are_one(other.tensor, tensor); });
            if (twin != parameters_.end()) {
                from.setattr(name, twin->tensor);  // one parameter under two names, stored once in the file
                other_names_[twin->name].push_back(prefix + name);
                continue;
            }
            parameters_.push_back({prefix + name, tensor});
            const at::Tensor own = writable(from, name, tensor);
            if (own.requires_grad() || !changed.contains(prefix + name)) {
                to.register_parameter(name, own, own.requires_grad());
            } else {
                to.register_buffer(name, own);
            }
        }
        for (const auto& [name, tensor] : from.named_buffers(/*recurse=*/false)) {
            to.register_buffer(name, writable(from, name, tensor));
        }
        for (const auto& [name, child] : from.named_children()) {
            share_tensors(*to.register_module(name, std::make_shared<torch::nn::Module>()), child, changed,
                          prefix + name + ".");
        }
    }

    Script script_;
    bool is_random_;
    bool gives_numbers_;  ///< whether outputs are numbers to predict, of any shape
    std::vector<NamedTensor> parameters_;
    std::map<std::string, std::vector<std::string>> other_names_;
};

/// Throws InvalidInput for state that a trial could not keep over a regroup.
void expect_carried(const Script& script, const std::string& file) {
    look_at_operations(script, [&](const torch::jit::Node& node) {
        CRESCENDO_VALIDATE(node.kind() != torch::jit::prim::SetAttr, model_key,
                           "{} sets its attribute {} in forward(), but regroups and checkpoints do not carry it; make "
                           "it a buffer, and change it in place: self.{}.copy_(…)",
                           file, node.s(torch::jit::attr::name), node.s(torch::jit::attr::name));
    });
    bool learns = false;
    for (const auto& [name, tensor] : script.named_parameters()) {
        CRESCENDO_VALIDATE(tensor.scalar_type() == at::kFloat, model_key,
                           "{}: its parameter {} is {}, but the trainer takes float32; use model.float()", file, name,
                           c10::toString(tensor.scalar_type()));
        learns = learns || tensor.requires_grad();
    }
    CRESCENDO_VALIDATE(learns, model_key, "{} has no parameter that requires a gradient, so there is nothing to learn",
                       file);
}

/// Throws InvalidInput if the outputs do not fit the task's targets.
void expect_fit(Script script, const Task& task, const at::Tensor& inputs, const std::string& file) {
    c10::IValue outputs;
    try {
        script.eval();
        outputs = script.forward({inputs});
    } catch (const std::exception& error) {
        throw InvalidInput(text("{} fails with inputs of {} (a batch of {}, float32): {}; make forward() accept the "
                                "samples as they are stored",
                                file, shape_text(inputs.sizes().vec()), dry_samples(task), essence(error)),
                           model_key);
    }
    CRESCENDO_VALIDATE(outputs.isTensor(), model_key, "{} returns {}; forward() must return one tensor", file,
                       outputs.tagKind());
    const auto misfit = misfit_of_outputs(task, outputs.toTensor().sizes().vec(), inputs.size(0));
    CRESCENDO_VALIDATE(misfit.empty(), model_key, "{} {}", file, misfit);
}

/// Tensors of a script that are neither parameters nor buffers, and so are lost at a regroup.
std::vector<std::pair<std::string, at::Tensor>> plain_tensors(const Script& script) {
    std::vector<at::Tensor> carried;
    for (const auto& tensor : script.parameters()) {
        carried.push_back(tensor);
    }
    for (const auto& tensor : script.buffers()) {
        carried.push_back(tensor);
    }
    std::vector<std::pair<std::string, at::Tensor>> plain;
    for (const auto& [name, value] : script.named_attributes()) {
        const auto is_this = [&](const at::Tensor& tensor) { return tensor.is_same(value.toTensor()); };
        if (value.isTensor() && value.toTensor().defined() && std::ranges::none_of(carried, is_this)) {
            plain.emplace_back(name, value.toTensor());
        }
    }
    return plain;
}

/// Throws InvalidInput if forward() keeps state that a trial would lose at a regroup: in a list, or in a tensor that is
/// not a buffer.
void expect_no_hidden_state(const Script& script, const Task& task, const at::Tensor& inputs, const std::string& file) {
    ScriptModel model(script, task);
    auto fixed = plain_tensors(script);
    for (const auto& parameter : model.named_parameters()) {
        if (!parameter.value().requires_grad()) {
            fixed.emplace_back(parameter.key(), parameter.value());
        }
    }
    std::vector<at::Tensor> before;
    for (const auto& [name, tensor] : fixed) {
        before.push_back(tensor.clone());
    }
    const auto expect_unchanged = [&] {
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            const auto& [name, tensor] = fixed[i];
            CRESCENDO_VALIDATE(at::allclose(tensor, before[i], /*rtol=*/0, /*atol=*/0, /*equal_nan=*/true), model_key,
                               "{} changes its attribute {} in forward(), but the trial's other workers would not see "
                               "that; make it a buffer: self.register_buffer('{}', …)",
                               file, name, name);
        }
    };
    model.train(true);
    model.forward(inputs, {});
    expect_unchanged();
    model.eval();
    model.forward(inputs, {});
    expect_unchanged();
    expect_stateless(model, inputs, file);
}

class ScriptSpec : public ModelSpec {
  public:
    explicit ScriptSpec(Section& section) {
        section.text("model", file_);
        constants_ = section.object("constants");
    }

    std::shared_ptr<Model> make(const Task& task) const override {
        return std::make_shared<ScriptModel>(load_script(), task);
    }

    bool is_users() const override { return true; }

    std::vector<Problem> misfits_of_task(const Task& task) const override try {
        const at::NoGradGuard no_gradients;
        const Script script = load_script();
        const at::Tensor inputs = dry_inputs(task);
        expect_fit(script, task, inputs, file_);
        expect_no_hidden_state(script, task, inputs, file_);
        return {};
    } catch (const InvalidInput& invalid) {
        return {{invalid.key(), invalid.what()}};
    } catch (const std::exception&) {
        return {{model_key, text("{} fails in training: {}", file_, describe_failure().message)}};
    }

    std::string write_network(const Model& model, const Task&, const std::filesystem::path& folder) const override {
        dynamic_cast<const ScriptModel&>(model).save(folder / "model.ts");
        return "model.ts";
    }

  private:
    Script load_script() const {
        Script script = load(file_);
        CRESCENDO_VALIDATE(script.find_method("forward"), model_key, "{} has no forward(); {}", file_, how_to_export);
        set_constants(script, constants_, "trainer.constants");
        expect_carried(script, file_);
        return script;
    }

    std::string file_;
    json constants_;
};

}  // namespace

std::shared_ptr<ModelSpec> read_script(Section& section) { return std::make_shared<ScriptSpec>(section); }

}  // namespace crescendo::trainer
