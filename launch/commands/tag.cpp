#include <algorithm>
#include <memory>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"

namespace crescendo::launch {
namespace {

struct TagOptions {
    std::filesystem::path directory;
    std::vector<std::string> words;
    std::vector<std::string> removed;
};

bool is_number(const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](char digit) { return digit >= '0' && digit <= '9'; });
}

ExitCode tag(const TagOptions& options) {
    TagRequest request{{}, options.words, options.removed};
    if (!request.add.empty() && is_number(request.add.front())) {
        request.trial = trial_named(request.add.front());
        request.add.erase(request.add.begin());
    }
    CRESCENDO_VALIDATE(!request.add.empty() || !request.remove.empty(), "",
                       "there is no tag to add or remove; write one, as in `crescendo tag {} 17 baseline`",
                       shell_quoted(options.directory));
    return ask_for(options.directory, {request});
}

}  // namespace

void add_tag_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<TagOptions>();
    auto* command = app.add_subcommand("tag", "Tag a sweep, or one of its trials");
    add_directory_argument(*command, options->directory);
    command->add_option("TAG", options->words, "A trial's number, if the tags are for one, and the tags to add");
    command->add_option("--remove", options->removed, "Tag to remove; repeatable")->allow_extra_args(false);
    command->footer(
        "Example:\n  crescendo tag results/first 17 baseline paper\n  crescendo tag results/first 17 --remove paper");
    command->callback([options, &code] { code = tag(*options); });
}

}  // namespace crescendo::launch
