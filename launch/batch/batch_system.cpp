#include "launch/batch/batch_system.hpp"

#include "core/check.hpp"
#include "launch/batch/slurm.hpp"

namespace crescendo::launch {
namespace {

template <class System>
std::unique_ptr<BatchSystem> make(const Variables& variables) {
    return std::make_unique<System>(variables);
}

}  // namespace

bool BatchSystem::is_own_job(const std::string& job) const {
    const auto own = own_job();
    return own && own->id == id_in_job(job);
}

std::unique_ptr<BatchSystem> choose_batch_system(const std::vector<BatchSystemFactory>& known,
                                                 const Variables& variables) {
    CRESCENDO_EXPECT(!known.empty());
    for (const auto& make : known) {
        if (auto system = make(variables); system->own_job()) {
            return system;
        }
    }
    for (const auto& make : known) {
        if (auto system = make(variables); system->is_installed()) {
            return system;
        }
    }
    return known.front()(variables);
}

std::unique_ptr<BatchSystem> batch_system(const Variables& variables) {
    static const std::vector<BatchSystemFactory> known{make<Slurm>};
    return choose_batch_system(known, variables);
}

std::optional<JobState> JobWatch::state(const std::string& job, JobWatch* watch) {
    constexpr std::chrono::seconds between_questions{30};
    if (watch == nullptr) {
        return batch_system()->state(job);
    }
    auto& answer = watch->answers_[job];
    if (const auto now = std::chrono::steady_clock::now(); now >= answer.until) {
        answer = {batch_system()->state(job), now + between_questions};
    }
    return answer.state;
}

void JobWatch::look_up(const std::vector<std::string>& jobs) {
    for (const auto& [job, state] : batch_system()->states(jobs)) {
        answers_[job] = {state, std::chrono::steady_clock::time_point::max()};
    }
}

std::function<bool(std::string_view)> variables_of_ranks() {
    return [system = std::shared_ptr<BatchSystem>(batch_system())](std::string_view variable) {
        return system->is_of_rank(variable);
    };
}

}  // namespace crescendo::launch
