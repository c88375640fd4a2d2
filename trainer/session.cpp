#include "trainer/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/failure.hpp"
#include "trainer/protocol/control_store.hpp"
#include "trainer/training/evaluation.hpp"
#include "trainer/training/state_exchange.hpp"

namespace crescendo::trainer {

using nlohmann::json;
namespace type = protocol::type;

namespace {

constexpr const char* checkpoint_name = "checkpoint.pt";

std::chrono::duration<double> since(std::chrono::steady_clock::time_point time) {
    return std::chrono::steady_clock::now() - time;
}

std::unique_ptr<Trial> new_trial(const Join& join, const Settings& settings, DataCache& data, const Device& device) {
    const auto samples = data.set(settings.data.train, settings.data);
    require_none(misfits(settings, *samples, "trainer.data.train"));
    return std::make_unique<Trial>(join.trial, join.seed, settings, describe_task(settings, data), device);
}

}  // namespace

Session::Session(ControlChannel& channel, const Device& device, Options options)
    : channel_(channel), device_(device), options_(std::move(options)), pulse_(channel) {}

int Session::run() {
    channel_.send({{"type", type::hello}, {"pid", ::getpid()}, {"version", CRESCENDO_VERSION}});
    try {
        serve();
        return 0;
    } catch (...) {
        const Failure failure = describe_failure(std::current_exception());
        std::fprintf(stderr, "%s\n", failure.message.c_str());
        channel_.send({{"type", type::failed},
                       {"trial", concerned_trial_},
                       {"kind", failure.kind},
                       {"message", failure.message}});
        return 1;
    }
}

void Session::serve() {
    while (!channel_.closed()) {
        pulse_.beat();
        if (const auto message = training() ? channel_.poll() : channel_.wait(Pulse::period)) {
            concerned_trial_ = message->value("trial", json());
            std::visit([this](const auto& order) { obey(order); }, parse_order(*message));
        } else if (training()) {
            advance();
        }
    }
}

bool Session::training() const {
    return generation_ && !trial_->progress().report_pending && trial_->progress().reported() < terms_->max_resource;
}

void Session::advance() try {
    if (trial_->reached() > trial_->progress().reported()) {
        report();
    } else if (generation_->step()) {
        announce_regroup();
        if (terms_->rank == 0) checkpoints_->save_if_due(*trial_, terms_->settings);
    }
} catch (const PeerLost& lost) {
    lose_group(lost);
}

/// What is to be done is crescendo's to say: it knows which of the peers is dead.
void Session::lose_group(const PeerLost& cause) {
    std::fprintf(stderr, "generation %lld ends: %s\n", static_cast<long long>(terms_->generation), cause.what());
    generation_.reset();
    channel_.send({{"type", type::stranded}, {"trial", terms_->trial}, {"generation", terms_->generation}});
}

void Session::announce_regroup() {
    if (regroup_announced_) return;
    regroup_announced_ = true;
    if (terms_->rank != 0) return;
    channel_.send({{"type", type::regrouped},
                   {"trial", terms_->trial},
                   {"generation", terms_->generation},
                   {"seconds", since(terms_->read_at).count()}});
}

void Session::report() {
    generation_->report(std::min(trial_->reached(), terms_->max_resource));
    report_sent_ = false;
    if (terms_->rank != 0) return;
    if (terms_->checkpoint_at && trial_->progress().reported() >= *terms_->checkpoint_at) {
        checkpoints_->save(*trial_, terms_->settings);
    }
    send_report();
}

void Session::send_report() {
    const Report& report = *trial_->progress().report;
    json message = {{"type", type::report},
                    {"trial", terms_->trial},
                    {"generation", terms_->generation},
                    {"resource", report.resource},
                    {"metrics", report.metrics},
                    {"seconds", report.seconds},
                    {"evaluated", report.evaluated}};
    if (const auto share = generation_->data_wait()) message["data_wait"] = *share;
    channel_.send(message);
    report_sent_ = true;
}

void Session::obey(const Join& join) {
    generation_.reset();  // peers that still wait in the old group are thrown out of it
    const bool is_new = !terms_ || terms_->trial != join.trial || terms_->directory != join.directory;
    if (is_new) log_.emplace(join.directory);
    const Settings settings = usable_settings(join.settings);
    if (is_new) checkpoints_.emplace(join.directory / checkpoint_name, settings.checkpoint_every);
    checkpoints_->finish();  // another member may be the one that writes from now on
    terms_ = join;
    regroup_announced_ = false;
    if (join.rank == 0) prepare_state(join, settings);
    try {
        Group group = meet(join);
        pulse_.beat();  // each may take as long as a collective, and together they are not to look like a hang
        share_state(group, join, settings, trial_);
        pulse_.beat();
        trial_->set_group(join.size, join.batch_multiple);
        trial_->set_accumulation(join.accumulation);
        generation_ = std::make_unique<Generation>(std::move(group), *trial_, data_, pulse_, options_.observer);
        if (join.state == StateSource::memory) {
            trial_->progress().seconds += since(join.read_at).count();
        }
    } catch (const PeerLost& lost) {
        return lose_group(lost);
    }
    if (join.rank == 0 && trial_->progress().report_pending && !report_sent_) send_report();
}

Settings Session::usable_settings(const json& section) const {
    std::vector<Problem> problems;
    Settings settings = parse_settings(section, options_.catalogue, problems);
    require_none(problems);
    return settings;
}

void Session::prepare_state(const Join& join, const Settings& settings) {
    if (join.state == StateSource::memory && trial_ && trial_->number() == join.trial) return settle_report(join);
    const auto checkpoint = join.directory / checkpoint_name;
    const bool saved = join.state != StateSource::fresh && std::filesystem::exists(checkpoint);
    if (join.state == StateSource::memory) {
        std::fprintf(stderr, "trial %lld: its state in memory died with those who held it; it %s\n",
                     static_cast<long long>(join.trial), saved ? "continues from its checkpoint" : "begins again");
    }
    if (saved) {
        trial_ = read_checkpoint(checkpoint, join.trial, join.seed, settings, device_);
        trial_->progress().report_pending = trial_->progress().report.has_value();
        std::printf("continues from its checkpoint, of %lld epochs and %lld samples\n",
                    static_cast<long long>(trial_->progress().epoch),
                    static_cast<long long>(trial_->progress().position));
        std::fflush(stdout);
    } else {
        trial_ = new_trial(join, settings, data_, device_);
    }
    report_sent_ = false;
}

/// A join decides about every report that crescendo had when it gave the order; others are still on their way to it, or
/// died with the member that was to send them.
void Session::settle_report(const Join& join) {
    Progress& progress = trial_->progress();
    const bool answered = join.reported ? progress.report && progress.report->resource <= *join.reported : report_sent_;
    if (answered) progress.report_pending = false;
}

Group Session::meet(const Join& join) {
    if (join.size == 1) return Group(device_);
    const auto store = c10::make_intrusive<ControlStore>(channel_, join.trial, join.generation, options_.group_timeout);
    return Group(device_, store,
                 {.rank = join.rank, .size = join.size, .timeout = options_.group_timeout, .interrupted = [this] {
                      return channel_.interrupted();
                  }});
}

void Session::obey(const Decision& decision) {
    if (!generation_ || decision.trial != terms_->trial || !trial_->progress().report_pending) return;
    trial_->progress().report_pending = false;
    terms_->checkpoint_at = decision.checkpoint_at;
    terms_->batch_multiple = decision.batch_multiple.value_or(terms_->batch_multiple);
    trial_->set_group(terms_->size, terms_->batch_multiple);
}

void Session::obey(const Leave& leave) {
    generation_.reset();
    const bool save = leave.save && terms_ && terms_->rank == 0 && trial_ && trial_->number() == leave.trial;
    if (save) checkpoints_->save(*trial_, terms_->settings);
    checkpoints_.reset();  // whoever is told that this member has left may drop the checkpoint, or read it
    trial_.reset();
    terms_.reset();
    log_.reset();
    channel_.send({{"type", type::left}, {"trial", leave.trial}, {"saved", save}});
}

void Session::obey(const Evaluate& evaluate) {
    CRESCENDO_EXPECT(!terms_);
    const Settings settings = usable_settings(evaluate.settings);
    const bool test = evaluate.data == "test";
    const std::string& location = test ? settings.data.test : settings.data.validation;
    CRESCENDO_VALIDATE(!location.empty(), "trainer.data." + evaluate.data,
                       "missing: there are no {} samples to run trial {} over", evaluate.data, evaluate.trial);
    const auto trial = read_checkpoint(evaluate.checkpoint, evaluate.trial, 0, settings, device_);
    CRESCENDO_VALIDATE(trial->progress().reported() >= evaluate.resource, "",
                       "the checkpoint is of the report at {}; what trial {} reported at {} was not saved",
                       trial->progress().reported(), evaluate.trial, evaluate.resource);
    auto& stream = data_.evaluation(location, settings.data);
    Metrics metrics;
    add_means(metrics, test ? "test" : "val", evaluate_share(*trial, stream, Group(device_), pulse_), trial->task());
    channel_.send({{"type", type::evaluated}, {"trial", evaluate.trial}, {"metrics", metrics}});
}

}  // namespace crescendo::trainer
