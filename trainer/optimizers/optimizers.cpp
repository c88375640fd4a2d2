#include "trainer/optimizers/optimizers.hpp"

namespace crescendo::trainer {

OptimizerTable optimizers() {
    return {
        {"sgd", read_sgd},
        {"adam", read_adam},
        {"adamw", read_adamw},
        {"nadamw", read_nadamw},
        {"rmsprop", read_rmsprop},
        {"lamb", read_lamb},
        {"lars", read_lars},
        {"adafactor", read_adafactor},
        {"schedule_free", read_schedule_free},
    };
}

}  // namespace crescendo::trainer
