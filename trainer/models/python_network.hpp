#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace crescendo::trainer {

// The files of trainer/models/python/, which CMake embeds in the program: the networks in plain PyTorch, with the same
// names of parameters and buffers as in C++.

extern const char* const python_autoencoder;
extern const char* const python_cnn;
extern const char* const python_encoder;  ///< common first part of python_vit and python_transformer
extern const char* const python_mlp;
extern const char* const python_norms;  ///< common first part of python_resnet, python_unet and python_video
extern const char* const python_recurrent;
extern const char* const python_resnet;
extern const char* const python_transformer;
extern const char* const python_unet;
extern const char* const python_video;
extern const char* const python_vit;
extern const char* const python_load;  ///< load.py, written beside every exported model

/// Writes the file model.py: the Python module `source`, followed by a function make_model() that calls its class
/// `name` with these keyword arguments. Returns the file's name.
std::string write_python_network(const std::filesystem::path& folder, const std::string& source,
                                 const std::string& name, const nlohmann::ordered_json& arguments);

}  // namespace crescendo::trainer
