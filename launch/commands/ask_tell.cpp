#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "core/check.hpp"
#include "launch/ask_tell/ask_tell.hpp"
#include "launch/commands/commands.hpp"
#include "launch/record/crc32.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct Options {
    fs::path file;
    fs::path journal;
    std::optional<std::uint64_t> seed;
};

/// False where nobody reads the answers any more.
bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Answers what has arrived before it waits for more, so that no answer is held back that the other end waits for.
void converse(AskTell& conversation, Journal* journal) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<char, 1 << 16> buffer;
    for (bool more = true; more;) {
        const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        more = count > 0;
        const auto answers =
            more ? conversation.take({buffer.data(), static_cast<std::size_t>(count)}) : conversation.end();
        if (journal != nullptr) {
            journal->sync();
        }
        more = write_all(answers) && more;
    }
}

/// What decides about the sweep beside the events.
OrderedJson header_of(const SweepFile& file) {
    return {{"sweep", file.name},
            {"crescendo", CRESCENDO_VERSION},
            {"seed", file.spec.seed},
            {"sweep_crc", fmt::format("{:08x}", crc32(file.text))}};
}

void check_same_sweep(const Json& header, const SweepFile& file, const fs::path& journal) {
    const auto ours = header_of(file);
    for (const auto* key : {"seed", "sweep_crc"}) {
        CRESCENDO_VALIDATE(header.contains(key) && header[key] == Json(ours[key]), "",
                           "{} is the journal of another sweep file or seed, whose decisions were others; give the "
                           "ones it was begun with, or another file to --journal",
                           journal.string());
    }
}

/// One conversation at a time writes a journal; ends with the process.
FileDescriptor lock(const fs::path& journal) {
    FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    CRESCENDO_VALIDATE(file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0, "",
                       "{}: {}; another conversation may be at work with it", journal.string(), std::strerror(errno));
    return file;
}

ExitCode ask_tell(const Options& options) {
    auto file = read_sweep_file(options.file, without_training());
    file.spec.seed = options.seed.value_or(file.spec.seed);
    if (options.journal.empty()) {
        AskTell conversation(file.spec);
        converse(conversation, nullptr);
        return ExitCode::done;
    }
    if (!fs::exists(options.journal)) {
        Journal::create(options.journal, header_of(file));
    }
    const auto held = lock(options.journal);
    std::vector<Json> records;
    const auto end = Journal::recover(options.journal, [&](const Json& record) { records.push_back(record); });
    check_same_sweep(records.front(), file, options.journal);
    auto journal = Journal::open(options.journal, end);
    AskTell conversation(file.spec, journal, records);
    converse(conversation, &journal);
    return ExitCode::done;
}

}  // namespace

void add_ask_tell_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand(
        "ask-tell", "Decide for another launcher: events on standard input, actions on standard output");
    command->add_option("FILE", options->file, "The sweep file (YAML); it needs no trainer and no command")->required();
    command->add_option("--journal", options->journal,
                        "Keep the events in this file; one that exists is taken up where it ended");
    command->add_option("--seed", options->seed, "In place of the sweep file's seed");
    command->footer(
        "One JSON object a line, one answer for each (docs/ask-tell.md).\n"
        "\n"
        "Example:\n"
        "  crescendo ask-tell sweep.yaml --journal events.jsonl\n"
        "  {\"event\":\"slots_joined\",\"slots\":2}\n"
        "  {\"event\":\"trial_reported\",\"trial\":0,\"resource\":1,\"metrics\":{\"val_loss\":0.31}}");
    command->callback([options, &code] { code = ask_tell(*options); });
}

}  // namespace crescendo::launch
