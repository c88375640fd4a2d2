#include "launch/coordinator/coordinator.hpp"

#include <filesystem>
#include <utility>

#include "core/files/host_name.hpp"
#include "launch/coordinator/departure.hpp"
#include "launch/coordinator/final_test.hpp"
#include "launch/coordinator/training.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

namespace {

std::unique_ptr<ProposalSource> source_of(const OpenSweep& open, LiveView& view) {
    SourceSettings settings;
    if (open.file.sampler || open.file.stop_rule) {
        settings.directory = open.directory.working_directory();
        settings.log = std::filesystem::absolute(open.directory.sampler_log()).string();
        settings.say = [&view](const std::string& line) { view.say(line); };
    }
    return make_source(open.file, std::move(settings));
}

}  // namespace

Coordinator::Coordinator(const OpenSweep& open, Transport& transport, LiveView& view, std::vector<Json> opening)
    : open_(open),
      transport_(transport),
      view_(view),
      opening_(std::move(opening)),
      orders_(open.file, open.directory, open.history.sweep(), transport),
      decisions_(open.journal, open.history, orders_, source_of(open, view)) {}

Outcome Coordinator::run(const StopSignals& signals, std::optional<SessionEnd::Deadline> deadline) {
    begin_session();
    SessionEnd end(open_.directory, signals, std::move(deadline));
    Training training(open_.file, open_.directory, decisions_, orders_, view_, end);
    go_through(training);

    const bool is_cut_short = sweep().state() == SweepState::running;
    if (is_cut_short) {
        orders_.dismiss_all();
    }
    Departure departure(decisions_, orders_, view_);
    go_through(departure);
    if (is_cut_short) {
        decisions_.append(time_note(journal_clock()));  // the time since the last report was used as well
    }
    departure.conclude();
    decisions_.commit();  // configurations and energy that no sync has included yet
    if (is_cut_short) {
        return decisions_.is_hopeless() ? Outcome::hopeless : Outcome::interrupted;
    }

    if (!test_the_best(end)) {
        return Outcome::interrupted;
    }
    return sweep().state() == SweepState::failed ? Outcome::failed : Outcome::finished;
}

void Coordinator::begin_session() {
    decisions_.append(session_note(journal_clock(), host_name(), orders_.slots().size()));
    // Trials that ran on the last session's slots wait to continue on ours.
    if (sweep().num_slots() > 0) {
        decisions_.record(SlotsLost{sweep().slots()});
    }
    for (auto& record : std::exchange(opening_, {})) {
        decisions_.append(std::move(record));
    }
    for (const auto& trial : sweep().trials()) {
        if (!trial.is_proposed) {
            decisions_.record_config(trial.id);  // lost in a crash, or never recorded in an old journal
        }
    }
    decisions_.commit();
    if (sweep().state() == SweepState::running) {
        decisions_.record(SlotsJoined{transport_.slots()});
        decisions_.commit();
    }
}

/// The coordinator's only loop. A phase has a take() for every kind of notice, so a new kind does not compile until
/// each phase handles it. The lock's beat() comes before any decision: if this process stood still and another took
/// over, it decides nothing.
template <class Phase>
void Coordinator::go_through(Phase& phase) {
    while (phase.begin_turn()) {
        auto notices = transport_.receive(phase.period());
        if (open_.lock != nullptr) {
            open_.lock->beat();
        }
        for (auto& notice : notices) {
            std::visit([&](auto& each) { phase.take(each); }, notice);
        }
        phase.end_turn();
    }
}

/// Measures the best trial on the test data. They are read once, for the trial that won on the validation data, and
/// again if a sweep is extended and another trial wins. Returns whether nothing is left to do.
bool Coordinator::test_the_best(SessionEnd& end) {
    const auto best = sweep().best();
    const auto& test = decisions_.history().test();
    if (!best || !open_.file.has_final_test() || (test && test->trial == best)) {
        return true;
    }
    FinalTest final_test(*best, orders_, view_, end, longest_test(open_.file.supervision));
    go_through(final_test);
    if (const auto metrics = final_test.conclude()) {
        decisions_.append(test_note(journal_clock(), *best, *metrics));
        decisions_.commit();
    }
    return !final_test.is_cut_short();
}

}  // namespace crescendo::launch
