#include "trainer/settings/settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/loss_spec.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double least_positive = 1e-12;

constexpr Words normalize_words{{std::pair{true, "standard"}, {false, "none"}}};
constexpr Words flips{{std::pair{Flip::none, "none"},
                       {Flip::horizontal, "horizontal"},
                       {Flip::vertical, "vertical"},
                       {Flip::both, "both"}}};
constexpr Words shuffles{{std::pair{datasets::Shuffle::windowed, "windowed"}, {datasets::Shuffle::none, "none"}}};
constexpr Words initializations{{std::pair{Initialization::torch, "torch"},
                                 {Initialization::kaiming, "kaiming"},
                                 {Initialization::xavier, "xavier"}}};
constexpr Words learning_rate_scalings{{std::pair{LearningRateScaling::linear, "linear"},
                                        {LearningRateScaling::sqrt, "sqrt"},
                                        {LearningRateScaling::none, "none"}}};
constexpr Words rate_shapes{{std::pair{RateShape::constant, "constant"},
                             {RateShape::step, "step"},
                             {RateShape::cosine, "cosine"},
                             {RateShape::one_cycle, "one_cycle"},
                             {RateShape::linear, "linear"},
                             {RateShape::polynomial, "polynomial"}}};
constexpr Words test_trials_words{{std::pair{TestTrials::best, "best"}, {TestTrials::all, "all"}}};
constexpr Words states_at_regroup{{std::pair{StateAtRegroup::keep, "keep"}, {StateAtRegroup::reset, "reset"}}};

/// Reads mean and std, or scale and offset: x·scale + offset equals (x - mean) / std with std = 1/scale and mean =
/// -offset/scale.
datasets::Normalization parse_normalization(const json& object, const std::string& path,
                                            std::vector<Problem>& problems) {
    Section section(object, path, problems);
    datasets::Normalization normalization;
    const bool scaled = section.has("scale") || section.has("offset");
    std::vector<double> scale{1.0};
    if (!scaled) {
        section.numbers("mean", normalization.mean);
        section.numbers("std", normalization.std);
    } else {
        std::vector<double> offset{0.0};
        section.numbers("scale", scale);
        section.numbers("offset", offset);
        const auto count = std::max(scale.size(), offset.size());
        if (scale.size() == 1) {
            scale.resize(count, scale.front());
        }
        if (offset.size() == 1) {
            offset.resize(count, offset.front());
        }
        if (scale.size() != offset.size()) {
            problems.push_back(
                {path, text("{} scales but {} offsets; give one of each per channel", scale.size(), offset.size())});
            return {};
        }
        normalization = {offset, scale};
        for (std::size_t i = 0; i < count; ++i) {
            normalization.mean[i] = -offset[i] / scale[i];
            normalization.std[i] = 1.0 / scale[i];
        }
    }
    section.reject_unknown();
    const auto usable = [](double std) { return std::isfinite(std) && static_cast<float>(std) != 0.0F; };
    const auto& stds = normalization.std;
    if (const auto bad = std::find_if_not(stds.begin(), stds.end(), usable); bad != stds.end()) {
        problems.push_back({path, text("a {} of {} would destroy the numbers in float32; give another",
                                       scaled ? "scale" : "std", scaled ? scale[bad - stds.begin()] : *bad)});
        return {};
    }
    return normalization;
}

/// Reads `normalize`: one word for all data sets, or a word or numbers for each data set by name.
void parse_normalize(Section& data, DataSettings& settings, std::vector<Problem>& problems) {
    if (data.has_text("normalize")) {
        data.choice("normalize", settings.standardize, normalize_words);
        if (settings.standardize) {
            return;
        }
        for (const auto& name : settings.inputs) {
            settings.normalize[name] = datasets::Normalization();
        }
        return;
    }
    const std::string path = "trainer.data.normalize";
    Section normalize(data.object("normalize"), path, problems);
    std::vector<std::string> names = settings.inputs;
    names.insert(names.end(), settings.targets.begin(), settings.targets.end());
    for (const auto& name : names) {
        if (normalize.has_text(name.c_str())) {
            bool standard = false;
            normalize.choice(name.c_str(), standard, normalize_words);
            settings.normalize[name] = standard ? std::nullopt : std::optional(datasets::Normalization());
        } else if (const json& given = normalize.object(name.c_str()); normalize.has(name.c_str())) {
            settings.normalize[name] = parse_normalization(given, path + "." + name, problems);
        }
    }
    normalize.reject_unknown();
}

