#include "launch/agent/argument_advice.hpp"

#include <fmt/format.h>

namespace crescendo::launch {
namespace {

constexpr const char* advice_on_lists =
    "\na list is passed as one JSON argument; for argparse's nargs, write ${args_argparse} instead of ${args} in the "
    "command, or use type=json.loads without nargs in the program";

}  // namespace

std::string advice_on_arguments(std::string_view last_words) {
    constexpr std::string_view unknown = "unrecognized arguments: ";  // argparse: unrecognized arguments: --lr=0.1
    if (const auto at = last_words.find(unknown); at != std::string_view::npos) {
        const auto first = last_words.substr(at + unknown.size());
        if (!first.starts_with('-') && first.substr(0, first.find(' ')).find('=') != std::string_view::npos) {
            return "\nits options start with hyphens; write ${args} instead of ${args_no_hyphens} in the command";
        }
        const auto option = first.substr(0, first.find_first_of("= \n"));
        const auto has = [&](const char* before) {  // in the usage: [-lr LR], although it got --lr
            return last_words.find(fmt::format("{}{} ", before, option.substr(1))) != std::string_view::npos;
        };
        if (option.starts_with("--") && (has("[") || has(" "))) {
            return fmt::format(
                "\nits options have one hyphen; instead of ${{args}}, write each of them, as in {}, \"${{{}}}\"",
                option.substr(1), option.substr(2));
        }
    }
    constexpr std::string_view refused = "value: '";  // argparse: argument --bs: invalid int value: '183.81'
    if (const auto at = last_words.find(refused); at != std::string_view::npos) {
        const auto value = last_words.substr(at + refused.size());
        if (value.starts_with('[')) {
            return advice_on_lists;
        }
        if (value.starts_with("None'")) {
            return "\nnull is passed as None; with ${args_argparse} instead of ${args} in the command, the argument is "
                   "left out and takes its default";
        }
        if (last_words.substr(0, at).ends_with("invalid int ") &&
            value.substr(0, value.find('\'')).find('.') != value.npos) {
            return "\nthe program expects whole numbers; add `distribution: q_uniform` to the parameter, or "
                   "q_log_uniform_values if it spans several orders of magnitude, or list them: values: […]";
        }
    }
    // jsonargparse: Given value type: <class 'str'>, Given value: None
    if (last_words.find("Given value: None") != std::string_view::npos) {
        return "\nnull is passed as None, but jsonargparse expects null; list it as text: values: [\"null\", …]";
    }
    // argparse: argument --betas: expected 2 arguments
    if (const auto at = last_words.find(": expected "); last_words.find(" arguments", at) != std::string_view::npos) {
        return advice_on_lists;
    }
    // Python turns `--hidden-size` into `hidden_size`, so many users give that name to the parameter.
    for (const char* complaint : {"unrecognized arguments", "unrecognized option", "o such option"}) {
        if (last_words.find(complaint) != std::string_view::npos) {
            return "\na parameter needs the exact name of the program's option, including - and _: hidden-size for "
                   "--hidden-size";
        }
    }
    return "";
}

}  // namespace crescendo::launch
