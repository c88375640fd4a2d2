#include "trainer/models/models.hpp"

#include "trainer/models/autoencoder.hpp"
#include "trainer/models/cnn.hpp"
#include "trainer/models/mlp.hpp"
#include "trainer/models/script.hpp"

namespace crescendo::trainer {

ModelTable models() {
    return {
        {"cnn", read_cnn},
        {"mlp", read_mlp},
        {"autoencoder", read_autoencoder},
        {"*.pt", read_script},
    };
}

}  // namespace crescendo::trainer
