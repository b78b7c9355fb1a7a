"""Operators that refuse shapes, indices, windows, chances and matrices, a case after another."""
import torch
import torch.nn.functional as F
from torch import Tensor


def windows(x: Tensor, t: Tensor, case: int) -> Tensor:
    image, w, volume = x.reshape(1, 2, 3, 4), torch.ones(4, 2, 2, 2), x.reshape(1, 1, 2, 3, 4)
    if case == 0:
        return torch.conv2d(image, w, None, [0, 1])
    if case == 1:
        return torch.conv2d(image, w, None, [1, 1], [-1, 0])
    if case == 2:
        return torch.conv2d(image, w, None, [1, 1], [0, 0], [0, 1])
    if case == 3:
        return torch.conv2d(image, w, None, [1, 1], [0, 0], [9, 1])
    if case == 4:
        return torch.conv2d(image, w[:3, :1], None, [1, 1], [0, 0], [1, 1], 2)
    if case == 5:
        return torch.conv2d(image, w, None, [1, 1], [0, 0], [1, 1], 0)
    if case == 6:
        return torch.conv2d(image, w, torch.ones(3))
    if case == 7:
        return torch.conv2d(image, w[:, :1])
    if case == 8:
        return torch.conv2d(x, w)
    if case == 9:
        return torch.conv2d(image, w[:, :, :0])
    if case == 10:
        return torch.conv2d(image > 0, w > 0)
    if case == 11:
        return torch.conv_transpose2d(image, w[:2], None, [0, 1])
    if case == 12:
        return torch.conv_transpose2d(image, w[:2], None, [1, 1], [-1, 0])
    if case == 13:
        return torch.conv_transpose2d(image, w[:2], None, [1, 1], [0, 0], [0, 0], 1, [0, 1])
    if case == 14:
        return torch.conv_transpose2d(image, w[:2], None, [1, 1], [9, 0])
    if case == 15:
        return torch.conv_transpose2d(image, w[:3])
    if case == 16:
        return torch.conv_transpose2d(image, w[:2], None, [1, 1], [0, 0], [0, 0], 0)
    if case == 17:
        return torch.conv_transpose2d(image, w[:2], None, [1, 1], [0, 0], [1, 0])
    if case == 18:
        return torch.conv_transpose3d(volume, torch.ones(1, 1, 1, 1, 1), None, [1, 1, 1], [9, 9, 9])
    if case == 19:
        return torch.conv_transpose2d(image, w[:2], torch.ones(1))
    if case == 20:
        return torch.max_pool2d(image, [0, 1])
    if case == 21:
        return torch.max_pool2d(image, [2, 2], [0, 0])
    if case == 22:
        return torch.max_pool2d(image, [2, 2], [1, 1], [2, 0])
    if case == 23:
        return torch.max_pool2d(image, [2, 2], [1, 1], [0, 0], [0, 1])
    if case == 24:
        return torch.max_pool2d(image, [5, 5])
    if case == 25:
        return torch.max_pool2d(image.to(torch.complex64), [2, 2])
    if case == 26:
        return torch.max_pool3d(volume, [3, 3, 3])
    if case == 27:
        return F.avg_pool2d(image, [2, 2], [1, 1], [2, 2])
    if case == 28:
        return F.avg_pool3d(volume, [2, 2, 5])
    if case == 29:
        return F.avg_pool2d(image, [2, 2], [1, 1], [0, 0], False, True, 0)
    if case == 30:
        return F.adaptive_max_pool2d(image[:, :, :0], [2, 2])
    if case == 31:
        return torch._C._nn.fractional_max_pool2d(image, [2, 2], [3, 3], torch.ones(1, 2, 2))[0]
    if case == 32:
        return torch._C._nn.fractional_max_pool2d(x[0], [2, 2], [2, 2], torch.ones(1, 2, 2))[0]
    if case == 33:
        return torch.channel_shuffle(image, 0)
    if case == 34:
        return torch.channel_shuffle(image, 3)
    return torch.channel_shuffle(x, 2)


