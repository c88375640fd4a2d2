// Predicts the step times of groups from those of smaller ones, as the scheduler does.
//
//   step_model < times         a line "workers batch seconds" for each time that is known, then a line "workers batch"
//                              for each that is asked for; a line with the predicted seconds answers each of these

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
            std::cerr << "expected workers, batch and perhaps seconds: " << line << '\n';
            return EXIT_FAILURE;
        }
        if (double seconds = 0; fields >> seconds) {
            times.note(trial, at, seconds);
        } else {
            std::cout << times.seconds(trial, at).value() << '\n';
        }
    }
}
