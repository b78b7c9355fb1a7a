"""Properties of tensors: devices, gradients, strides and memory formats, storages, quantizers; conversions to
numbers."""
from typing import List, Tuple

import torch


def asked(x: torch.Tensor, t: torch.Tensor) -> Tuple[int, int, List[bool]]:
    return (x.get_device(), torch.ops.aten.output_nr(x),
            [x.is_leaf, x.is_inference(), x.is_conj(), x.is_neg(), x.is_pinned(), torch.ops.aten.is_distributed(x),
             torch.ops.aten._is_zerotensor(x), torch.ops.aten._has_compatible_shallow_copy_type(x, t),
             torch.tensor(1.5, requires_grad=True).requires_grad])


def sizes(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[int], List[int], List[int]]:
    y = x.t()[1:]
    return (torch.ops.aten.sym_size(y), torch.ops.aten.sym_stride(y),
            [torch.ops.aten.sym_size(y, 1), torch.ops.aten.sym_stride(y, 0), torch.ops.aten.sym_numel(y),
             torch.ops.aten.sym_storage_offset(y)])


def formats(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    images = x.reshape(1, 2, 3, 4)
    found: List[bool] = []
    for y in [images, images.transpose(1, 3), images.permute(0, 3, 1, 2), images[:, :1], images[:, :, ::2], images[:, :0],
              images.contiguous(memory_format=torch.channels_last), x.reshape(24, 1, 1, 1)]:
        found += [torch.ops.aten.is_strides_like_format(y, 2), y.is_contiguous(memory_format=torch.channels_last), y.is_contiguous()]
    volume = x.reshape(1, 2, 3, 2, 2)
    found += [torch.ops.aten.is_strides_like_format(volume, 3), volume.is_contiguous(memory_format=torch.channels_last_3d),
              torch.ops.aten.is_strides_like_format(volume.contiguous(memory_format=torch.channels_last_3d), 3)]
    return found


def overlaps(x: torch.Tensor, t: torch.Tensor) -> List[int]:
    found: List[int] = []
    for y in [x, x.t(), x[:, ::2], x[:1].expand(4, 6), torch.as_strided(x, [2, 3], [1, 1]), torch.as_strided(x, [1, 3], [0, 1])]:
        found += [torch.ops.aten._debug_has_internal_overlap(y), int(torch.ops.aten.is_non_overlapping_and_dense(y))]
    return found


def storages(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[bool], torch.Tensor]:
    y = x.clone()
    torch.ops.aten.set_data(y, torch.ones(3))
    return [torch.ops.aten.is_set_to(x, x.view(4, 6)), torch.ops.aten.is_set_to(x, x.clone()), x.is_set_to(x.detach()), x.is_set_to(x[1:]),
            torch.ops.aten._has_same_storage_numel(x, x[:1]), torch.ops.aten._has_same_storage_numel(x, x[:1].clone())], y


def quantizers(x: torch.Tensor, t: torch.Tensor):
    q = torch.quantize_per_tensor(x, 0.1, 2, torch.quint8)
    c = torch.quantize_per_channel(x, torch.ones(4), torch.zeros(4, dtype=torch.int64), 0, torch.qint8)
    return (q.qscheme(), c.qscheme(), torch.per_tensor_affine, torch.per_channel_affine, torch.per_tensor_symmetric,
            torch.per_channel_symmetric, torch.per_channel_affine_float_qparams)


def packed_sizes(x: torch.Tensor, t: torch.Tensor):
    w = torch.ones(4, 2, 3, 3)
    q = torch.ops.quantized.conv2d_prepack(torch.quantize_per_tensor(w, 0.1, 0, torch.qint8), x[:, 0], [1, 2], [0, 1], [1, 1], 1)
    c = torch.ops.prepacked.conv2d_clamp_prepack(w, None, [1, 2], [0, 1], [1, 1], 1, None, None)
    d = torch.ops.prepacked.linear_clamp_prepack(x, x[:, 0], None, None)
    return (torch.ops.quantized.conv2d_unpack_sizes(q), torch.ops.prepacked.unpack_prepacked_sizes_conv2d(c),
            torch.ops.prepacked.unpack_prepacked_sizes_linear(d))


def numbers(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[complex], float, int, List[bool]]:
    c = torch.complex(x[0, 0], x[0, 1])
    real = torch.complex(t[0].float(), torch.zeros([]))
    return ([torch.ops.aten.ComplexImplicit(c), torch.ops.aten.ComplexImplicit(t[0]), complex(t[0], x[0, 0]), complex(t[0], 2),
             complex(2.5, t[0]), complex(True, x[0, 0])], float(real), int(real), [bool(c), bool(real * 0), bool(c.imag)])


def statistics(x: torch.Tensor, t: torch.Tensor) -> bool:
    torch.ops.prim.AddStatValue("calls", 1)
    start = torch.ops.prim.TimePoint()
    return torch.ops.prim.TimePoint() >= start


def plan_caches(x: torch.Tensor, t: torch.Tensor) -> int:
    torch.ops.aten._cufft_set_plan_cache_max_size(0, 10)
    torch.ops.aten._cufft_clear_plan_cache(0)
    return 0


def generated(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    i = t.to(torch.int32)
    return [torch._C._nn._test_optional_intlist(i, [1, 2, 3, 4]), torch._C._nn._test_optional_filled_intlist(i[:2], 7),
            torch._C._nn._test_optional_floatlist(x[0, :2], [0.5, 1.5]), torch._C._nn._test_optional_floatlist(x, None),
            torch._C._nn._test_string_default(x), torch._C._nn._test_ambiguous_defaults(x, 1, 1),
            torch._C._nn._test_ambiguous_defaults(x, 2, "2"), torch.ops.aten._test_serialization_subcmul(x, x, 3)]


def plan_cache_size(x: torch.Tensor, t: torch.Tensor) -> int:
    return torch.ops.aten._cufft_get_plan_cache_size(0)


def named_size(x: torch.Tensor, t: torch.Tensor) -> int:
    return torch.ops.aten.size(x, "N")


def integral_gradient(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.tensor([1, 2], requires_grad=True)


def complex_float(x: torch.Tensor, t: torch.Tensor) -> float:
    return float(torch.complex(x[0, 0], x[0, 1]))


def no_scheme(x: torch.Tensor, t: torch.Tensor):
    return x.qscheme()




def wrong_path(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.einsum("i,i->i", [t, t], path=[0])


PROGRAMS = [asked, sizes, formats, overlaps, storages, quantizers, packed_sizes, numbers, statistics, plan_caches, generated]
FAILURES = {plan_cache_size: "Cannot access cuFFT plan cache without ATen_cuda library.",
            named_size: "all symbols must have a namespace, <namespace>::<string>, but found: N",
            integral_gradient: "Only Tensors of floating point and complex dtype can require gradients",
            complex_float: "value cannot be converted to type double without overflow",
            no_scheme: "Could not run 'aten::qscheme' with arguments from the 'CPU' backend.",
            wrong_path: "expected contraction path given in path parameter to have size 2 but got 1"}
