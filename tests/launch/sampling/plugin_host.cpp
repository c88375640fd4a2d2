#include "launch/sampling/plugin_host.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace crescendo::launch;

TEST_CASE("the host gets its place, its class and all libraries, and messages say where the file names the class") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0, max: 9}}\nscheduler: {type: fifo, max: 2}\n"
        "plugins: [./a.so, ./b.so]\nsampler: {type: climber}\nstop_rule: {type: plateau}\n",
        "sweep.yaml");

    const auto command = plugin_command(file, PluginPlace::sampler);

    CHECK(std::filesystem::path(command[0]).filename() == "crescendo-plugin-host");
    CHECK(std::vector(command.begin() + 1, command.end()) ==
          std::vector<std::string>{"sampler", "climber", "./a.so", "./b.so"});
    CHECK(plugin_command(file, PluginPlace::stop_rule)[2] == "plateau");
    CHECK(plugin_name(file, PluginPlace::sampler) ==
          "sweep.yaml:6:11: sampler.type: the sampler `climber` of ./a.so, ./b.so");
    CHECK(plugin_name(file, PluginPlace::stop_rule) ==
          "sweep.yaml:7:13: stop_rule.type: the stop rule `plateau` of ./a.so, ./b.so");
}