def views(x: Tensor, t: Tensor, case: int) -> Tensor:
    many = torch.ones(1, 1, 1, 1, 1, 1, 1, 1)
    if case == 0:
        return x.flatten(1, 0)
    if case == 1:
        return x.unflatten(0, [3, -1])
    if case == 2:
        return x.permute([0, 0])
    if case == 3:
        return x.permute([0])
    if case == 4:
        return x.movedim([0, 0], [0, 1])
    if case == 5:
        return x.movedim([0, 1], [0, 0])
    if case == 6:
        return x.movedim([0, 1], [0])
    if case == 7:
        return x.split(-1)[0]
    if case == 8:
        return x.split(0)[0]
    if case == 9:
        return x.split([2, 1])[0]
    if case == 10:
        return x.split([5, -1])[0]
    if case == 11:
        return x.unfold(1, 9, 1)
    if case == 12:
        return x.unfold(1, 1, 0)
    if case == 13:
        return x.chunk(0)[0]
    if case == 14:
        return torch.view_as_complex(x[:, :3])
    if case == 15:
        return torch.view_as_complex(x[:, ::3])
    if case == 16:
        return torch.view_as_complex(x.reshape(12, 2).t())
    if case == 17:
        return torch.view_as_complex(t)
    if case == 18:
        return torch.view_as_real(x)
    if case == 19:
        return torch.view_as_complex(x.flatten()[1:21].reshape(10, 2).as_strided([3, 2], [3, 1]))
    if case == 20:
        return x.flip([0, 0])
    if case == 21:
        return x.roll([1, 2], [0])
    if case == 22:
        return x.narrow(0, 3, 2)
    if case == 23:
        return x.diagonal(0, 0, 0)
    if case == 24:
        return x.expand(4)
    if case == 25:
        return x.expand(3, 6)
    if case == 26:
        return F.pad(x, [1, 1, 1])
    if case == 27:
        return F.pad(x, [-4, -3])
    if case == 28:
        return F.pad(x.reshape(1, 4, 6), [7, 0], "reflect")
    if case == 29:
        return F.pad(x.reshape(1, 4, 6), [7, 0], "circular")
    if case == 30:
        return F.pad(x.reshape(1, 4, 6)[:, :, :0], [1, 0], "replicate")
    if case == 31:
        return F.pad(x.reshape(1, 4, 6), [-4, -3], "replicate")
    if case == 32:
        return torch.empty_strided([2, 3], [1])
    if case == 33:
        return torch.empty_strided([2, 3], [-1, 1])
    if case == 34:
        return torch.take_along_dim(x, torch.tensor([[9]]), 0)
    if case == 35:
        return torch.cat([x, x[0]])
    return torch.stack([x, x[:, :1]])


def places(x: Tensor, t: Tensor, case: int) -> Tensor:
    """Indices beyond either end, for elements of each size."""
    dtypes = [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128]
    a, below, above = x.to(dtypes[case % 5]), torch.tensor([[-1, 0]]), torch.tensor([[0, 9]])
    index = below if case % 10 < 5 else above
    if case < 10:
        return a.gather(0, index)
    if case < 20:
        return a.scatter(0, index, a)
    return a.scatter_add(0, index, a)


