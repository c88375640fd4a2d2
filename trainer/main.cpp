#include <ATen/Parallel.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "core/one_line.hpp"
#include "core/trial_protocol.hpp"
#include "datasets/system/own_process.hpp"
#include "trainer/device/matrix_products.hpp"
#include "trainer/group_check.hpp"
#include "trainer/model_export.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/network_check.hpp"
#include "trainer/optimizers/optimizers.hpp"
#include "trainer/plugins/plugins.hpp"
#include "trainer/protocol/failure.hpp"
#include "trainer/session.hpp"
#include "trainer/settings_check.hpp"
#include "trainer/training/warm_up.hpp"

namespace crescendo::trainer {

namespace {

std::string environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

int environment_number(const char* name, int otherwise) {
    const std::string value = environment(name, "");
    if (value.empty()) {
        return otherwise;
    }
    char* end = nullptr;
    const long number = std::strtol(value.c_str(), &end, 10);
    CRESCENDO_VALIDATE(*end == '\0' && number >= 1 && number <= 1'000'000, name,
                       "{} is \"{}\"; use a whole number of at least 1", name, value);
    return static_cast<int>(number);
}

/// Restarts the program with OMP_WAIT_POLICY, because OpenMP reads it when its library is loaded. Without it, idle
/// threads spin on cores that other workers need.
void let_openmp_threads_sleep(char** arguments) {
    if (std::getenv("OMP_WAIT_POLICY")) {
        return;
    }
    ::setenv("OMP_WAIT_POLICY", "passive", 1);
    ::execv("/proc/self/exe", arguments);
}

/// Every step frees and allocates the same large tensors. By default malloc returns them to the system each time, and
/// page faults take a quarter of a step. Large tensors also get pages of 2 MiB if the system has them (torch reads the
/// variable when it makes its first tensor): a worker then joins a trial of 400 MB in half the time.
void prepare_memory() {
    ::setenv("THP_MEM_ALLOC_ENABLE", "1", /*overwrite=*/0);
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's maximum
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

std::chrono::seconds group_timeout() {
    return std::chrono::seconds(environment_number(protocol::group_timeout_variable, 60));
}

std::unique_ptr<Device> make_device(const std::string& name) {
    CRESCENDO_VALIDATE(name == "cpu" || name == "cuda", protocol::device_variable, "{} is \"{}\"; use cpu or cuda",
                       protocol::device_variable, name);
    return name == "cuda" ? load_cuda_device() : make_cpu_device();
}

Catalogue catalogue() {
    return {.models = models(),
            .optimizers = optimizers(),
            .add_plugin = add_plugin,
            .misfits_of_network = misfits_of_network};
}

/// Prints the error that ends this process, and returns the exit status. Call it in a `catch`.
int complain() try { throw; } catch (const InvalidInput& invalid) {
    std::cerr << "crescendo-trainer: " << invalid.what() << std::endl;
    return 2;
} catch (...) {
    std::cerr << "crescendo-trainer: " << describe_failure().message << std::endl;
    return 1;
}

/// Crescendo reads the last line. A plug-in may have printed something without a line feed before.
void print_answer(const nlohmann::json& answer) { std::cout << '\n' << one_line(answer) << std::endl; }

void answer(const std::vector<Problem>& problems, const std::vector<Problem>& remarks = {}) {
    nlohmann::json answer;
    for (const auto& [name, list] : {std::pair{"problems", &problems}, {"remarks", &remarks}}) {
        answer[name] = nlohmann::json::array();
        for (const auto& [key, message] : *list) {
            answer[name].push_back({{"key", key}, {"message", message}});
        }
    }
    print_answer(answer);
}

/// Runs in a separate process, because the data may be damaged: nothing has checked them yet.
int answer_check() {
    const auto request = nlohmann::json::parse(std::cin);
    const auto ending = datasets::in_own_process("the data", [&] {
        try {
            const auto problems = check_settings(request, catalogue());
            answer(problems, problems.empty() ? remarks_on_settings(request, catalogue()) : std::vector<Problem>());
            return 0;
        } catch (...) {
            return complain();
        }
    });
    if (ending.is_early()) {
        answer({{ending.calling.empty() ? "trainer.data" : plugins_key, ending.message()}});
    }
    return ending.code;
}

/// Runs in a separate process, because the data may have been damaged since the model was trained.
int export_it() {
    const auto request = nlohmann::json::parse(std::cin);
    std::filesystem::current_path(request.at("working_directory").get<std::string>());
    const auto ending = datasets::in_own_process("the data", [&] {
        try {
            print_answer(export_model(request, catalogue()));
            return 0;
        } catch (...) {
            return complain();
        }
    });
    if (ending.is_early()) {
        std::cerr << "crescendo-trainer: " << ending.message() << std::endl;
        return 1;
    }
    return ending.code;
}

/// The descriptor of the socket to crescendo.
int control_descriptor() {
    const int fd = environment_number(protocol::fd_variable, 0);
    CRESCENDO_VALIDATE(fd > 0, protocol::fd_variable,
                       "crescendo starts this program, with the number of a socket in {}; by hand, only --check and "
                       "--version are useful",
                       protocol::fd_variable);
    return fd;
}

int join_checked_group(int rank, int size) {
    const auto device = make_device(environment(protocol::device_variable, "cpu"));
    ControlChannel channel(control_descriptor());
    check_group(channel, *device, rank, size, group_timeout());
    return 0;
}

int serve() {
    prepare_memory();
    const MatrixProducts products;
    // First, because torch must know the GPU before anything uses one.
    const auto device = make_device(environment(protocol::device_variable, "cpu"));
    const int fd = control_descriptor();
    at::set_num_threads(environment_number(protocol::threads_variable, 1));
    at::set_num_interop_threads(1);
    Session::Options options;
    options.group_timeout = group_timeout();
    options.catalogue = catalogue();
    options.shared_memory = environment(protocol::shared_memory_variable, "");
    warm_up(*device, options.catalogue);
    ControlChannel channel(fd);
    return Session(channel, *device, options).run();
}

int run(int count, char** arguments) try {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A batch system sends its warnings to every process of the job. crescendo decides what to do then.
    for (const int warning : {SIGTERM, SIGUSR2}) {
        ::signal(warning, SIG_IGN);
    }
    // Gloo may write to peers that have just died, and checkpoints may exceed the user's file size limit. Both should
    // be write errors, not signals.
    for (const int of_a_write : {SIGPIPE, SIGXFSZ}) {
        ::signal(of_a_write, SIG_IGN);
    }
    const std::string word = count > 1 ? arguments[1] : "";
    if (word == "--version") {
        std::cout << CRESCENDO_VERSION << std::endl;
        return 0;
    }
    if (word == "--check") {
        return answer_check();
    }
    if (word == "--export") {
        return export_it();
    }
    if (word == "--list" && count == 3) {
        std::cout << list_plugin(arguments[2]) << std::flush;
        return 0;
    }
    if (word == "--check-group" && count == 4) {
        return join_checked_group(std::atoi(arguments[2]), std::atoi(arguments[3]));
    }
    CRESCENDO_VALIDATE(count == 1, "",
                       "usage: crescendo-trainer [--check | --check-group RANK SIZE | --export | --list PLUGIN | "
                       "--version]");
    let_openmp_threads_sleep(arguments);
    return serve();
} catch (...) {
    return complain();
}

}  // namespace

}  // namespace crescendo::trainer

int main(int count, char** arguments) { return crescendo::trainer::run(count, arguments); }
