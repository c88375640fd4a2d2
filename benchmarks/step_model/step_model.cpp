// Predicts step times of groups from those of smaller groups, as the scheduler does.
//
//   step_model < times         a line "workers batch seconds" for each known time, then a line "workers batch" for each
//                              question; the answer to each is a line with the predicted seconds

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "scheduler/growth/step_times.hpp"

int main() {
    constexpr crescendo::TrialId trial{0};
    crescendo::StepTimes times;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream fields(line);
        crescendo::Setting at;
        if (!(fields >> at.workers >> at.batch)) {
            std::cerr << "expected workers, batch and optional seconds: " << line << '\n';
            return EXIT_FAILURE;
        }
        if (double seconds = 0; fields >> seconds) {
            times.note(trial, at, seconds);
        } else {
            std::cout << times.seconds(trial, at).value() << '\n';
        }
    }
}
