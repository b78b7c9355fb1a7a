"""Above stands torch/testing/_internal/distributed/rpc/jit/dist_autograd_test.py of PyTorch, as it is installed:
what its programs calculate. Their gradients would cross workers."""
@torch.jit.script
def forward_script(dst_worker_name: str, t1: Tensor, t2: Tensor) -> Tuple[Tensor, Tensor]:
    res1 = rpc.rpc_async(dst_worker_name, local_add, (t1, t1)).wait()
    res2 = rpc.rpc_async(dst_worker_name, local_add, (t2, t2)).wait()
    return res1.sum(), res2.sum()


class Cases(torch.nn.Module):
    def forward(self, a: str, b: str, me: str) -> Tensor:
        return remote_add(torch.ones(3, 3), torch.ones(3, 3), a)

    @torch.jit.export
    def test_jit_fork_within_context(self, a: str, b: str, me: str) -> Tensor:
        return fork_add(torch.ones(3, 3), torch.ones(3, 3), a).sum()

    @torch.jit.export
    def test_restore_context_after_swtich_to_jit_thread(self, a: str, b: str, me: str) -> Tuple[Tensor, Tensor]:
        return forward_script(a, torch.ones(2, 3), torch.ones(2, 3))
