#include "impl/a8w8_256x128x64.cuh"
template torch::Tensor a8w8_256x128x64<I8, F32, B16>(torch::Tensor &XQ, torch::Tensor &WQ, std::optional<torch::Tensor> bias, int KBatch);
template torch::Tensor
a8w8_256x128x64<I8, F32, F16>(
    torch::Tensor &XQ, torch::Tensor &WQ, std::optional<torch::Tensor> bias, int KBatch);
//= blob a8w8_256x128x64 a8w8_256x128x64
