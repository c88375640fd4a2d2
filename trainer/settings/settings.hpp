#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_order.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"

namespace crescendo::trainer {

/// Largest number of classes that a model can distinguish.
inline constexpr std::int64_t most_classes = std::int64_t{1} << 24;

class LossSpec;
class ModelSpec;
struct Catalogue;
struct OptimizerSpec;

/// The distribution of a model's initial weights.
enum class Initialization {
    torch,    ///< torch's default for each layer
    kaiming,  ///< normal, variance 2 / inputs of a unit
    xavier,   ///< normal, variance 2 / (inputs + outputs of a unit)
};

/// How the learning rate depends on the group's batch size.
enum class LearningRateScaling {
    none,
    sqrt,    ///< with the square root of the batch's growth, to keep the noise of adaptive steps (Malladi et al., 2022)
    linear,  ///< with the batch's growth (Goyal et al., "Accurate, Large Minibatch SGD", 2017)
};

/// How the learning rate changes over a trial.
enum class RateShape {
    constant,
    step,       ///< falls by a factor at regular intervals of resource
    cosine,     ///< Loshchilov and Hutter, "SGDR", ICLR 2017, without restarts
    one_cycle,  ///< Smith and Topin, "Super-Convergence", 2018: rises from 1/25, then falls, both as a cosine
    linear,
    polynomial,  ///< falls as (1 - share of the length)^power
};

/// How the learning rate changes over a trial. Resources are in units of ReportInterval.
struct RateSettings {
    RateShape shape = RateShape::constant;
    std::int64_t length = 0;  ///< resource at which the schedule ends; 0: the trial's maximum
    double last = 0.0;        ///< share of the rate that remains at the end
    std::int64_t step = 0;    ///< step: resource from one fall to the next; 0: a third of the length
    double decay = 0.1;       ///< step: factor at each fall
    double power = 2.0;       ///< polynomial
    double rise = 0.3;        ///< one_cycle: share of the length in which the rate rises
};

/// Along which axes images are mirrored, each with a chance of one half.
enum class Flip { none, horizontal, vertical, both };

/// Random changes of the samples that a trial learns from.
struct AugmentationSettings {
    Flip flip = Flip::none;
    std::int64_t crop_padding = 0;  ///< maximum shift of an image in rows and columns; zeros fill the gap
    std::int64_t cutout = 0;        ///< side of a square of zeros (DeVries and Taylor, 2017), clipped at the border
    double noise = 0.0;             ///< standard deviation of the noise on each number

    /// Whether images are mirrored or shifted.
    bool moves() const { return flip != Flip::none || crop_padding > 0; }
};

/// The loss that a trial minimises.
enum class Loss {
    automatic,      ///< cross entropy for classes, else the mean squared error
    cross_entropy,  ///< of classes
    mse,
    mae,
    huber,
    bce,          ///< binary cross entropy of targets from 0 to 1; outputs are logits
    relative_l2,  ///< norm of a sample's error over the norm of its target (Li et al., ICLR 2021)
};

struct LossSettings {
    Loss loss = Loss::automatic;
    double label_smoothing = 0.0;            ///< share spread over all classes, in training (Szegedy et al., CVPR 2016)
    std::vector<double> class_weights = {};  ///< factors in training, one per class; empty: all are 1
    double class_balance = 0.0;              ///< another factor: this power of 1 / samples of the class
    double huber_delta = 1.0;                ///< error at which the Huber loss becomes linear
    std::shared_ptr<const LossSpec> of_plugin = nullptr;  ///< replaces `loss` unless null

    bool weighs_classes() const { return !class_weights.empty() || class_balance > 0; }

