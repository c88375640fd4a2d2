#include "trainer/optimizers/optimizers.hpp"

#include "trainer/optimizers/adam.hpp"
#include "trainer/optimizers/sgd.hpp"

namespace crescendo::trainer {

OptimizerTable optimizers() {
    return {
        {"sgd", read_sgd},
        {"adam", read_adam},
        {"adamw", read_adamw},
    };
}

}  // namespace crescendo::trainer
