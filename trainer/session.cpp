#include "trainer/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/first_weights.hpp"
#include "trainer/data/normalization.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/profile/profile.hpp"
#include "trainer/protocol/control_store.hpp"
#include "trainer/protocol/failure.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/step/precision.hpp"
#include "trainer/training/evaluation.hpp"
#include "trainer/training/latency.hpp"
#include "trainer/training/state_exchange.hpp"

namespace crescendo::trainer {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A group's step time is measured over num_timed_steps steps, after num_warm_ups steps that may still include
/// preparations: a GPU records what the steps have in common.
constexpr int num_timed_steps = 8;
constexpr int num_warm_ups = 8;

std::chrono::duration<double> since(std::chrono::steady_clock::time_point time) {
    return std::chrono::steady_clock::now() - time;
}

/// The prefix of an evaluation's metrics.
std::string prefix_of(const Evaluate& evaluate) { return evaluate.data == "test" ? "test" : "val"; }

std::unique_ptr<Trial> new_trial(TrialId number, std::uint64_t seed, const Settings& settings, DataCache& data,
                                 const Device& device) {
    const auto samples = data.set(settings.data.train, settings.data);
    auto problems = misfits(settings, *samples, "trainer.data.train");
    // A missing layout is checked before a sweep begins. Ignored here, so that older sweeps, which began without that
    // check, can continue.
    std::erase_if(problems,
                  [&](const Problem& each) { return each.key == "trainer.data.layout" && !settings.data.layout; });
    require_none(problems);
    const Task task = describe_task(settings, data);
    require_none(misfits_of_task(settings, task));
    auto trial = std::make_unique<Trial>(number.value, seed, settings, task, device);
    take_first_weights(*trial);
    return trial;
}

/// Throws InvalidInput if the number or the shape of a trial's training samples has changed, because the length of an
/// epoch depends on them.
void require_its_samples(const Trial& trial, const Settings& settings, DataCache& data) {
    const auto samples = data.set(settings.data.train, settings.data);
    const auto shape = joined_shape(samples->inputs());
    const auto& task = trial.task();
    CRESCENDO_VALIDATE(
        samples->size() == task.num_samples && shape == task.input_shape, "trainer.data.train",
        "{} has {} samples of {}, but had {} of {} when the trial began; restore the old data, or start a new sweep",
        samples->location(), samples->size(), shape_text(shape), task.num_samples, shape_text(task.input_shape));
}

}  // namespace

Session::Session(ControlChannel& channel, const Device& device, Options options)
    : channel_(channel),
      device_(device),
      options_(std::move(options)),
      pulse_(channel),
      data_(options_.shared_memory, [this] { pulse_.beat(); }) {}

int Session::run() {
    channel_.send(protocol::Hello{::getpid(), CRESCENDO_VERSION});
    try {
        serve();
        return 0;
    } catch (...) {
        const Failure failure = describe_failure();
        std::fprintf(stderr, "%s\n", failure.message.c_str());
        channel_.send(protocol::Failed{concerned_trial_, failure.kind, failure.message});
        return 1;
    }
}

void Session::serve() {
    while (!channel_.closed()) {
        pulse_.beat();
        if (const auto message = training() ? channel_.poll() : channel_.wait(Pulse::period)) {
            std::visit(
                [this](const auto& order) {
                    concerned_trial_ = order.trial;
                    obey(order);
                },
                parse_order(*message));
        } else if (training()) {
            advance();
        }
    }
}

bool Session::training() const {
    return generation_ && !trial_->progress().report_pending &&
           trial_->progress().reported() < join_->max_resource.value;
}

/// A trial makes a step before it reports, even if the seconds of a regroup make a report due. Otherwise it would have
/// no train_loss.
void Session::advance() try {
    const Progress& progress = trial_->progress();
    if (progress.step > 0 && trial_->reached(join_->max_resource.value) > progress.reported()) {
        announce_regroup();
        report();
    } else if (generation_->step()) {
        note_step();
        if (join_->rank == 0) {
            checkpoints_->save_if_due(*trial_, settings_);
        }
    }
} catch (const PeerLost& lost) {
    lose_group(lost);
}