def drawn(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.randint(3, 3, [2])
    if case == 1:
        return torch.randint(0, 300, [2], dtype=torch.uint8)
    if case == 2:
        return torch.randint(-1, 3, [2], dtype=torch.uint8)
    if case == 3:
        return torch.empty(2).random_(0)
    if case == 4:
        return torch.empty(2, dtype=torch.int8).random_(5, 200)
    if case == 5:
        return torch.randperm(-1)
    if case == 6:
        return F.dropout(x, 1.5)
    if case == 7:
        return F.dropout(x, -0.5)
    if case == 8:
        return torch.dropout(x, 2.0, True)
    if case == 9:
        return torch.native_dropout(x, 2.0, True)[0]
    if case == 10:
        return torch.empty(2).geometric_(0.0)
    if case == 11:
        return torch.empty(2).exponential_(-1.0)
    if case == 12:
        return torch.empty(2).log_normal_(0.0, -1.0)
    if case == 13:
        return torch.normal(x, -x.abs())
    if case == 14:
        return torch.empty(2).normal_(0.0, -1.0)
    if case == 15:
        return torch.empty(2).uniform_(2.0, 1.0)
    if case == 16:
        return torch.empty(2, dtype=torch.int64).uniform_(0.0, 1.0)
    if case == 17:
        return torch.empty(2, dtype=torch.bool).random_(0, 5)
    return torch.rand([-1])


def made(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.tensor([[1, 2], [3]])
    if case == 1:
        return torch.linspace(0.0, 1.0, -1)
    if case == 2:
        return torch.arange(0, 5, 0)
    if case == 3:
        return torch.arange(0, 5, -1)
    if case == 4:
        return torch.eye(-1)
    if case == 5:
        return torch.full([-2], 1.0)
    if case == 6:
        return torch.range(0, 5, 0)
    if case == 7:
        return x.new_empty([-1])
    if case == 8:
        return torch.tril_indices(-1, 2)
    if case == 9:
        return torch.logspace(0.0, 1.0, -1)
    if case == 10:
        return torch.linalg.cholesky(-torch.eye(2))
    if case == 11:
        return torch.linalg.inv(torch.zeros(2, 2))
    if case == 12:
        return torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))
    if case == 13:
        return torch.linalg.inv(x)
    if case == 14:
        return torch.linalg.det(x)
    if case == 15:
        return torch.linalg.qr(x[0])[0]
    if case == 16:
        return torch.linalg.eigvalsh(x)
    if case == 17:
        return torch.fft.irfft(x, 0)
    if case == 18:
        return torch.fft.fft(x, -1)
    if case == 19:
        return torch.fft.rfft(torch.complex(x, x))
    if case == 20:
        return torch.mm(x, x)
    if case == 21:
        return torch.bmm(x.reshape(1, 4, 6), x.reshape(2, 2, 6))
    if case == 22:
        return torch.baddbmm(x, x.reshape(1, 4, 6), x.reshape(1, 6, 4))
    if case == 23:
        return F.linear(x, torch.ones(3, 5))
    if case == 24:
        return F.linear(x, torch.ones(3, 6), torch.ones(2))
    if case == 25:
        return torch.dot(x[0], x[:, 0])
    if case == 26:
        return torch.cross(x, x, 0)
    if case == 27:
        return F.batch_norm(x, None, None)
    if case == 28:
        return F.batch_norm(x, torch.ones(5), torch.ones(6))
    if case == 29:
        return F.layer_norm(x, [5])
    if case == 30:
        return F.group_norm(x, 4)
    if case == 31:
        return F.interpolate(x.reshape(1, 1, 4, 6), [0, 2])
    if case == 32:
        return F.interpolate(x.reshape(1, 1, 4, 6), [2, 2], mode="linear")
    if case == 33:
        return torch._C._nn.upsample_nearest2d(x, [2, 2])
    if case == 34:
        return torch._C._nn.upsample_bilinear2d(x.reshape(1, 1, 4, 6), [2, -2], False)
    if case == 35:
        return torch.bucketize(x, x)
    return torch.quantize_per_channel(x, torch.ones(4), torch.zeros(4), 0, torch.qint8).sort()[0].dequantize()


def unpooled(x: Tensor, t: Tensor, case: int) -> Tensor:
    row, plane = x[:1, :3].reshape(1, 1, 3).abs(), x[:3, :3].reshape(1, 1, 3, 3).abs()
    at, places = torch.zeros(1, 1, 3).long(), torch.zeros(1, 1, 3, 3).long()
    if case == 0:
        return F.max_unpool1d(row, at, [2], output_size=[1, 6])
    if case == 1:
        return F.max_unpool1d(row, at, [2], output_size=[1, 1, 8])
    if case == 2:
        return F.max_unpool1d(row, at, [2], output_size=[4])
    if case == 3:
        return F.max_unpool2d(plane, places, [2, 2], output_size=[1, 6, 6])
    if case == 4:
        return F.max_unpool2d(plane, places, [2, 2], output_size=[5, 9])
    return F.max_unpool3d(plane.unsqueeze(2).expand(1, 1, 3, 3, 3).clone(), places.unsqueeze(2).expand(1, 1, 3, 3, 3).clone(), [2, 2, 2],
                          output_size=[4, 6, 3])