datasets::TimeWindow parse_window(const json& object, std::vector<Problem>& problems) {
    constexpr std::int64_t most = std::int64_t{1} << 32;
    datasets::TimeWindow window;
    Section section(object, "trainer.data.window", problems);
    section.integer("length", window.length, 1, most);
    section.integer("stride", window.stride, 1, most);
    section.integer("horizon", window.horizon, 0, most);
    section.reject_unknown();
    if (!object.empty() && !section.has("length")) {
        problems.push_back({"trainer.data.window.length", "missing: give the number of rows in a sample"});
        return {};
    }
    return window;
}

/// Reads a size [HEIGHT, WIDTH]; nullopt if the value is not a size.
std::optional<datasets::ImageSize> parse_size(Section& section, const char* key, const std::string& path,
                                              std::vector<Problem>& problems) {
    std::vector<double> lengths;
    section.numbers(key, lengths);
    const auto usable = [](double length) { return length >= 1 && length <= 1 << 24 && length == std::floor(length); };
    if (lengths.size() != 2 || !std::all_of(lengths.begin(), lengths.end(), usable)) {
        problems.push_back({path, "this is not an image size; write [HEIGHT, WIDTH], like [720, 1440]"});
        return std::nullopt;
    }
    return datasets::ImageSize{static_cast<std::int64_t>(lengths[0]), static_cast<std::int64_t>(lengths[1])};
}

/// Reads the setting `name` that changes the size of images: a size alone, or {size: …} with one of `words` under
/// `key`.
template <class Fit, class Word, std::size_t Count>
void parse_fit(Section& data, const char* name, const char* key, Word Fit::*word, const Words<Word, Count>& words,
               std::optional<Fit>& fit, std::vector<Problem>& problems) {
    if (!data.has(name)) {
        data.object(name);  // so that the key counts as known
        return;
    }
    const std::string path = std::string("trainer.data.") + name;
    Fit read{};
    std::optional<datasets::ImageSize> size;
    if (data.has_object(name)) {
        Section section(data.object(name), path, problems);
        section.choice(key, read.*word, words);
        size = parse_size(section, "size", path + ".size", problems);
        section.reject_unknown();
    } else {
        size = parse_size(data, name, path, problems);
    }
    if (size) {
        read.size = *size;
        fit = read;
    }
}

DataSettings parse_data(const json& object, std::vector<Problem>& problems) {
    DataSettings data;
    Section section(object, "trainer.data", problems);
    section.text("train", data.train);
    section.text("validation", data.validation);
    section.text("test", data.test);
    section.texts("inputs", data.inputs);
    section.texts("targets", data.targets);
    data.window = parse_window(section.object("window"), problems);
    parse_normalize(section, data, problems);
    section.choice("nan", data.nan, datasets::non_finite_words);
    datasets::SampleLayout layout{};
    section.choice("layout", layout, datasets::sample_layouts);
    if (section.has("layout")) {
        data.layout = layout;
    }
    parse_fit(section, "crop", "from", &datasets::Crop::from, datasets::crop_words, data.crop, problems);
    parse_fit(section, "pad", "with", &datasets::Pad::with, datasets::pad_words, data.pad, problems);
    section.text("latitude", data.latitude);
    section.choice("missing_sources", data.missing_sources, datasets::missing_sources_words);
    section.bytes("memory", data.memory);
    section.bytes_or_off("shared_memory", data.shared_memory);
    section.integer("threads", data.threads, 1, 256);
    section.choice("shuffle", data.shuffle, shuffles);
    section.reject_unknown();
    if (data.train.empty() && !section.has("train")) {
        problems.push_back({"trainer.data.train",
                            "missing: a trial has nothing to learn from; "
                            "name the training samples as FILE:/GROUP"});
    }
    return data;
}

/// Reads the word at `key`, and the settings that belong to that word.
template <class Spec>
std::shared_ptr<Spec> read_choice(Section& section, const char* key, const std::vector<Choice<Spec>>& table) {
    std::vector<std::pair<const char*, const Choice<Spec>*>> words;
    for (const auto& choice : table) {
        words.emplace_back(choice.name, &choice);
    }
    std::string word;
    if (section.has_text(key)) {
        section.text(key, word);
    }
    const auto by_ending = std::find_if(table.begin(), table.end(), [&](const Choice<Spec>& choice) {
        return choice.name[0] == '*' && word.ends_with(choice.name + 1);
    });
    const Choice<Spec>* chosen = by_ending == table.end() ? &table.front() : &*by_ending;
    if (by_ending == table.end()) {
        section.choice<const Choice<Spec>*>(key, chosen, words);
        word = chosen->name;
    }
    auto spec = chosen->read(section);
    spec->name = word;
    for (const auto& other : table) {
        section.read_aside([&](Section& aside) { other.read(aside); });
    }
    return spec;
}