/// Reports the lost group and waits for orders: crescendo decides what to do, because it knows which peer is dead.
void Session::lose_group(const PeerLost& cause) {
    std::fprintf(stderr, "generation %d ends: %s\n", join_->generation, cause.what());
    generation_.reset();
    channel_.send(protocol::Stranded{join_->trial, join_->generation});
}

/// Reports the times of a group's first steps. After a regroup, other trials may wait for them, to learn whether growth
/// was worth it; a new trial may grow because of its own. Both use the same steps.
void Session::note_step() {
    const bool has_regrouped = join_->state == StateSource::memory;
    const bool begins = join_->rank == 0 && trial_->progress().reported() == 0 && !first_steps_told_;
    if (++num_steps_ == 1) {
        end_phase("step");
        auto& step = regrouped_.phases.at("step");
        const double waited = std::min(step, generation_->waited().count());
        regrouped_.phases["data"] = waited;
        step -= waited;
        regrouped_.seconds = since(joined_at_).count();
    }
    if (num_steps_ == num_warm_ups && (has_regrouped || begins)) {
        generation_->end_warm_up();
    }
    const bool are_timed = num_steps_ == num_warm_ups + num_timed_steps;
    if (are_timed || !has_regrouped) {
        announce_regroup();
    }
    if (are_timed && begins) {
        tell_first_steps();
    }
}

void Session::tell_first_steps() {
    if (const auto seconds = generation_->step_seconds()) {
        channel_.send(protocol::Timed{join_->trial, join_->generation, *seconds,
                                      static_cast<double>(trial_->group_batch()), trial_->samples_per_resource()});
        first_steps_told_ = true;
    }
}

void Session::announce_regroup() {
    if (regroup_announced_ || num_steps_ == 0) {
        return;
    }
    regroup_announced_ = true;
    if (join_->rank == 0) {
        regrouped_.step_seconds = generation_->step_seconds();
        channel_.send(regrouped_);
    }
}

void Session::report() {
    generation_->report(trial_->reached(join_->max_resource.value));
    sent_.reset();
    if (join_->rank != 0) {
        return;
    }
    if (join_->checkpoint_at && trial_->progress().reported() >= join_->checkpoint_at->value) {
        checkpoints_->save(*trial_, settings_);
    }
    send_report();
}

void Session::send_report() {
    const Report& report = *trial_->progress().report;
    protocol::Report message{.trial = join_->trial,
                             .generation = join_->generation,
                             .resource = Resource{report.resource},
                             .metrics = report.metrics,
                             .seconds = report.seconds,
                             .evaluated = report.evaluated};
    if (const auto& measured = generation_->measures()) {
        message.data_wait = measured->data_wait;
        if (measured->left_out > 0) {
            message.samples_left_out = measured->left_out;
        }
        message.step_seconds = measured->step_seconds;
        message.group_batch = static_cast<double>(measured->group_batch);
        message.noise_scale = measured->noise_scale;
    }
    channel_.send(message);
    sent_ = report.resource;
    report_sent_at_ = std::chrono::steady_clock::now();
}

/// Whether this member has sent the trial's last report. The last report may be newer than this member's own, because
/// it comes with rank 0's state.
bool Session::has_sent_report() const {
    const auto& report = trial_->progress().report;
    return report && report->resource == sent_;
}

/// Whether the trial continues with the state that this member holds.
bool Session::survives(const Join& join) const {
    return join.state == StateSource::memory && trial_ && trial_->number() == join.trial.value;
}

/// Starts the phases of a regroup. For a survivor, the first phase is its wait for the order after its report.
void Session::begin_regroup(const Join& join) {
    phase_began_ = joined_at_ = std::chrono::steady_clock::now();
    regrouped_ = {.trial = join.trial, .generation = join.generation};
    if (survives(join) && trial_->progress().report_pending && has_sent_report()) {
        regrouped_.phases["decide"] = std::chrono::duration<double>(joined_at_ - report_sent_at_).count();
    }
}

/// Records the time since the end of the previous phase.
void Session::end_phase(const char* phase) {
    regrouped_.phases[phase] = since(phase_began_).count();
    phase_began_ = std::chrono::steady_clock::now();
}

