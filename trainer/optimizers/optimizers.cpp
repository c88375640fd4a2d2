#include "trainer/optimizers/optimizers.hpp"

#include "trainer/optimizers/adafactor.hpp"
#include "trainer/optimizers/adam.hpp"
#include "trainer/optimizers/lamb.hpp"
#include "trainer/optimizers/lars.hpp"
#include "trainer/optimizers/nadamw.hpp"
#include "trainer/optimizers/rmsprop.hpp"
#include "trainer/optimizers/schedule_free.hpp"
#include "trainer/optimizers/sgd.hpp"

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
