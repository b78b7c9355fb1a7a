"""Arguments that operators refuse, each in PyTorch's words."""
import torch
import torch.nn.functional as F
from torch import Tensor


def tolerances(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.isclose(x, x, rtol=-0.5)
    if case == 1:
        return torch.isclose(x, x, atol=float("nan"))
    if case == 2:
        return x if torch.allclose(x, x, atol=-1.0) else t
    return F.softshrink(x, -0.25)


def slopes(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return F.rrelu(x, 0.5, 0.25)
    return F.prelu(x, torch.ones(2, 3))


def bounds_of_losses(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return F.smooth_l1_loss(x, x * 2, beta=-1.0)
    if case == 1:
        return F.smooth_l1_loss(x, x * 2, beta=float("nan"))
    if case == 2:
        return F.huber_loss(x, x * 2, delta=0.0)
    return F.huber_loss(x, x * 2, delta=float("nan"))


def rotations(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.rot90(x, 1, [1, 1])
    if case == 1:
        return torch.rot90(x, 1, [1, -1])
    if case == 2:
        return torch.rot90(x, 1, [0, 5])
    if case == 3:
        return torch.rot90(x, 1, [-7, 1])
    if case == 4:
        return torch.rot90(x, 1, [0])
    return torch.rot90(x[0], 1, [0, 1])


def weights_of_covariances(x: Tensor, t: Tensor, case: int) -> Tensor:
    y = x[:2, :3]
    if case == 0:
        return torch.cov(y, fweights=torch.tensor([[1, 2, 1]]))
    if case == 1:
        return torch.cov(y, fweights=y[0])
    if case == 2:
        return torch.cov(y, fweights=torch.tensor([1, 2]))
    if case == 3:
        return torch.cov(y, fweights=torch.tensor([1, 2, -1]))
    if case == 4:
        return torch.cov(y, aweights=y)
    if case == 5:
        return torch.cov(y, aweights=torch.tensor([1, 2, 3]))
    if case == 6:
        return torch.cov(y, aweights=-torch.ones(3))
    if case == 7:
        return torch.cov(y, fweights=torch.tensor([0, 0, 0]))
    return torch.cov(y[:, :0], aweights=torch.ones(0))


def norms_of_matrices(x: Tensor, t: Tensor, case: int) -> Tensor:
    counts, halves = torch.ones([3, 3], dtype=torch.int64), torch.ones([3, 3], dtype=torch.float16)
    if case == 0:
        return torch.linalg.matrix_norm(counts, 1.0, dtype=torch.float32)
    if case == 1:
        return torch.linalg.matrix_norm(counts, "fro")
    if case == 2:
        return torch.linalg.matrix_norm(halves, "nuc")
    if case == 3:
        return torch.linalg.matrix_norm(halves, 2.0, dtype=torch.float32)
    if case == 4:
        return torch.linalg.matrix_norm(x[0], 1.0)
    return torch.linalg.vector_norm(counts, dtype=torch.float32)


def dtypes_of_biases(x: Tensor, t: Tensor, case: int) -> Tensor:
    image, bias = x.reshape(1, 1, 4, 6), torch.ones(1, dtype=torch.float64)
    if case == 0:
        return F.linear(x, x[:1], bias)
    return torch.conv2d(image, image[:, :, :2, :2], bias)


def values_that_masks_put(x: Tensor, t: Tensor, case: int) -> Tensor:
    counts, mask = torch.ones([3], dtype=torch.int64), torch.tensor(True)
    if case == 0:
        return counts.masked_fill(mask, torch.tensor(float("nan")))
    if case == 1:
        return counts.to(torch.uint8).masked_fill(mask, torch.tensor(300))
    if case == 2:
        return x.masked_fill(mask, torch.complex(x[0, 0], x[0, 1]))
    return x.to(torch.float16).masked_fill_(mask, torch.tensor(-1e9))


def results_that_do_not_fit(x: Tensor, t: Tensor, case: int) -> Tensor:
    counts = torch.ones([3], dtype=torch.int64)
    if case == 0:
        return counts.clone().sigmoid_()
    if case == 1:
        return counts.clone().clamp_(0.5, 2.5)
    if case == 2:
        return (x > 0).clone().clamp_(1, 2)
    if case == 3:
        return x.clone().float_power_(2)
    return x.to(torch.float64).float_power_(torch.complex(x, x))


def others(x: Tensor, t: Tensor, case: int) -> Tensor:
    if case == 0:
        return torch.narrow(x, 0, torch.tensor([1]), 1)
    if case == 1:
        return torch.narrow(x, 0, torch.tensor(1.0), 1)
    if case == 2:
        return (x > 0).cumsum_(0)
    if case == 3:
        return torch.cumprod(x, 1, dtype=torch.bool)
    if case == 4:
        return torch.complex(x, x).abs_()
    return torch.cdist(x > 0, x > 0, compute_mode="use_mm_for_euclid_dist")


def solutions_for_one_right_side(x: Tensor, t: Tensor) -> Tensor:
    """That is left as it is."""
    square = x[:, :4].to(torch.float64)
    matrices = torch.stack([square + square.t(), torch.eye(4, dtype=torch.float64) * 3 - square - square.t()])
    LD, pivots = torch.linalg.ldl_factor(matrices)
    right = x[:, 4:].to(torch.float64)
    return torch.cat([torch.linalg.ldl_solve(LD, pivots, right), right.expand(2, 4, 2)], 2)


def runs_along_the_only_dimension(x: Tensor, t: Tensor):
    a, b, c = torch.unique_consecutive(x.flatten().round(), return_inverse=True, return_counts=True, dim=0)
    d, e, f = torch.ops.aten.unique_consecutive(x.flatten().round(), False, False, 0)
    return a, b, c, d, e, f


def covariances_of_halves(x: Tensor, t: Tensor) -> Tensor:
    return torch.cov(x[:2].to(torch.float16), aweights=x[0].abs())


def covariances_of_nothing(x: Tensor, t: Tensor):
    return torch.cov(x[:0], aweights=x[0].abs()), torch.cov(x[:0], fweights=torch.ones(6, dtype=torch.int64))


def sums_along_masks(x: Tensor, t: Tensor):
    """In place, in the dtype of what is summed."""
    y, z = (x > 0)[0, 0], (t - 2).to(torch.int8)
    return y.clone().cumsum_(0), y.clone().cumprod_(0), (z * 100).cumsum_(0), (z * 100).cumprod_(0)


def nothing(x: torch.Tensor, t: torch.Tensor):
    """What an operator without results gives is an empty tuple, and not None."""
    l, d = [2, 1], {1: 2}
    r = l.sort() if x.numel() > 0 else None
    return l, r, l.insert(0, 5) is None, str(d.clear()) + "{}".format(l.reverse()), (l.extend([t.numel()]), len(l))


PROGRAMS = [nothing, covariances_of_nothing, sums_along_masks, solutions_for_one_right_side, runs_along_the_only_dimension, covariances_of_halves]
FAULTS = {
    tolerances: ["rtol must be greater than or equal to zero, but got -0.5", "atol must be greater than or equal to zero, but got nan",
                 "atol must be greater than or equal to zero, but got -1", "lambda must be greater or equal to 0, but found to be -0.25."],
    slopes: ["Lower bound should be less than or equal to the upper bound", "a scalar or 1D tensor, but got ndim = 2"],
    bounds_of_losses: ["smooth_l1_loss does not support negative values for beta."] * 2 +
                      ["huber_loss does not support non-positive values for delta."] * 2,
    rotations: ["to be different, but got dim0 = 1 and dim1 = 1", "to be different, but got dim0 = 1 and dim1 = -1",
                "Rotation dim1 out of range, dim1 = 5", "Rotation dim0 out of range, dim0 = -7",
                "expected total rotation dims == 2, but got dims = 1", "expected total dims >= 2, but got total dims = 1"],
    weights_of_covariances: ["one or fewer dimensions but got fweights with 2", "integral dtype but got fweights with Float dtype",
                             "fweights to have the same numel as there are observations in the input but got 2 != 3",
                             "fweights cannot be negative", "one or fewer dimensions but got aweights with 2",
                             "floating point dtype but got aweights with Long dtype", "aweights cannot be negative",
                             "weights sum to zero, can't be normalized", "weights sum to zero, can't be normalized"],
    norms_of_matrices: ["Expected a floating point or complex tensor as input. Got Long"] * 2 +
                       ["Low precision dtypes not supported. Got Half"] * 2 +
                       ["linalg.matrix_norm: The input tensor A must have at least 2 dimensions.",
                        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"],
    dtypes_of_biases: ["self and mat2 must have the same dtype",
                       ("Input type (float) and bias type (double)", "expected scalar type Float but found Double")],
    values_that_masks_put: ["to type int64_t without overflow", "to type uint8_t without overflow", "to type float without overflow",
                            "to type at::Half without overflow"],
    results_that_do_not_fit: ["result type Float can't be cast to the desired output type Long",
                              ("result type Float can't be cast to the desired output type long int",
                               "result type Float can't be cast to the desired output type Long"),
                              ("result type Long can't be cast to the desired output type bool",
                               "result type Long can't be cast to the desired output type Bool"),
                              "float_power_ has dtype Float but the operation's result requires dtype Double",
                              "float_power_ has dtype Double but the operation's result requires dtype ComplexDouble"],
    others: ["start must be an 0-dim integral Tensor."] * 2 + ["\"cumsum_out_cpu\" not implemented for 'Bool'",
                                                              "\"cumprod_out_cpu\" not implemented for 'Bool'",
                                                              "In-place abs is not supported for complex tensors.", "cdist only supports floating-point dtypes, X1 got: Bool"],
}