    /// The loss of an evaluation: without label smoothing and class weights.
    LossSettings of_evaluation() const { return {.loss = loss, .huber_delta = huber_delta, .of_plugin = of_plugin}; }
};

/// Optional metrics of an evaluation, besides its loss and accuracy.
enum class Metric {
    top5,               ///< share of samples whose class is among the five most likely
    f1,                 ///< mean F1 of the classes that occur
    balanced_accuracy,  ///< mean over the classes that occur of the share of correct answers
    auroc,              ///< mean area under the ROC curve of each class that occurs against the rest
    mae,                ///< mean absolute error of all numbers
    rmse,               ///< root of their mean squared error
    r2,                 ///< coefficient of determination, over all numbers
    relative_l2,        ///< mean over the samples of norm of the error / norm of the target
};

/// The words of settings for the metrics.
inline constexpr Words metric_words{{std::pair{Metric::top5, "top5"},
                                     {Metric::f1, "f1"},
                                     {Metric::balanced_accuracy, "balanced_accuracy"},
                                     {Metric::auroc, "auroc"},
                                     {Metric::mae, "mae"},
                                     {Metric::rmse, "rmse"},
                                     {Metric::r2, "r2"},
                                     {Metric::relative_l2, "relative_l2"}}};

/// The words of settings for the losses.
inline constexpr Words loss_words{{std::pair{Loss::automatic, "auto"},
                                   {Loss::cross_entropy, "cross_entropy"},
                                   {Loss::mse, "mse"},
                                   {Loss::mae, "mae"},
                                   {Loss::huber, "huber"},
                                   {Loss::bce, "bce"},
                                   {Loss::relative_l2, "relative_l2"}}};

/// The number format of a network's computation. Weights, losses and updates are always float32.
enum class Precision {
    float32,
    tf32,  ///< on GPUs: float32, with factors of products cut to 10 bits of fraction; on CPUs: float32
    bf16,  ///< 8 bits of exponent, 7 of fraction
    fp16,  ///< 5 bits of exponent, 10 of fraction; the loss is scaled (LossScale)
};

/// The words of settings for the precisions.
inline constexpr Words precision_words{{std::pair{Precision::float32, "float32"},
                                        {Precision::tf32, "tf32"},
                                        {Precision::bf16, "bf16"},
                                        {Precision::fp16, "fp16"}}};

/// Whether steps on a GPU are recorded once and then replayed by one call (CUDA graphs).
enum class CudaGraphs {
    automatic,  ///< only for the models and losses that come with Crescendo
    on,         ///< also for users' models and losses
    off,
};

/// The words of settings for CudaGraphs.
inline constexpr Words cuda_graphs_words{
    {std::pair{CudaGraphs::automatic, "auto"}, {CudaGraphs::on, "on"}, {CudaGraphs::off, "off"}}};

/// What happens to the optimizer's momentum and moments when a regroup changes the group's batch or size.
enum class StateAtRegroup { keep, reset };

/// Which trials are evaluated on the test samples.
enum class TestTrials {
    best,  ///< only the best trial, when the sweep ends
    all,   ///< every trial, at the last report of its training
};

/// The unit of a trial's resource.
enum class ResourceUnit {
    epochs,
    steps,    ///< updates
    samples,  ///< samples that the group trained on, counted again in each epoch
    seconds,  ///< seconds of the training clock (Progress::seconds), so that reports depend on the machine
};

/// The words of settings for the units.
inline constexpr Words resource_units{{std::pair{ResourceUnit::epochs, "epochs"},
                                       {ResourceUnit::steps, "steps"},
                                       {ResourceUnit::samples, "samples"},
                                       {ResourceUnit::seconds, "seconds"}}};

/// A trial reports after every `every` units. Reports happen between steps, so a long step may skip some.
struct ReportInterval {
    std::int64_t every = 1;
    ResourceUnit unit = ResourceUnit::epochs;

    friend bool operator==(const ReportInterval&, const ReportInterval&) = default;
};

/// Locations of the samples, each FILE:/GROUP or a Selection of it, and how samples are converted to batches.
struct DataSettings {
    std::string train = {};
    std::string validation = {};                  ///< empty: no validation metrics
    std::string test = {};                        ///< empty: none; only `evaluate` needs them
    std::vector<std::string> inputs{"inputs"};    ///< names of the data sets with inputs
    std::vector<std::string> targets{"targets"};  ///< names of the data sets with targets
    datasets::TimeWindow window = {};
    /// How to normalise each data set, by name. nullopt: by the mean and spread of the training samples.
    std::map<std::string, std::optional<datasets::Normalization>> normalize = {};
    bool standardize = false;  ///< for data sets that `normalize` does not name; never for integer targets
    datasets::NonFinite nan = datasets::NonFinite::error;
    std::optional<datasets::SampleLayout> layout = {};  ///< none: channels first, unless the last axis looks like them
    std::optional<datasets::Crop> crop = {};
    std::optional<datasets::Pad> pad = {};
    /// Data set with the latitudes of the targets' rows: its name in the group of `train`, or FILE:/PATH. Empty: all
    /// rows have the same weight.
    std::string latitude = {};
    datasets::MissingSources missing_sources = datasets::MissingSources::error;
    std::size_t memory = std::size_t{256} << 20;  ///< bytes a worker may hold of each set
    /// Bytes of memory in which the trainers of a node share decoded samples of all sets; 0: no sharing; nullopt: as
    /// `memory`.
    std::optional<std::size_t> shared_memory = {};
    std::int64_t threads = 2;  ///< threads that read and decode a set
    datasets::Shuffle shuffle = datasets::Shuffle::windowed;