void Session::obey(const Join& join) {
    begin_regroup(join);
    generation_.reset();  // so that peers that still wait in the old group fail
    const bool is_new = !join_ || join_->trial != join.trial || join_->directory != join.directory;
    if (is_new) {
        log_.emplace(join.directory);
    }
    settings_ = json::parse(join.settings.text);
    const Settings settings = read_settings(settings_, options_.catalogue);
    if (is_new) {
        checkpoints_.emplace(fs::path(join.directory) / protocol::trial_files::checkpoint, settings.checkpoint_every);
    }
    checkpoints_->finish();  // from now on another member may write checkpoints
    join_ = join;
    regroup_announced_ = false;
    num_steps_ = 0;
    // Before the members meet, because NCCL reads its settings then. (A newcomer has no trial yet that would set the
    // switches.)
    set_process_switches(settings.precision, settings.deterministic, device_.place().type());
    if (survives(join)) {
        trial_->make_room_for_group(join.size);
    } else {
        sent_.reset();  // for every rank, because any member may report for the group later
        first_steps_told_ = false;
    }
    if (join.rank == 0) {
        prepare_state(join, settings);
    }
    const Streams streams(settings, data_);
    pulse_.beat();
    try {
        Group group = meet(join);
        end_phase("group");
        pulse_.beat();  // each phase may take as long as a collective, and their sum must not look like a hang
        share_state(group, join, settings, trial_);
        end_phase("state");
        pulse_.beat();
        trial_->set_group(join.size, join.batch);
        trial_->set_length(join.max_resource.value);
        generation_ = std::make_unique<Generation>(std::move(group), *trial_, join.sweep_seed, streams, pulse_,
                                                   options_.observer);
        if (join.state == StateSource::memory) {
            trial_->progress().seconds += since(joined_at_).count();
        }
        generation_->agree_on_clock();
    } catch (const PeerLost& lost) {
        return lose_group(lost);
    }
    if (join.rank == 0 && trial_->progress().report_pending && !has_sent_report()) {
        send_report();
    }
}

void Session::prepare_state(const Join& join, const Settings& settings) {
    if (survives(join)) {
        return settle_report(join);
    }
    const auto checkpoint = fs::path(join.directory) / protocol::trial_files::checkpoint;
    const bool saved = join.state != StateSource::fresh && std::filesystem::exists(checkpoint);
    if (join.state == StateSource::memory) {
        std::fprintf(stderr, "trial %d: its state in memory was lost with the workers that held it; it %s\n",
                     join.trial.value, saved ? "continues from its checkpoint" : "begins again");
    }
    if (!saved || !read_saved(checkpoint, join, settings)) {
        trial_ = new_trial(join.trial, join.seed, settings, data_, device_);
    }
}

/// Reads the trial's checkpoint. Returns whether that worked. A damaged checkpoint is moved aside, because every other
/// attempt would fail on it too, and the trial can begin again without it.
bool Session::read_saved(const fs::path& checkpoint, const Join& join, const Settings& settings) try {
    trial_ = read_checkpoint(checkpoint, join.trial.value, join.seed, settings, device_);
    require_its_samples(*trial_, settings, data_);
    trial_->progress().report_pending = trial_->progress().report.has_value();
    std::printf("continues from its checkpoint, after %lld epochs and %lld samples\n",
                static_cast<long long>(trial_->progress().epoch), static_cast<long long>(trial_->progress().position));
    std::fflush(stdout);
    return true;
} catch (const DamagedCheckpoint& error) {
    const auto aside = checkpoint.string() + ".damaged";
    fs::rename(checkpoint, aside);
    std::fprintf(stderr, "%s; it is moved to %s, and the trial begins again\n", error.what(), aside.c_str());
    return false;
}

/// A join implies the decision about every report that crescendo had when it gave the order. Other reports are still on
/// their way, or were lost with the member that should have sent them.
void Session::settle_report(const Join& join) {
    Progress& progress = trial_->progress();
    const bool answered =
        join.reported ? progress.report && progress.report->resource <= join.reported->value : has_sent_report();
    if (answered) {
        progress.report_pending = false;
    }
}

