#include "trainer/models/networks/models.hpp"

#include "trainer/models/networks/autoencoder.hpp"
#include "trainer/models/networks/cnn.hpp"
#include "trainer/models/networks/mlp.hpp"
#include "trainer/models/networks/recurrent.hpp"
#include "trainer/models/networks/resnet.hpp"
#include "trainer/models/networks/script.hpp"
#include "trainer/models/networks/transformer.hpp"
#include "trainer/models/networks/unet.hpp"
#include "trainer/models/networks/video.hpp"
#include "trainer/models/networks/vit.hpp"

namespace crescendo::trainer {

ModelTable models() {
    return {
        {"cnn", read_cnn},
        {"mlp", read_mlp},
        {"autoencoder", read_autoencoder},
        {"resnet18", read_resnet18},
        {"resnet34", read_resnet34},
        {"resnet50", read_resnet50},
        {"unet", read_unet},
        {"r3d", read_r3d},
        {"r2plus1d", read_r2plus1d},
        {"vit", read_vit},
        {"transformer", read_transformer},
        {"lstm", read_lstm},
        {"gru", read_gru},
        {"*.pt", read_script},
    };
}

}  // namespace crescendo::trainer