    /// Whether the settings specify the normalization of this data set.
    bool normalizes(const std::string& name) const { return standardize || normalize.contains(name); }

    /// Whether this data set, unless it holds classes, is normalised to mean 0 and spread 1 over the training samples.
    bool standardizes(const std::string& name) const {
        const auto given = normalize.find(name);
        return given != normalize.end() ? !given->second : standardize;
    }

    friend auto operator<=>(const DataSettings&, const DataSettings&) = default;
};

/// The `trainer:` section of a sweep file with one trial's parameters filled in.
struct Settings {
    std::shared_ptr<const ModelSpec> model = nullptr;  ///< not null once the section was read
    Initialization init = Initialization::torch;
    std::string init_from = {};                                ///< file with the initial weights; empty: they are drawn
    std::vector<std::string> init_except = {};                 ///< parameters or modules that `init_from` does not set
    std::shared_ptr<const OptimizerSpec> optimizer = nullptr;  ///< not null once the section was read
    double lr = 0.01;  ///< rate at the trial's first group batch; default: OptimizerSpec::default_lr
    /// Factors on the rate, by name of a parameter or a module (ParameterGroups).
    std::map<std::string, double> lr_factors = {};
    std::int64_t batch_size = 128;
    LearningRateScaling lr_scaling = LearningRateScaling::linear;  ///< the optimizer has the default
    RateSettings rate = {};
    AugmentationSettings augmentation = {};
    LossSettings loss = {};
    std::vector<Metric> metrics = {};
    Precision precision = Precision::float32;
    bool deterministic = false;  ///< whether every operation must give the same bits each time
    CudaGraphs cuda_graphs = CudaGraphs::automatic;
    double clip_norm = 0.0;   ///< maximum norm of an update's gradient, over all parameters; 0: no limit
    double clip_value = 0.0;  ///< maximum absolute value in a gradient; 0: no limit
    double sam = 0.0;         ///< distance of sharpness-aware minimisation; 0: plain gradients
    double ema = 0.0;         ///< decay of the weights' moving average, used by evaluations; 0: they use the weights
    double warmup = 0.0;      ///< epochs over which the rate rises from 0 at the trial's start
    double rescale_warmup = 1.0;  ///< epochs over which the rate rises after the batch grew
    StateAtRegroup optimizer_state = StateAtRegroup::keep;
    /// Time between checkpoints, apart from those at milestones; zero: no such checkpoints. nullopt: ten minutes, or
    /// longer, so that writing takes less than 1 % of the time.
    std::optional<std::chrono::seconds> checkpoint_every = {};
    ReportInterval report = {};
    TestTrials test_trials = TestTrials::best;
    std::int64_t classes = 0;  ///< 0: counted in the training targets
    DataSettings data = {};
};

/// A problem with one setting. `key` is the setting's dotted path, such as "trainer.optimizer".
struct Problem {
    std::string key;
    std::string message;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Key of problems with plug-ins that cannot be loaded. Other problems may then be undetected.
inline constexpr const char* plugins_key = "trainer.plugins";

/// Reads the section and adds everything that is wrong with it to `problems`: unknown keys, wrong types, values out of
/// range. Settings that cannot be used keep their defaults.
///
/// Settings of models and optimizers other than the chosen ones have no effect, but are checked too, so that a search
/// may try several models.
Settings parse_settings(const nlohmann::json& section, const Catalogue& catalogue, std::vector<Problem>& problems);

/// Throws InvalidInput with all of `problems`, one per line, if there are any.
void require_none(const std::vector<Problem>& problems);

/// Reads the section. Throws InvalidInput with everything that is wrong with it.
Settings read_settings(const nlohmann::json& section, const Catalogue& catalogue);

}  // namespace crescendo::trainer
