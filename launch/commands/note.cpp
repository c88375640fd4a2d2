#include <memory>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"

namespace crescendo::launch {
namespace {

struct NoteOptions {
    std::filesystem::path directory;
    std::vector<std::string> words;
};

ExitCode note(const NoteOptions& options) {
    const auto& words = options.words;
    CRESCENDO_VALIDATE(words.size() <= 2, "",
                       "a note is one argument; write it in quotes: crescendo note {} {} \"{} …\"",
                       shell_quoted(options.directory), words[0], words[1]);
    const auto trial = words.size() == 2 ? std::optional(trial_named(words.front())) : std::nullopt;
    return ask_for(options.directory, {NoteRequest{trial, words.back()}});
}

}  // namespace

void add_note_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<NoteOptions>();
    auto* command = app.add_subcommand("note", "Write a note about a sweep or one of its trials");
    add_directory_argument(*command, options->directory);
    command->add_option("TEXT", options->words, "A trial's number, if the note is about one, and the note")->required();
    command->footer(
        "Example:\n  crescendo note results/first 17 \"diverged: the learning rate is too high\"\n"
        "  crescendo note results/first \"new data since Monday\"");
    command->callback([options, &code] { code = note(*options); });
}

}  // namespace crescendo::launch
