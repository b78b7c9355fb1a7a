# torchvision's operators that are made of others: torchvision::name is the function torchvision_name.


def torchvision_nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
  if torch.dim(dets) != 2:
    ops.prim.RaiseException(torch.format("boxes should be a 2d tensor, got {}D", torch.dim(dets)), "builtins.RuntimeError")
  if torch.size(dets, 1) != 4:
    ops.prim.RaiseException(torch.format("boxes should have 4 elements in dimension 1, got {}", torch.size(dets, 1)),
                            "builtins.RuntimeError")
  if torch.dim(scores) != 1:
    ops.prim.RaiseException(torch.format("scores should be a 1d tensor, got {}D", torch.dim(scores)), "builtins.RuntimeError")
  if torch.size(dets, 0) != torch.size(scores, 0):
    ops.prim.RaiseException(torch.format("boxes and scores should have same number of elements in dimension 0, got {} and {}",
                                         torch.size(dets, 0), torch.size(scores, 0)), "builtins.RuntimeError")
  return ops.tsm.nms(torch.contiguous(torch.to(dets, 6)), torch.argsort(scores, stable=True, dim=0, descending=True), iou_threshold)


# ---- Convolutions whose kernel positions are moved by `offset` and weighted by `mask` ----

# Values of images [n, groups, channels, h * w] at whole positions [n, groups, 1, points]; 0 outside.
def torchvision_pixels(images: Tensor, y: Tensor, x: Tensor, h: int, w: int) -> Tensor:
  inside = (y >= 0) & (y < h) & (x >= 0) & (x < w)
  at = torch.to(torch.clamp(y, 0, h - 1) * w + torch.clamp(x, 0, w - 1), 4)
  at = torch.expand(at, [-1, -1, torch.size(images, 2), -1])
  return torch.masked_fill(torch.gather(images, 3, at), torch.logical_not(inside), 0)


# Between the four pixels around (y, x).
def torchvision_between(images: Tensor, y: Tensor, x: Tensor, h: int, w: int) -> Tensor:
  top = torch.floor(y)
  left = torch.floor(x)
  down = y - top
  along = x - left
  upper = __torch__.torch.ops.torchvision.torchvision_pixels(images, top, left, h, w) * (1 - along) + __torch__.torch.ops.torchvision.torchvision_pixels(images, top, left + 1, h, w) * along
  lower = __torch__.torch.ops.torchvision.torchvision_pixels(images, top + 1, left, h, w) * (1 - along) + __torch__.torch.ops.torchvision.torchvision_pixels(images, top + 1, left + 1, h, w) * along
  return upper * (1 - down) + lower * down


def torchvision_deform_conv2d(input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor, stride_h: int, stride_w: int, pad_h: int,
                              pad_w: int, dilation_h: int, dilation_w: int, groups: int, offset_groups: int, use_mask: bool) -> Tensor:
  n, c, h, w = torch.size(input)
  outputs, depth, kh, kw = torch.size(weight)
  taps = kh * kw
  rows = (h + 2 * pad_h - (dilation_h * (kh - 1) + 1)) // stride_h + 1
  columns = (w + 2 * pad_w - (dilation_w * (kw - 1) + 1)) // stride_w + 1
  if depth * groups != c or outputs % groups != 0 or c % offset_groups != 0:
    ops.prim.RaiseException(torch.format("deform_conv2d: weights {} do not fit images {} in {} groups", torch.size(weight), torch.size(input), groups))
  if torch.size(offset) != [n, 2 * offset_groups * taps, rows, columns]:
    ops.prim.RaiseException(torch.format("deform_conv2d: expected offsets of shape {} but got {}", [n, 2 * offset_groups * taps, rows, columns], torch.size(offset)))
  if use_mask and torch.size(mask) != [n, offset_groups * taps, rows, columns]:
    ops.prim.RaiseException(torch.format("deform_conv2d: expected a mask of shape {} but got {}", [n, offset_groups * taps, rows, columns], torch.size(mask)))
  moves = torch.reshape(offset, [n, offset_groups, taps, 2, rows, columns])
  tap = torch.arange(taps)
  y0 = torch.reshape(torch.arange(rows) * stride_h - pad_h, [1, -1, 1]) + torch.reshape(torch.floor_divide(tap, kw) * dilation_h, [-1, 1, 1])
  x0 = torch.reshape(torch.arange(columns) * stride_w - pad_w, [1, 1, -1]) + torch.reshape(torch.remainder(tap, kw) * dilation_w, [-1, 1, 1])
  y = torch.reshape(torch.select(moves, 3, 0) + y0, [n, offset_groups, 1, -1])
  x = torch.reshape(torch.select(moves, 3, 1) + x0, [n, offset_groups, 1, -1])
  images = torch.reshape(input, [n, offset_groups, c // offset_groups, h * w])
  seen = __torch__.torch.ops.torchvision.torchvision_between(images, y, x, h, w)
  if use_mask:
    seen = seen * torch.reshape(mask, [n, offset_groups, 1, -1])
  lines = torch.reshape(seen, [n, groups, depth * taps, rows * columns])
  made = torch.matmul(torch.reshape(weight, [1, groups, outputs // groups, depth * taps]), lines)
  return torch.reshape(made, [n, outputs, rows, columns]) + torch.reshape(bias, [1, -1, 1, 1])
