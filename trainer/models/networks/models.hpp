#pragma once

#include <memory>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Table of all models, by their word in the setting `model`.
ModelTable models();

/// `cnn`: `depth` blocks of a convolution with `kernel_size`, the activation and 2x2 max-pooling; the first has `width`
/// channels, and each block doubles them. Then a hidden layer of 8 x `width` units, dropout, and the outputs.
std::shared_ptr<ModelSpec> read_cnn(Section& section);

/// `mlp`: `depth` hidden layers of `width` units, each followed by dropout; then the outputs. Columns that hold codes
/// of categories are first replaced by vectors (Embeddings).
std::shared_ptr<ModelSpec> read_mlp(Section& section);

/// `autoencoder`: the encoder has `depth` blocks of a 3x3 convolution with stride 2 and the activation; the first has
/// `width` channels, and each block doubles them. A 1x1 convolution gives the code of `latent` channels, followed by
/// dropout. The decoder mirrors this: a 3x3 convolution, then `depth` times nearest-neighbour upsampling and a 3x3
/// convolution, with an activation between each two.
///
/// It reconstructs its inputs. But if the targets are fields (height x width, or channels x height x width) with the
/// inputs' height and width, it predicts the targets.
std::shared_ptr<ModelSpec> read_autoencoder(Section& section);

/// `resnet18`, `resnet34` and `resnet50` (He et al., "Deep Residual Learning for Image Recognition", CVPR 2016), with
/// `width` channels in the first stage (64 in the paper). Parameters and buffers have torchvision's names and shapes.
///
/// `stem: large` is the paper's stem. `stem: small`, for small images, is a 3x3 convolution that keeps height and width
/// (section 4.2).
std::shared_ptr<ModelSpec> read_resnet18(Section& section);
std::shared_ptr<ModelSpec> read_resnet34(Section& section);
std::shared_ptr<ModelSpec> read_resnet50(Section& section);

/// `unet`: a U-Net (Ronneberger, Fischer and Brox, MICCAI 2015) from fields to fields, which keeps height and width.
std::shared_ptr<ModelSpec> read_unet(Section& section);

/// `r3d` and `r2plus1d`: residual networks for short videos (Tran et al., "A Closer Look at Spatiotemporal Convolutions
/// for Action Recognition", CVPR 2018), with `depth` blocks in each of four stages. A sample is (frames, height, width)
/// or (frames, channels, height, width).
///
/// In `r3d`, kernels are cubes over time, height and width. In `r2plus1d`, a kernel over height and width is followed
/// by one over time. The number of channels between them is chosen so that both networks have about the same number of
/// parameters.
///
/// With `width: 64`, `depth: 2` and `stem: large`, parameters and buffers have the names and shapes of r3d_18 and
/// r2plus1d_18 in torchvision. `stem: small`, for small images, is a 3x3x3 convolution that keeps height and width.
std::shared_ptr<ModelSpec> read_r3d(Section& section);
std::shared_ptr<ModelSpec> read_r2plus1d(Section& section);

/// `vit`: a vision transformer (Dosovitskiy et al., ICLR 2021), with torchvision's parameters and names.
std::shared_ptr<ModelSpec> read_vit(Section& section);

/// `transformer`: the encoder of a transformer over a series. The outputs are computed from the mean of its tokens.
std::shared_ptr<ModelSpec> read_transformer(Section& section);

/// `lstm`: layers of long short-term memory (Hochreiter and Schmidhuber, 1997) over a series: torch's LSTM. The outputs
/// are computed from the last step.
std::shared_ptr<ModelSpec> read_lstm(Section& section);

/// `gru`: like `lstm`, with gated recurrent units (Cho et al., EMNLP 2014): torch's GRU.
std::shared_ptr<ModelSpec> read_gru(Section& section);

/// `NAME.pt`: a network that Python saved as TorchScript. It starts with the weights in the file.
///
/// `constants` sets attributes of the network and of its modules by name: {slope: 0.1}.
std::shared_ptr<ModelSpec> read_script(Section& section);

}  // namespace crescendo::trainer
