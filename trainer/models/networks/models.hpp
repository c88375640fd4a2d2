#pragma once

#include <memory>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Every model, by the word that the setting `model` takes.
ModelTable models();

/// `cnn`: `depth` times a convolution of `kernel_size`, activation and 2x2 max-pooling, with `width` channels at first
/// and twice as many each time; a hidden layer of 8 x `width` units, followed by dropout; the outputs.
std::shared_ptr<ModelSpec> read_cnn(Section& section);

/// `mlp`: `depth` hidden layers of `width` units, each followed by dropout; the outputs. Columns that hold codes of
/// categories become vectors first (Embeddings).
std::shared_ptr<ModelSpec> read_mlp(Section& section);

/// `autoencoder`: `depth` times a 3x3 convolution of stride 2 and activation, with `width` channels at first and twice
/// as many each time; a 1x1 convolution to the code of `latent` channels, followed by dropout; back the same way, by a
/// 3x3 convolution and `depth` times nearest neighbours and a 3x3 convolution, with an activation between each two.
///
/// It reconstructs its inputs, unless the targets are fields (height x width, or channels x height x width) of the
/// inputs' height and width: then it predicts these.
std::shared_ptr<ModelSpec> read_autoencoder(Section& section);

/// `resnet18`, `resnet34` and `resnet50` (He et al., "Deep Residual Learning for Image Recognition", CVPR 2016), with
/// `width` channels at first: 64 is the paper's. Parameters and buffers have the names and shapes of torchvision's.
///
/// `stem: large` is that of the paper. `stem: small`, for small images, is a 3x3 convolution that keeps height and
/// width (section 4.2).
std::shared_ptr<ModelSpec> read_resnet18(Section& section);
std::shared_ptr<ModelSpec> read_resnet34(Section& section);
std::shared_ptr<ModelSpec> read_resnet50(Section& section);

/// `unet`: a U-Net (Ronneberger, Fischer and Brox, MICCAI 2015) that keeps height and width, from fields to fields.
std::shared_ptr<ModelSpec> read_unet(Section& section);

/// `r3d` and `r2plus1d`: residual networks of short videos (Tran et al., "A Closer Look at Spatiotemporal Convolutions
/// for Action Recognition", CVPR 2018), with `depth` blocks in each of four stages. A sample is (frames, height, width)
/// or (frames, channels, height, width).
///
/// In `r3d`, kernels are cubes over time, height and width. In `r2plus1d`, a kernel over height and width is followed
/// by one over time, with so many channels between them that both networks have about as many parameters.
///
/// With `width: 64`, `depth: 2` and `stem: large`, parameters and buffers have the names and shapes of torchvision's
/// r3d_18 and r2plus1d_18. `stem: small`, for small images, is a 3x3x3 convolution that keeps height and width.
std::shared_ptr<ModelSpec> read_r3d(Section& section);
std::shared_ptr<ModelSpec> read_r2plus1d(Section& section);

/// `vit`: a vision transformer (Dosovitskiy et al., ICLR 2021), with the parameters of torchvision's, by the same
/// names.
std::shared_ptr<ModelSpec> read_vit(Section& section);

/// `transformer`: the encoder of a transformer over a series, whose tokens' mean gives the outputs.
std::shared_ptr<ModelSpec> read_transformer(Section& section);

/// `lstm`: layers of long short-term memory (Hochreiter and Schmidhuber, 1997) over a series, torch's LSTM. The outputs
/// follow from the last step.
std::shared_ptr<ModelSpec> read_lstm(Section& section);

/// `gru`: the same of gated recurrent units (Cho et al., EMNLP 2014), torch's GRU.
std::shared_ptr<ModelSpec> read_gru(Section& section);

/// `NAME.pt`: a network that Python has saved as TorchScript. Its weights are those of the file.
///
/// `constants` sets attributes of the network by name, and those of its modules by theirs: {slope: 0.1}.
std::shared_ptr<ModelSpec> read_script(Section& section);

}  // namespace crescendo::trainer
