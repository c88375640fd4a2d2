#include "trainer/session.hpp"

#include <unistd.h>

#include <cstdio>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"
#include "trainer/checkpoint.hpp"
#include "trainer/control_store.hpp"
#include "trainer/evaluation.hpp"
#include "trainer/failure.hpp"
#include "trainer/state_exchange.hpp"

namespace crescendo::trainer {

using nlohmann::json;
namespace type = protocol::type;

namespace {

Settings usable_settings(const json& section) {
    std::vector<Problem> problems;
    Settings settings = parse_settings(section, problems);
    require_none(problems);
    return settings;
}

std::unique_ptr<Trial> new_trial(const Join& join, const Settings& settings, DataCache& data, const Device& device) {
    const auto samples = data.set(settings.data.train, settings.data);
    require_none(misfits(settings, *samples, "trainer.data.train"));
    return std::make_unique<Trial>(join.trial, join.seed, settings, describe_task(settings, *samples), device);
}

}  // namespace

Session::Session(ControlChannel& channel, const Device& device, Options options)
    : channel_(channel), device_(device), options_(std::move(options)) {}

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
                       {"kind", failure.out_of_memory ? "out_of_memory" : "error"},
                       {"message", failure.message}});
        return 1;
    }
}

void Session::serve() {
    while (!channel_.closed()) {
        if (const auto message = training() ? channel_.poll() : wait_for_order()) {
            concerned_trial_ = message->value("trial", json());
            std::visit([this](const auto& order) { obey(order); }, parse_order(*message));
        } else if (training()) {
            advance();
        }
    }
}

bool Session::training() const {
    return generation_ && !trial_->progress().report_pending && trial_->progress().epoch < terms_->max_resource;
}

/// A member without a group waits for a new one no longer than for a collective: where no order comes, the
/// peers are not dead, and something is wrong that crescendo does not know of.
std::optional<json> Session::wait_for_order() {
    const bool lost = terms_ && !generation_;
    if (!lost) return channel_.wait();
    auto message = channel_.wait(options_.group_timeout);
    if (!message && !channel_.closed()) {
        throw std::runtime_error(text("generation {} lost its group, and no order came for {} s: {}",
                                      terms_->generation, std::chrono::duration<double>(options_.group_timeout).count(),
                                      lost_by_));
    }
    return message;
}

void Session::advance() try {
    if (generation_->step()) {
        announce_regroup();
    } else {
        report_epoch();
    }
} catch (const PeerLost& lost) {
    lose_group(lost);
}

void Session::lose_group(const PeerLost& cause) {
    lost_by_ = cause.what();
    std::fprintf(stderr, "generation %lld ends: %s\n", static_cast<long long>(terms_->generation), lost_by_.c_str());
    generation_.reset();
}

void Session::announce_regroup() {
    if (regroup_announced_) return;
    regroup_announced_ = true;
    if (terms_->rank != 0) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - terms_->read_at;
    channel_.send({{"type", type::regrouped},
                   {"trial", terms_->trial},
                   {"generation", terms_->generation},
                   {"seconds", seconds.count()}});
}

void Session::report_epoch() {
    generation_->finish_epoch();
    report_sent_ = false;
    if (terms_->rank != 0) return;
    if (terms_->checkpoint_at && trial_->progress().epoch >= *terms_->checkpoint_at) save_checkpoint();
    send_report();
}

void Session::send_report() {
    const Report& report = *trial_->progress().report;
    json message = {{"type", type::report},
                    {"trial", terms_->trial},
                    {"generation", terms_->generation},
                    {"resource", report.resource},
                    {"metrics", report.metrics}};
    if (const auto share = generation_->data_wait()) message["data_wait"] = *share;
    channel_.send(message);
    report_sent_ = true;
}

void Session::save_checkpoint() { write_checkpoint(terms_->directory / "checkpoint.pt", *trial_, terms_->settings); }

void Session::obey(const Join& join) {
    generation_.reset();  // peers that still wait in the old group are thrown out of it
    if (!terms_ || terms_->trial != join.trial) log_.emplace(join.directory);
    terms_ = join;
    regroup_announced_ = false;
    const Settings settings = usable_settings(join.settings);
    if (join.rank == 0) prepare_state(join, settings);
    try {
        Group group = meet(join);
        share_state(group, join, settings, trial_);
        trial_->set_group(join.size, join.batch_multiple);
        generation_ = std::make_unique<Generation>(std::move(group), *trial_, data_, options_.observer);
    } catch (const PeerLost& lost) {
        return lose_group(lost);
    }
    if (join.rank == 0 && trial_->progress().report_pending) send_report();
}

void Session::prepare_state(const Join& join, const Settings& settings) {
    const auto checkpoint = join.directory / "checkpoint.pt";
    if (join.state == StateSource::memory) {
        if (!trial_ || trial_->number() != join.trial) {
            throw std::runtime_error(text("trial {} is to go on from memory, but is not held here", join.trial));
        }
        // Being asked to regroup is the answer to a report, but only to the member that sent it.
        if (report_sent_) trial_->progress().report_pending = false;
    } else if (join.state == StateSource::checkpoint && std::filesystem::exists(checkpoint)) {
        trial_ = read_checkpoint(checkpoint, join.trial, join.seed, settings, device_);
        trial_->progress().report_pending = trial_->progress().report.has_value();
        report_sent_ = false;
    } else {
        trial_ = new_trial(join, settings, data_, device_);
        report_sent_ = false;
    }
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
    if (save) save_checkpoint();
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
    auto& stream = data_.evaluation(location, settings.data);
    Metrics metrics;
    add_means(metrics, test ? "test" : "val", evaluate_share(*trial, stream, Group(device_)), trial->task());
    channel_.send({{"type", type::evaluated}, {"trial", evaluate.trial}, {"metrics", metrics}});
}

}  // namespace crescendo::trainer
