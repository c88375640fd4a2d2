#include "launch/messages/likely_metric.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <tuple>

#include "core/check.hpp"

namespace crescendo::launch {
namespace {

constexpr std::array<std::string_view, 5> of_validation{"val", "valid", "validation", "eval", "dev"};
constexpr std::array<std::string_view, 9> to_minimize{"loss",       "error", "err", "mse", "rmse",
                                                      "perplexity", "mae",   "nll", "wer"};
constexpr std::array<std::string_view, 6> of_either{"score", "map", "return", "neg", "negative", "minus"};
constexpr std::array<std::string_view, 25> to_maximize{
    "accuracy", "acc",    "score",  "f1",   "auc",   "auroc", "roc",  "precision", "recall",
    "map",      "ap",     "iou",    "miou", "dice",  "mcc",   "reward", "return",  "bleu",
    "rouge",    "r2",     "psnr",   "ssim", "ndcg",  "top1",  "top5"};

constexpr std::array<std::string_view, 11> of_times{"time",    "runtime",   "duration", "dur",   "elapsed",   "second",
                                                    "seconds", "timestamp", "fps",      "speed", "throughput"};

bool has_word(std::string_view name, std::span<const std::string_view> words) {
    const auto is_inner = [](unsigned char letter) { return std::isalnum(letter) != 0; };
    for (auto begin = std::ranges::find_if(name, is_inner); begin != name.end();) {
        const auto end = std::find_if_not(begin, name.end(), is_inner);
        std::string word(begin, end);
        std::ranges::transform(word, word.begin(), [](unsigned char letter) { return std::tolower(letter); });
        if (std::ranges::find(words, word) != words.end()) {
            return true;
        }
        begin = std::find_if(end, name.end(), is_inner);
    }
    return false;
}

}  // namespace

const std::string& likely_metric(const std::vector<std::string>& names) {
    CRESCENDO_EXPECT(!names.empty());
    return *std::ranges::min_element(names, {}, [](const std::string& name) {
        const bool is_known = has_word(name, to_minimize) || has_word(name, to_maximize);
        return std::tuple(!has_word(name, of_validation), !is_known, std::string_view(name));
    });
}

bool is_a_time(std::string_view metric) { return has_word(metric, of_times); }

Goal likely_goal(std::string_view metric) {
    return has_word(metric, to_maximize) ? Goal::maximize : Goal::minimize;
}

bool is_unlikely(Goal goal, std::string_view metric) {
    const bool is_large = has_word(metric, to_maximize);
    return is_large != has_word(metric, to_minimize) && is_large == (goal == Goal::minimize) &&
           !has_word(metric, of_either);
}

}  // namespace crescendo::launch