/// Returns `catalogue` with the models and losses of the plug-ins that the settings name.
Catalogue with_plugins(Section& section, Catalogue catalogue, std::vector<Problem>& problems) {
    std::vector<std::string> libraries;
    if (catalogue.add_plugin) {
        section.texts("plugins", libraries);
    }
    for (const auto& library : libraries) {
        try {
            catalogue.add_plugin(library, catalogue);
        } catch (const std::exception& error) {
            problems.push_back({plugins_key, error.what()});
        }
    }
    return catalogue;
}

/// Reads the word at `loss`, and the settings of the loss if it is a plug-in's.
void read_loss(Section& section, LossSettings& settings, const LossTable& table, std::vector<Problem>& problems) {
    using Meaning = std::pair<Loss, const Choice<LossSpec>*>;
    std::vector<std::pair<const char*, Meaning>> words;
    for (const auto& [loss, word] : loss_words) {
        words.push_back({word, {loss, nullptr}});
    }
    for (const auto& choice : table) {
        words.push_back({choice.name, {Loss::automatic, &choice}});
    }
    Meaning chosen{};
    section.choice<Meaning>("loss", chosen, words);
    settings.loss = chosen.first;
    if (chosen.second != nullptr) {
        const auto spec = chosen.second->read(section);
        spec->name = chosen.second->name;
        settings.of_plugin = spec;
    }
    for (const auto& other : table) {
        section.read_aside([&](Section& aside) { other.read(aside); });
    }
    section.number("label_smoothing", settings.label_smoothing, {.min = 0.0, .below = 1.0});
    section.numbers("class_weights", settings.class_weights);
    const auto& weights = settings.class_weights;
    if (std::any_of(weights.begin(), weights.end(), [](double weight) { return weight < 0; })) {
        problems.push_back(
            {"trainer.class_weights", "a weight below 0 would reward errors; give numbers of at least 0"});
    } else if (!weights.empty() &&
               std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; })) {
        problems.push_back(
            {"trainer.class_weights", "all weights are 0, so no sample would teach anything; give one above 0"});
    }
    section.number("class_balance", settings.class_balance, {.min = 0.0, .below = unbounded});
    section.number("huber_delta", settings.huber_delta, {.min = least_positive, .below = unbounded});
}

void read_rate(Section& section, RateSettings& rate) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    section.choice("lr_schedule", rate.shape, rate_shapes);
    section.integer("lr_length", rate.length, 1, most);
    section.number("lr_last", rate.last, {.min = 0.0, .below = unbounded});
    section.integer("lr_step", rate.step, 1, most);
    section.number("lr_decay", rate.decay, {.min = 0.0, .below = unbounded});
    section.number("lr_power", rate.power, {.min = 0.0, .below = unbounded});
    section.number("lr_rise", rate.rise, {.min = 0.0, .below = 1.0});
}

void read_metrics(Section& section, std::vector<Metric>& metrics, std::vector<Problem>& problems) {
    std::vector<std::string> words;
    section.texts("metrics", words);
    for (const auto& word : words) {
        if (const auto metric = metric_words.find(word)) {
            metrics.push_back(*metric);
        } else {
            problems.push_back(
                {"trainer.metrics",
                 text("\"{}\" is not a metric; there are {}, besides loss and accuracy", word, metric_words.list())});
        }
    }
}

void read_augmentation(Section& section, AugmentationSettings& augmentation) {
    section.choice("flip", augmentation.flip, flips);
    section.integer("crop_padding", augmentation.crop_padding, 0, 1 << 16);
    section.integer("cutout", augmentation.cutout, 0, 1 << 16);
    section.number("input_noise", augmentation.noise, {.min = 0.0, .below = unbounded});
}

