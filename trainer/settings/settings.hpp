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

/// The most classes that a model can tell apart.
inline constexpr std::int64_t most_classes = std::int64_t{1} << 24;

class LossSpec;
class ModelSpec;
struct Catalogue;
struct OptimizerSpec;

/// What a model's weights are drawn from at first.
enum class Initialization {
    torch,    ///< torch's default for each layer
    kaiming,  ///< normal, variance 2 / inputs of a unit
    xavier,   ///< normal, variance 2 / (inputs + outputs of a unit)
};

/// How the learning rate follows the group's batch.
enum class LearningRateScaling {
    none,
    sqrt,  ///< by the square root of the batch's growth, which keeps the noise of adaptive steps (Malladi et al., 2022)
    linear,  ///< by the batch's growth (Goyal et al., "Accurate, Large Minibatch SGD", 2017)
};

/// How the learning rate changes over a trial.
enum class RateShape {
    constant,
    step,       ///< falls by a factor after so much resource
    cosine,     ///< Loshchilov and Hutter, "SGDR", ICLR 2017, without restarts
    one_cycle,  ///< Smith and Topin, "Super-Convergence", 2018: rises from 1/25 and falls, both as a cosine
    linear,
    polynomial,  ///< (1 - share of the trial)^power
};

/// The learning rate over a trial. Resource is in units of ReportInterval.
struct RateSettings {
    RateShape shape = RateShape::constant;
    std::int64_t length = 0;  ///< resource at which the rate ends; 0: the most that a trial gets
    double last = 0.0;        ///< share of the rate that is left at the end
    std::int64_t step = 0;    ///< step: resource from one fall to the next; 0: a third of the length
    double decay = 0.1;       ///< step: factor of a fall
    double power = 2.0;       ///< polynomial
    double rise = 0.3;        ///< one_cycle: share of the length in which the rate rises
};

/// On which axes half of the images are mirrored.
enum class Flip { none, horizontal, vertical, both };

/// What is done by chance to the samples that a trial learns from.
struct AugmentationSettings {
    Flip flip = Flip::none;
    std::int64_t crop_padding = 0;  ///< most rows and columns by which an image is shifted; zeros follow
    std::int64_t cutout = 0;        ///< side of a square of zeros (DeVries and Taylor, 2017), which the border may cut
    double noise = 0.0;             ///< standard deviation of what is added to each number

    /// Whether images are mirrored or shifted.
    bool moves() const { return flip != Flip::none || crop_padding > 0; }
};

/// What a trial minimises.
enum class Loss {
    automatic,      ///< cross entropy for classes, else the mean squared error
    cross_entropy,  ///< of classes
    mse,
    mae,
    huber,
    bce,          ///< binary cross entropy of targets from 0 to 1; outputs are logits
    relative_l2,  ///< length of a sample's error over that of its target (Li et al., ICLR 2021)
};

struct LossSettings {
    Loss loss = Loss::automatic;
    double label_smoothing = 0.0;  ///< share of a class that all classes get, in training (Szegedy et al., CVPR 2016)
    std::vector<double> class_weights = {};  ///< factors of samples by their class, in training; empty: all are 1
    double class_balance = 0.0;              ///< power of 1 / number of samples of a class, a further factor
    double huber_delta = 1.0;                ///< error at which the Huber loss becomes linear
    std::shared_ptr<const LossSpec> of_plugin = nullptr;  ///< takes the place of `loss`

    bool weighs_classes() const { return !class_weights.empty() || class_balance > 0; }

    /// The loss of an evaluation, which knows the right class and takes all samples alike.
    LossSettings of_evaluation() const { return {.loss = loss, .huber_delta = huber_delta, .of_plugin = of_plugin}; }
};

/// Metrics of an evaluation beside its loss and accuracy.
enum class Metric {
    top5,               ///< share of samples with the right class among the five likeliest
    f1,                 ///< mean F1 of the classes that occur
    balanced_accuracy,  ///< mean share of right answers over the classes that occur
    auroc,              ///< mean area under the ROC curve, of each class that occurs against the others
    mae,                ///< mean absolute error of all numbers
    rmse,               ///< root of their mean squared error
    r2,                 ///< coefficient of determination, over all numbers
    relative_l2,        ///< mean length of a sample's error over that of its target
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

/// In what numbers a network computes. Weights, losses and updates are float32 in all of them.
enum class Precision {
    float32,
    tf32,  ///< on GPUs: products of float32 numbers that were cut to 10 bits of fraction; on CPUs: float32
    bf16,  ///< 8 bits of exponent, 7 of fraction
    fp16,  ///< 5 bits of exponent, 10 of fraction; the loss is scaled (LossScale)
};

/// The words of settings for the precisions.
inline constexpr Words precision_words{{std::pair{Precision::float32, "float32"},
                                        {Precision::tf32, "tf32"},
                                        {Precision::bf16, "bf16"},
                                        {Precision::fp16, "fp16"}}};

/// Whether steps on a GPU are recorded once and then done again by one call.
enum class CudaGraphs {
    automatic,  ///< those of the models and losses that come with Crescendo
    on,         ///< also of users' models and losses
    off,
};

/// The words of settings for them.
inline constexpr Words cuda_graphs_words{
    {std::pair{CudaGraphs::automatic, "auto"}, {CudaGraphs::on, "on"}, {CudaGraphs::off, "off"}}};

/// What happens to momentum and moments when a regroup changes the group's batch or size.
enum class StateAtRegroup { keep, reset };

/// Which trials are measured on the test samples.
enum class TestTrials {
    best,  ///< the best one, when the sweep ends
    all,   ///< each, at the report that ends its training
};

/// What a trial's resource counts.
enum class ResourceUnit {
    epochs,
    steps,    ///< updates
    samples,  ///< samples that the group trained on, again in each epoch
    seconds,  ///< seconds of the training clock (Progress::seconds), so that reports depend on the machine
};

/// The words of settings for the units.
inline constexpr Words resource_units{{std::pair{ResourceUnit::epochs, "epochs"},
                                       {ResourceUnit::steps, "steps"},
                                       {ResourceUnit::samples, "samples"},
                                       {ResourceUnit::seconds, "seconds"}}};

/// A trial reports after each `every` units. A report comes between two steps, so a long step may pass over some.
struct ReportInterval {
    std::int64_t every = 1;
    ResourceUnit unit = ResourceUnit::epochs;

