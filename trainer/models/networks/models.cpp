#include "trainer/models/networks/models.hpp"

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