/// Flattens nested maps, because names of parameters have dots: a sweep's parameter lr_factors.head.weight arrives as a
/// map in a map.
void read_factors(const json& object, const std::string& path, const std::string& names,
                  std::map<std::string, double>& factors, std::vector<Problem>& problems) {
    Section section(object, path, problems);
    for (const auto& [name, value] : object.items()) {
        if (value.is_object()) {
            read_factors(value, path + "." + name, names + name + ".", factors, problems);
        } else {
            section.number(name.c_str(), factors[names + name], {.min = 0.0, .below = unbounded});
        }
    }
}

void read_training(Section& section, Settings& settings, std::vector<Problem>& problems) {
    section.number("lr", settings.lr, {.min = 0.0, .below = unbounded});
    read_factors(section.object("lr_factors"), "trainer.lr_factors", "", settings.lr_factors, problems);
    section.integer("batch_size", settings.batch_size, 1, 1 << 24);
    section.choice("lr_scaling", settings.lr_scaling, learning_rate_scalings);
    section.choice("init", settings.init, initializations);
    section.text("init_from", settings.init_from);
    section.texts("init_except", settings.init_except);
    if (!settings.init_except.empty() && settings.init_from.empty()) {
        problems.push_back({"trainer.init_except",
                            "names weights that do not come from a file, but there is no trainer.init_from; name the "
                            "file there, or leave this out"});
    }
    read_rate(section, settings.rate);
    section.choice("precision", settings.precision, precision_words);
    section.flag("deterministic", settings.deterministic);
    section.choice("cuda_graphs", settings.cuda_graphs, cuda_graphs_words);
    section.number("clip_norm", settings.clip_norm, {.min = 0.0, .below = unbounded});
    section.number("clip_value", settings.clip_value, {.min = 0.0, .below = unbounded});
    section.number("sam", settings.sam, {.min = 0.0, .below = unbounded});
    section.number("ema", settings.ema, {.min = 0.0, .below = 1.0});
    section.number("warmup", settings.warmup, {.min = 0.0, .below = unbounded});
    section.number("rescale_warmup", settings.rescale_warmup, {.min = 0.0, .below = unbounded});
    section.choice("optimizer_state", settings.optimizer_state, states_at_regroup);
    section.choice("test_trials", settings.test_trials, test_trials_words);
    section.duration_or_off("checkpoint_every", settings.checkpoint_every);
}

ReportInterval parse_report(const json& object, std::vector<Problem>& problems) {
    ReportInterval report;
    Section section(object, "trainer.report", problems);
    section.integer("every", report.every, 1, std::int64_t{1} << 53);
    section.choice("unit", report.unit, resource_units);
    section.reject_unknown();
    return report;
}

}  // namespace

Settings parse_settings(const json& object, const Catalogue& base, std::vector<Problem>& problems) {
    Settings settings;
    Section section(object, "trainer", problems);
    const std::size_t num_problems = problems.size();
    const Catalogue catalogue = with_plugins(section, base, problems);
    const std::size_t num_of_plugins = problems.size() - num_problems;
    settings.model = read_choice(section, "model", catalogue.models);
    section.integer("classes", settings.classes, 2, most_classes);
    settings.optimizer = read_choice(section, "optimizer", catalogue.optimizers);
    settings.lr = settings.optimizer->default_lr;
    settings.lr_scaling = settings.optimizer->default_lr_scaling;
    read_training(section, settings, problems);
    read_augmentation(section, settings.augmentation);
    read_loss(section, settings.loss, catalogue.losses, problems);
    read_metrics(section, settings.metrics, problems);
    settings.report = parse_report(section.object("report"), problems);
    settings.data = parse_data(section.object("data"), problems);
    if (settings.test_trials == TestTrials::all && settings.data.test.empty()) {
        problems.push_back(
            {"trainer.test_trials",
             "all measures each trial on the test samples, but there are none; name them in trainer.data.test"});
    }
    section.reject_unknown();
    if (num_of_plugins > 0) {
        problems.resize(num_problems + num_of_plugins);  // the other problems may come from the missing plug-ins
    }
    return settings;
}

void require_none(const std::vector<Problem>& problems) {
    std::string lines;
    for (const auto& problem : problems) {
        lines += text("{}{}: {}", lines.empty() ? "" : "\n", problem.key, problem.message);
    }
    CRESCENDO_VALIDATE(problems.empty(), problems.front().key, "{}", lines);
}

Settings read_settings(const json& section, const Catalogue& catalogue) {
    std::vector<Problem> problems;
    Settings settings = parse_settings(section, catalogue, problems);
    require_none(problems);
    return settings;
}

}  // namespace crescendo::trainer