    friend bool operator==(const ReportInterval&, const ReportInterval&) = default;
};

/// Locations of the samples, each FILE:/GROUP or a Selection of it, and how samples come into a batch.
struct DataSettings {
    std::string train = {};
    std::string validation = {};                  ///< empty: no validation metrics
    std::string test = {};                        ///< empty: only `evaluate` needs it
    std::vector<std::string> inputs{"inputs"};    ///< names of the data sets with inputs
    std::vector<std::string> targets{"targets"};  ///< names of the data sets with targets
    datasets::TimeWindow window = {};
    /// How to normalise each data set. Without a value: by the mean and spread of the training samples.
    std::map<std::string, std::optional<datasets::Normalization>> normalize = {};
    bool standardize = false;  ///< whether to standardize what `normalize` does not name; never integer targets
    datasets::NonFinite nan = datasets::NonFinite::error;
    std::optional<datasets::SampleLayout> layout = {};  ///< none: channels first, unless they look like the last axis
    std::optional<datasets::Crop> crop = {};
    std::optional<datasets::Pad> pad = {};
    /// Data set with the latitudes of the targets' rows: its name in the group of `train`, or FILE:/PATH. Empty: rows
    /// weigh alike.
    std::string latitude = {};
    datasets::MissingSources missing_sources = datasets::MissingSources::error;
    std::size_t memory = std::size_t{256} << 20;  ///< bytes a worker may hold of each set
    /// Bytes in which the trainers of a node share decoded samples, of all sets; 0: none. Without a value, as `memory`.
    std::optional<std::size_t> shared_memory = {};
    std::int64_t threads = 2;  ///< threads that read and decode a set
    datasets::Shuffle shuffle = datasets::Shuffle::windowed;

    /// Whether the settings say how this data set's numbers are normalised.
    bool normalizes(const std::string& name) const { return standardize || normalize.contains(name); }

    /// Whether its numbers, if they are no classes, get the mean 0 and the spread 1 of the training samples.
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
    std::string init_from = {};  ///< file with the weights that a trial begins with; empty: they are drawn
    std::vector<std::string> init_except = {};  ///< parameters, or modules of them, that are drawn all the same
    std::shared_ptr<const OptimizerSpec> optimizer = nullptr;  ///< not null once the section was read
    double lr = 0.01;  ///< rate at the trial's first group batch; the optimizer has the default
    /// Factors of the rate, by names of parameters or of modules of them (ParameterGroups).
    std::map<std::string, double> lr_factors = {};
    std::int64_t batch_size = 128;
    LearningRateScaling lr_scaling = LearningRateScaling::linear;  ///< the optimizer has the default
    RateSettings rate = {};
    AugmentationSettings augmentation = {};
    LossSettings loss = {};
    std::vector<Metric> metrics = {};
    Precision precision = Precision::float32;
    bool deterministic = false;  ///< whether every operation gives the same bits each time
    CudaGraphs cuda_graphs = CudaGraphs::automatic;
    double clip_norm = 0.0;   ///< longest gradient of an update, over all parameters; 0: any
    double clip_value = 0.0;  ///< largest number of a gradient; 0: any
    double sam = 0.0;         ///< distance of sharpness-aware minimisation; 0: plain gradients
    double ema = 0.0;     ///< decay of the weights' moving average, which evaluations take; 0: they take the weights
    double warmup = 0.0;  ///< epochs in which the rate climbs from 0 at the trial's start
    double rescale_warmup = 1.0;  ///< epochs in which the rate climbs after the batch grew
    StateAtRegroup optimizer_state = StateAtRegroup::keep;
    /// Time between checkpoints that no milestone asks for; zero: there are none. Without a value it is ten minutes, or
    /// longer, so that writing stays under 1 % of the time.
    std::optional<std::chrono::seconds> checkpoint_every = {};
    ReportInterval report = {};
    TestTrials test_trials = TestTrials::best;
    std::int64_t classes = 0;  ///< 0: counted in the training targets
    DataSettings data = {};
};

/// One thing wrong with a setting: `key` is its dotted path, "trainer.optimizer".
struct Problem {
    std::string key;
    std::string message;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Key of the problems of plug-ins that cannot be loaded. What else would be wrong is then unknown.
inline constexpr const char* plugins_key = "trainer.plugins";

/// Reads the section and adds everything that is wrong with it to `problems`: unknown keys, wrong
/// types, values out of range. What cannot be used keeps its default.
///
/// Settings of models and optimizers other than the chosen ones have no effect. They are checked all the same, so that
/// a search may try several models.
Settings parse_settings(const nlohmann::json& section, const Catalogue& catalogue, std::vector<Problem>& problems);

/// Throws InvalidInput with all of `problems`, one a line, if there are any.
void require_none(const std::vector<Problem>& problems);

/// Reads the section. Throws InvalidInput with everything that is wrong with it.
Settings read_settings(const nlohmann::json& section, const Catalogue& catalogue);

}  // namespace crescendo::trainer
