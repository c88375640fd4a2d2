#include "launch/sweep_file/check/command_words.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("the program of a command may follow env and its arguments") {
    CHECK(find_program({"python3", "train.py"}) == 0);
    CHECK(find_program({"/usr/bin/env", "A=1", "python3", "train.py"}) == 2);
    CHECK(find_program({"env", "-u", "RANK", "--chdir", "/tmp", "A=1", "bash"}) == 6);
    CHECK(find_program({"env", "-S", "bash -c true"}) == 0);  // env splits it itself
    CHECK(find_program({"env", "A=1"}) == 1);
    CHECK(find_program({"env"}) == 0);
}

TEST_CASE("the script of a command is the file that its interpreter runs") {
    CHECK(find_script({"env", "A=1", "python3.11", "-u", "src/train.py", "--lr", "0.1"}) == 4);
    CHECK(find_script({"bash", "run/train"}) == 1);  // a path
    CHECK(find_script({"bash", "later"}) == std::nullopt);
    CHECK(find_script({"python3", "-m", "package.train"}) == std::nullopt);
    CHECK(find_script({"bash", "-c", "./later.sh"}) == std::nullopt);
    CHECK(find_script({"env", "/bin/true", "no.py"}) == std::nullopt);
    CHECK(find_script({"python3", "-u"}) == std::nullopt);
}

TEST_CASE("a module that an interpreter runs has a file, except the adapter for W&B") {
    CHECK(file_of_module({"python3", "-m", "package.train", "--lr", "1"}) == "package/train.py");
    CHECK(file_of_module({"python3", "-m", "crescendo.wandb", "train.py"}).empty());
    CHECK(file_of_module({"python3", "-m"}).empty());
    CHECK(file_of_module({"python3", "train.py"}).empty());
}

TEST_CASE("an output folder is shared by all trials if its option has no macro, and no word names the trial") {
    CHECK(find_shared_output({"python3", "run.py", "--output_dir=out", "${args}"}) == 2);
    CHECK(find_shared_output({"python3", "run.py", "--output_dir", "out", "${args}"}) == 2);
    CHECK(find_shared_output({"python3", "run.py", "--output_dir=${trial_dir}/out", "${args}"}) == std::nullopt);
    CHECK(find_shared_output({"python3", "run.py", "--output_dir", "out-${lr}"}) == std::nullopt);
    CHECK(find_shared_output({"bash", "-c", "cd $CRESCENDO_TRIAL_DIR; exec $0 $@", "run", "--output_dir=out"}) ==
          std::nullopt);
    CHECK(find_shared_output({"python3", "run.py", "${args}", "--output_dir"}) == std::nullopt);
}

TEST_CASE("a process launcher is recognized by its name, wherever it is") {
    CHECK(find_launcher({"env", "A=1", "/opt/venv/bin/torchrun", "train.py"}) == 2);
    CHECK(find_launcher({"accelerate", "launch", "train.py"}) == 0);
    CHECK(find_launcher({"python3", "-m", "torch.distributed.run", "train.py"}) == 2);
    CHECK(find_launcher({"mpirun", "-n", "4", "./solver"}) == 0);
    CHECK(find_launcher({"python3", "torchrun.py"}) == std::nullopt);
}

TEST_CASE("conda run is recognized, and so is whether it holds back output until the end") {
    CHECK(is_run_by_conda({"/opt/conda/bin/conda", "run", "-n", "mine", "python3", "train.py"}));
    CHECK(is_run_by_conda({"env", "A=1", "micromamba", "run", "python3", "train.py"}));
    CHECK_FALSE(is_run_by_conda({"conda"}));
    CHECK_FALSE(is_run_by_conda({"./run", "conda"}));
    CHECK(is_held_back_by_conda({"conda", "run", "python3", "train.py"}));
    CHECK_FALSE(is_held_back_by_conda({"conda", "run", "--no-capture-output", "python3", "train.py"}));
    CHECK_FALSE(is_held_back_by_conda({"mamba", "run", "python3", "train.py"}));
}