FAULTS = {
    windows: ["non-positive stride is not supported", "negative padding is not supported",
        "dilation should be greater than zero", "). Kernel size can't be greater than actual input size",
        "Given groups=2, expected weight to be divisible by", "non-positive groups is not supported",
        "], expected bias to be 1-dimensional with 4 elements", "to have 1 channels, but got 2 channels instead",
        "Expected 3D (unbatched) or 4D (batched) input to", "should be greater than zero",
        "\"slow_conv2d_cpu\" not implemented for 'Bool'", "non-positive stride is not supported",
        "negative padding is not supported", "dilation should be greater than zero",
        "Given input size per channel: (3 x 4). Calculated", "to have 3 channels, but got 2 channels instead",
        "non-positive groups is not supported",
        "output padding must be smaller than either stride or",
        "Given input size per channel: (2 x 3 x 4). Calculated", "expected bias to be 1-dimensional with 2 elements",
        ("stride should not be zero", "kernel size, stride and dilation should be greater than"),
        ("stride should not be zero", "kernel size, stride and dilation should be greater than"),
        "pad should be at most half of kernel size, but got", "dilation should be greater than zero",
        "Given input size: (2x3x4). Calculated output size:", "\"max_pool2d\" not implemented for 'ComplexFloat'",
        "Given input size: (1x2x3x4). Calculated output size:", "pad should be at most half of kernel size, but got",
        "input image (T: 2 H: 3 W: 4) smaller than kernel size", "divisor must be not zero",
        "adaptive_max_pool2d(): Expected input to have non-zero",
        "2 too large relative to input", "fractional_max_pool2d(): Expected 3D or 4D tensor, but",
        "Number of groups to divide channels in must be", "Number of channels must be divisible by groups. Got 2",
        "channel_shuffle expects input with > 2 dims, but got"],
    views: ["flatten() has invalid args: start_dim cannot come after",
        ("unflatten: Provided sizes [3, -1] don't multiply up to", "shape '[3, -1, 6]' is invalid for input of size 24"),
        ("permute(): duplicate dims are not allowed.", "repeated dim in permute"),
        "permute(sparse_coo): number of dimensions in the tensor", "movedim: repeated dim in `source`",
        "movedim: repeated dim in `", "movedim: Invalid source or destination dims: source",
        "split expects split_size be non-negative, but got",
        ("split_size can only be 0 if dimension size is 0, but", "split expects split_size be non-negative, but got"),
        "split_with_sizes expects split_sizes to sum exactly to", "split_with_sizes expects split_sizes",
        "maximum size for tensor at dimension 1 is 6 but size is", "step is 0 but must be > 0",
        "chunk expects `chunks` to be greater than 0, got: 0", "Tensor must have a last dimension of size 2",
        "Tensor must have a last dimension with stride 1", "Tensor must have a last dimension of size 2",
        "view_as_complex is only supported for half, float and", "view_as_real is only supported for complex tensors",
        "Tensor must have a stride divisible by 2 for all but", "dim 0 appears multiple times in the list of dims",
        "shifts and dimensions must align. shifts: 2, dims:1", "start (3) + length (2) exceeds dimension size (4).",
        "diagonal dimensions cannot be identical 0, 0", "): the number of sizes provided (1) must be greater or",
        "The expanded size of the tensor (3) must match the", "Padding length must be divisible by 2",
        ("start (0) + length (-1) exceeds dimension size (2).", "The input size 6, plus negative padding -4 and -3,"),
        "Argument #4: Padding size should be less than the", "Padding value causes wrapping around more than once.",
        "non-zero dimensions for input, but",
        ("input (W: 6) is too small. Calculated output W: -1", "The input size 6, plus negative padding -4 and -3,"),
        ("dimensionality of sizes (2) must match dimensionality", "mismatch in length of strides and shape"),
        ("Storage size calculation overflowed with sizes=[2, 3]", "as_strided: Negative strides are not supported at the"),
        "index 9 is out of bounds for dimension 0 with size 4",
        "Tensors must have same number of dimensions: got 2 and 1",
        "stack expects each tensor to be equal size, but"],
    places: ["index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index -1 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4",
        "index 9 is out of bounds for dimension 0 with size 4"],
    drawn: ["random_ expects 'from' to be less than 'to', but got", "to - 1 is out of bounds for unsigned char",
        "from is out of bounds for unsigned char", "random_ expects 'from' to be less than 'to', but got",
        "to - 1 is out of bounds for signed char",
        ("Trying to create tensor with negative dimension -1: [-1]", "n must be non-negative, got-1"),
        ("The following operation failed in the TorchScript", "dropout probability has to be between 0 and 1, but got"),
        ("The following operation failed in the TorchScript", "dropout probability has to be between 0 and 1, but got"),
        "dropout probability has to be between 0 and 1, but got 2",
        "bernoulli_ expects p to be in [0, 1], but got p=-1", "geometric_ expects p to be in (0, 1), but got p=0",
        "exponential_ expects lambda >= 0.0, but found lambda=-1", "log_normal_ expects std > 0.0, but found std=-1",
        "normal expects all elements of std >= 0.0", "normal expects std >= 0.0, but found std -1",
        "uniform_ expects to return a [from, to) range, but", "\"check_uniform_bounds\" not implemented for 'Long'",
        "to - 1 is out of bounds for bool", "Trying to create tensor with negative dimension -1: [-1]"],
    made: ["Expected sequence of length 2 at dim 1 (got 1)", "number of steps must be non-negative",
        "step must be nonzero", "upper bound and larger bound inconsistent with step sign",
        ("n must be greater or equal to 0, got -1", "Trying to create tensor with negative dimension -1"),
        "Trying to create tensor with negative dimension -2", "step must be nonzero",
        "Trying to create tensor with negative dimension -1",
        "row must be non-negative, got-1",
        "number of steps must be non-negative", "linalg.cholesky: The factorization could not be",
        "linalg.inv: The diagonal element 1 is zero, the", "ed because the input matrix is singular.",
        "linalg.inv: A must be batches of square matrices, but",
        "linalg.det: A must be batches of square matrices, but", "linalg.qr: The input tensor A must have at least 2",
        "h: A must be batches of square matrices, but they are 4", "Invalid number of data points (0) specified",
        "Invalid number of data points (-1) specified", "rfft expects a real input tensor",
        "mat1 and mat2 shapes cannot be multiplied (4x6 and 4x6)",
        "Expected size for first two dimensions of batch2 tensor", ") at non-singleton dimension 2",
        "mat1 and mat2 shapes cannot be multiplied (4x6 and 5x3)", "(2) at non-singleton dimension 1",
        ("inconsistent tensor size, expected tensor [6] and src", "mat1 and mat2 shapes cannot be multiplied (1x6 and 4x1)"),
        "linalg.cross: inputs dimension 0 must have length 3.", "must be defined in evaluation mode",
        "running_mean should contain 6 elements not 5", "Given normalized_shape",
        "Expected number of channels in input to be divisible by", "Input and output sizes should be greater than 0",
        ("The following operation failed in the TorchScript", "Got 4D input, but linear mode needs 3D input"),
        "It is expected input_size equals to 4, but got size 2", "Input and output sizes should be greater than 0",
        "boundaries tensor must be 1 dimension, but got dim(2)",
        ("Expected quantizer->qscheme() == kPerTensorAffine to be", "aten::sort is only supported on per-tensor quantization")],
    unpooled: ["output_size should be a sequence containing 1 or 3 elements, but it has a length of '2'",
               "invalid output_size \"[8]\" (dim 0 must be between 4 and 8)", "invalid output_size \"[4]\" (dim 0 must be between 4 and 8)",
               "output_size should be a sequence containing 2 or 4 elements, but it has a length of '3'",
               "invalid output_size \"[5, 9]\" (dim 1 must be between 4 and 8)", "invalid output_size \"[4, 6, 3]\" (dim 0 must be between 4 and 8)"],
}
