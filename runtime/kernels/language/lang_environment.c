/* Operators that ask about the environment: the clock, grad mode, libraries that PyTorch may have. */
#include "runtime/kernels/language/lang.h"

/* Nanoseconds of the platform's clock. */
TSM_KERNEL(prim_TimePoint) {
    (void)in;
    return ret_int(out, x->platform.nanoseconds ? (int64_t)x->platform.nanoseconds(x->platform.context) : 0);
}
/* Statistics go to PyTorch's logger, of which there is none here. */
TSM_KERNEL(prim_AddStatValue) {
    TSM_UNUSED_IO();
    return TSM_OK;
}

TSM_KERNEL(aten_is_scripting) {
    TSM_UNUSED_IO();
    return ret_bool(out, true);
}

TSM_KERNEL(aten__get_tracing_state) {
    TSM_UNUSED_IO();
    return ret_bool(out, false);
}
TSM_KERNEL_ALIAS(aten_has_torch_function, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_autocast_enabled, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_autocast_cpu_enabled, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten_is_vulkan_available, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten__nnpack_available, aten__get_tracing_state);
TSM_KERNEL_ALIAS(aten__use_cudnn_rnn_flatten_weight, aten__get_tracing_state);

TSM_KERNEL(aten_is_grad_enabled) {
    TSM_UNUSED_IO();
    return ret_bool(out, x->grad_enabled);
}

TSM_KERNEL(aten_set_grad_enabled) {
    TSM_UNUSED_IO();
    x->grad_enabled = arg_bool(in, 0);
    return TSM_OK;
}

/* The version of CUDA that torchvision was built with: none. */
TSM_KERNEL(torchvision__cuda_version) {
    TSM_UNUSED_IO();
    return ret_int(out, -1);
}
