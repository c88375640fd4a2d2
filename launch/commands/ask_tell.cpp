#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "core/check.hpp"
#include "core/crc32.hpp"
#include "launch/ask_tell/ask_tell.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/earlier_results.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/history.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct AskTellOptions {
    fs::path file;
    fs::path journal;
    std::optional<std::uint64_t> seed;
};

/// Writes to standard output. Returns false if nobody reads the answers any more. Throws std::system_error if they are
/// lost for another reason.
bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            return false;
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "the answers cannot be written");
        }
    }
    return true;
}

/// Answers everything that has arrived before it waits for more, so that the other side never waits for an answer that
/// is held back.
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

/// Everything besides the events that the sweep's decisions depend on.
OrderedJson header_of(const SweepFile& file, const fs::path& path) {
    return {{"sweep", file.name},
            {"crescendo", CRESCENDO_VERSION},
            {"seed", file.spec.seed},
            {"file", FrozenFile(file.text, path).to_json()}};
}

/// Throws InvalidInput if the journal belongs to another sweep file or seed. Journals of older versions only have the
/// file's checksum.
void check_same_sweep(const Json& header, const SweepFile& file, const fs::path& journal) {
    const bool has_seed = header.contains("seed") && header["seed"] == Json(file.spec.seed);
    const bool has_file = header.contains("file") || header.value("sweep_crc", "") == crc32_text(file.text);
    CRESCENDO_VALIDATE(has_seed && has_file, "",
                       "{} belongs to another sweep file or seed, which leads to other decisions; use the original "
                       "sweep file and seed, or give --journal another file",
                       journal.string());
}

/// Reads the sweep file with these limits.
SweepFile read_with(const AskTellOptions& options, const std::vector<Override>& limits) {
    auto overrides = without_training();
    overrides.insert(overrides.end(), limits.begin(), limits.end());
    auto file = read_sweep_file(options.file, overrides);
    if (file.spec.metric.empty()) {
        file.source.fail("metric",
                         "is missing, but the launcher must know which metric to report; add "
                         "metric: {name: val_loss, goal: minimize}");
    }
    file.spec.seed = options.seed.value_or(file.spec.seed);
    return file;
}

/// The path of a journal's copy of the earlier results that the sampler had at the beginning.
fs::path copy_of_warm_start(const AskTellOptions& options) { return options.journal.string() + ".warm_start"; }

/// Locks the journal until the process ends, so that only one conversation at a time writes it.
FileDescriptor lock(const fs::path& journal) {
    FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    CRESCENDO_VALIDATE(file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0, "",
                       "{}: {}; another conversation may be using it", journal.string(), std::strerror(errno));
    return file;
}

/// Throws InvalidInput if the journal has no complete first line. The message only says to remove this file, because
/// the journal may be in any folder, while a sweep's journal has a folder of its own.
void require_first_line(const fs::path& journal) {
    std::ifstream file(journal);
    std::string line;
    CRESCENDO_VALIDATE(std::getline(file, line) && !file.eof(), "",
                       "{}: has no complete line: the conversation was interrupted before its first decision; "
                       "remove this file and start again",
                       journal.string());
}

/// Applies limits that have changed in the sweep file since the journal last recorded them. The launcher keeps track of
/// whether time is left.
void take_up_edits(const FrozenFile& frozen, const AskTellOptions& options, std::vector<LimitsChange> changes,
                   AskTell& conversation) {
    LimitsChange change{frozen.edits(changes, read_file(options.file), options.file), LimitsChange::Source::file};
    if (change.settings.empty()) {
        return;
    }
    changes.push_back(change);
    conversation.change_limits(
        limits_record(change, read_with(options, limits_after(frozen, changes)), /*elapsed=*/0, journal_clock()));
}

ExitCode ask_tell(const AskTellOptions& options) {
    auto file = read_with(options, {});
    remark_on_sampler(file);
    if (options.journal.empty()) {
        gather_warm_start(file, remark);
        AskTell conversation(file.spec, make_source(file, {.say = remark}));
        converse(conversation, nullptr);
        return ExitCode::done;
    }
    std::error_code none;
    const auto folder = fs::absolute(options.journal).parent_path();
    CRESCENDO_VALIDATE(fs::is_directory(folder, none), "--journal", "there is no folder {}; create it",
                       folder.string());
    CRESCENDO_VALIDATE(!is_there(options.journal) || fs::is_regular_file(options.journal, none), "--journal",
                       "{} is not a regular file; name a file for the journal (it need not exist yet)",
                       options.journal.string());
    if (!is_there(options.journal)) {
        auto header = header_of(file, options.file);
        if (!file.warm_start.empty()) {
            gather_warm_start(file, remark);
            header["warm_start"] = write_earlier_results(copy_of_warm_start(options), file.spec.warm_start);
        }
        Journal::create(options.journal, header);
    }
    const auto held = lock(options.journal);
    require_first_line(options.journal);
    const auto header = Journal::read_header(options.journal);
    check_same_sweep(header, file, options.journal);
    const auto frozen = FrozenFile::recorded_in(options.journal);
    if (frozen) {
        frozen->require_same(file.text, options.file);
    }
    file = read_with(options, limits_after(frozen, {}));
    if (!file.warm_start.empty()) {
        file.spec.warm_start =
            read_earlier_results(copy_of_warm_start(options), header.value("warm_start", Json::object()));
    }
    History history(file.spec);
    auto journal = Journal::open(options.journal, history.replay(options.journal, History::Purpose::go_on));
    AskTell conversation(history.sweep(), journal, make_source(file, {.say = remark}));
    if (frozen) {
        take_up_edits(*frozen, options, history.limits_changes(), conversation);
    }
    journal.sync();
    converse(conversation, &journal);
    return ExitCode::done;
}

}  // namespace

void add_ask_tell_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<AskTellOptions>();
    auto* command = app.add_subcommand(
        "ask-tell", "Make decisions for another launcher: events on standard input, actions on standard output");
    command->add_option("FILE", options->file, "The sweep file (YAML); it needs no trainer and no command")->required();
    command->add_option("--journal", options->journal,
                        "Keep the events in this file; if it exists, continue the conversation in it");
    command->add_option("--seed", options->seed, "Seed; default: that of the sweep file")->check(at_least(0));
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
