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
  return ops.tsm.nms(torch.contiguous(torch.to(dets, 6)), torch.argsort(scores, 0, True), iou_threshold)