Group Session::meet(const Join& join) {
    if (join.size == 1) {
        return Group(device_);
    }
    const auto store =
        c10::make_intrusive<ControlStore>(channel_, join.trial.value, join.generation, options_.group_timeout);
    return Group(device_, store,
                 {.rank = join.rank,
                  .size = join.size,
                  .timeout = options_.group_timeout,
                  .interrupted = [this] { return channel_.interrupted(); },
                  .waiting = [this] { pulse_.beat(); }});
}

void Session::obey(const Decision& decision) {
    if (!generation_ || decision.trial != join_->trial || !trial_->progress().report_pending) {
        return;
    }
    trial_->progress().report_pending = false;
    join_->checkpoint_at = decision.checkpoint_at;
    join_->batch.multiple = decision.batch_multiple.value_or(join_->batch.multiple);
    trial_->set_group(join_->size, join_->batch);
}

void Session::obey(const Leave& leave) {
    generation_.reset();
    const bool save = leave.save && join_ && join_->rank == 0 && trial_ && trial_->number() == leave.trial.value;
    if (save) {
        checkpoints_->save(*trial_, settings_);
    }
    checkpoints_.reset();  // before Left, after which crescendo may delete or read the checkpoint
    trial_.reset();
    device_.rest();  // the next trial's memory blocks, and perhaps its groups, have other sizes
    join_.reset();
    log_.reset();
    channel_.send(protocol::Left{leave.trial, save});
}

void Session::obey(const Evaluate& evaluate) {
    CRESCENDO_EXPECT(!join_);
    const Settings settings = read_settings(json::parse(evaluate.settings.text), options_.catalogue);
    auto& stream = data_.evaluation(location_of(evaluate, settings), settings.data);
    const auto trial = read_trial(evaluate, settings);
    Metrics metrics;
    add_means(metrics, prefix_of(evaluate), evaluate_share(*trial, stream, Group(device_), pulse_), *trial);
    channel_.send(protocol::Evaluated{evaluate.trial, metrics});
}

void Session::obey(const MeasureLatency& measure) {
    CRESCENDO_EXPECT(!join_);
    const Settings settings = read_settings(json::parse(measure.settings.text), options_.catalogue);
    const auto samples = data_.set(location_of(measure, settings), settings.data);
    const bool is_trained = !measure.checkpoint.empty();
    const auto trial =
        is_trained ? read_trial(measure, settings) : new_trial(measure.trial, /*seed=*/0, settings, data_, device_);
    const auto answers = answer_one_at_a_time(*trial, *samples, conversions(*samples, settings.data), settings.data.nan,
                                              measure.num_warm_ups, pulse_);
    protocol::Latency latency = summary_of(answers.seconds);
    latency.trial = measure.trial;
    if (is_trained) {
        add_means(latency.metrics, prefix_of(measure), answers.sums, *trial);
    }
    channel_.send(latency);
}

void Session::obey(const Profile& order) {
    CRESCENDO_EXPECT(!join_);
    const json section = json::parse(order.settings.text);
    const auto trial = new_trial(order.trial, order.seed, read_settings(section, options_.catalogue), data_, device_);
    const Group group = meet(order);
    trial->set_group(order.size, order.batch);
    trial->set_length(order.max_resource.value);
    channel_.send(profile(order, section, *trial, group, data_, pulse_));
}

const std::string& Session::location_of(const Evaluate& evaluate, const Settings& settings) const {
    const auto& location = evaluate.data == "test" ? settings.data.test : settings.data.validation;
    CRESCENDO_VALIDATE(!location.empty(), "trainer.data." + evaluate.data,
                       "missing: there are no {} samples to run trial {} on", evaluate.data, evaluate.trial.value);
    return location;
}

std::unique_ptr<Trial> Session::read_trial(const Evaluate& evaluate, const Settings& settings) const {
    auto trial = read_checkpoint(evaluate.checkpoint, evaluate.trial.value, 0, settings, device_);
    CRESCENDO_VALIDATE(trial->progress().reported() >= evaluate.resource.value, "",
                       "the checkpoint is from the report at {}; the state of trial {} at {} was not saved",
                       trial->progress().reported(), evaluate.trial.value, evaluate.resource.value);
    return trial;
}

}  // namespace crescendo::trainer
