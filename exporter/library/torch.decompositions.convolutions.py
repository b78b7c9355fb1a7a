# Convolutions under other names, made of those that have kernels (see torch.decompositions).

# ---- Padding by name ----

def padded(input: Tensor, kernel: List[int], stride: List[int], padding: str, dilation: List[int]) -> Tensor:
  if padding == "valid":
    return input
  if padding != "same":
    ops.prim.RaiseException(torch.format("Invalid padding string: '{}'", padding))
  n = len(kernel)
  sides = [0 for i in range(2 * n)]
  for d in range(n):
    if stride[d % len(stride)] != 1:
      ops.prim.RaiseException("padding='same' is not supported for strided convolutions")
    total = dilation[d % len(dilation)] * (kernel[d] - 1)
    sides[2 * (n - 1 - d)] = total // 2
    sides[2 * (n - 1 - d) + 1] = total - total // 2
  return torch.constant_pad_nd(input, sides)


def aten_conv1d_padding(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int],
                        groups: int) -> Tensor:
  return torch.conv1d(padded(input, torch.size(weight)[2:], stride, padding, dilation), weight, bias, stride, [0], dilation, groups)


def aten_conv2d_padding(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int],
                        groups: int) -> Tensor:
  return torch.conv2d(padded(input, torch.size(weight)[2:], stride, padding, dilation), weight, bias, stride, [0, 0], dilation, groups)


def aten_conv3d_padding(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int],
                        groups: int) -> Tensor:
  return torch.conv3d(padded(input, torch.size(weight)[2:], stride, padding, dilation), weight, bias, stride, [0, 0, 0], dilation, groups)


def aten__convolution_mode(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int],
                           groups: int) -> Tensor:
  none = [0 for d in range(torch.dim(weight) - 2)]
  return torch.convolution(padded(input, torch.size(weight)[2:], stride, padding, dilation), weight, bias, stride, none, dilation, False, none, groups)


# ---- By algorithm ----

def check_kernel(weight: Tensor, kernel_size: List[int]):
  if torch.size(weight)[2:] != kernel_size:
    ops.prim.RaiseException(torch.format("expected a kernel of size {}, but the weight's sizes are {}", kernel_size, torch.size(weight)))


def aten_thnn_conv2d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv2d(self, weight, bias, stride, padding)


def aten_slow_conv3d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv3d(self, weight, bias, stride, padding)


def aten_slow_conv_dilated2d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int],
                             dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv2d(self, weight, bias, stride, padding, dilation)


def aten_slow_conv_dilated3d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int],
                             dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv3d(self, weight, bias, stride, padding, dilation)


def aten_slow_conv_transpose2d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int],
                               padding: List[int], output_padding: List[int], dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv_transpose2d(self, weight, bias, stride, padding, output_padding, 1, dilation)


def aten_slow_conv_transpose3d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int],
                               padding: List[int], output_padding: List[int], dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv_transpose3d(self, weight, bias, stride, padding, output_padding, 1, dilation)


def aten__conv_depthwise2d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int],
                           dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv2d(self, weight, bias, stride, padding, dilation, torch.size(self, 1))


def aten_conv_depthwise3d(self: Tensor, weight: Tensor, kernel_size: List[int], bias: Optional[Tensor], stride: List[int], padding: List[int],
                          dilation: List[int]) -> Tensor:
  check_kernel(weight, kernel_size)
  return torch.conv3d(self, weight, bias, stride, padding, dilation, torch.size(self, 1))


def aten__nnpack_spatial_convolution(input: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], stride: List[int]) -> Tensor:
  return torch.conv2d(input, weight, bias, stride, padding)


# Steps, batch and channels in this order; the weight is kernel, inputs, outputs.
def aten_conv_tbc(self: Tensor, weight: Tensor, bias: Tensor, pad: int) -> Tensor:
  if torch.dim(self) != 3:
    ops.prim.RaiseException("Input must have 3 dims: time, batch, in_channel")
  if torch.dim(weight) != 3:
    ops.prim.RaiseException("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
  if torch.dim(bias) != 1:
    ops.prim.RaiseException("Bias must be 1-D")
  if torch.size(self, 2) != torch.size(weight, 1):
    ops.prim.RaiseException("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
  if torch.size(bias, 0) != torch.size(weight, 2):
    ops.prim.RaiseException("Bias size must equal dim 2 in the weight tensor (output channels).")
  made = torch.conv1d(torch.permute(self, [1, 2, 0]), torch.permute(weight, [2, 1, 0]), bias, [1], [pad])
  return torch.permute(made, [2, 0, 1])
