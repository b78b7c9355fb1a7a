/* Regions of autocast (torch.autocast("cpu")): the dtypes that operators get there, as ATen's lists for CPUs say
 * (aten/src/ATen/autocast_mode.cpp of PyTorch 2.6). What promotes its arguments (cat, stack) does so anyway. */
#include "exporter/export/autocast.h"

#include <string.h>

/* Operators that compute in the region's dtype. */
static const char *const reduced[] = {
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::bmm",
    "aten::mm",
    "aten::linalg_vecdot",
    "aten::baddbmm",
    "aten::addmm",
    "aten::_addmm_activation",
    "aten::addbmm",
    "aten::linear",
    "aten::matmul",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::prelu",
    "aten::scaled_dot_product_attention",
    "aten::_native_multi_head_attention",
};

/* Operators that compute in float32 where their arguments are narrower. */
static const char *const full[] = {
    "aten::adaptive_avg_pool3d",
    "aten::adaptive_max_pool3d",
    "aten::avg_pool3d",
    "aten::binary_cross_entropy",
    "aten::binary_cross_entropy_with_logits",
    "aten::cdist",
    "aten::cholesky",
    "aten::cholesky_inverse",
    "aten::cholesky_solve",
    "aten::cosine_embedding_loss",
    "aten::cross_entropy_loss",
    "aten::ctc_loss",
    "aten::fake_quantize_per_tensor_affine",
    "aten::fft_fft",
    "aten::fft_fft2",
    "aten::fft_fftn",
    "aten::fft_hfft",
    "aten::fft_ifft",
    "aten::fft_ifft2",
    "aten::fft_ifftn",
    "aten::fft_ihfft",
    "aten::fft_irfft",
    "aten::fft_irfft2",
    "aten::fft_irfftn",
    "aten::fft_rfft",
    "aten::fft_rfft2",
    "aten::fft_rfftn",
    "aten::fractional_max_pool2d",
    "aten::fractional_max_pool3d",
    "aten::geqrf",
    "aten::grid_sampler",
    "aten::grid_sampler_2d",
    "aten::grid_sampler_3d",
    "aten::hinge_embedding_loss",
    "aten::huber_loss",
    "aten::inverse",
    "aten::kl_div",
    "aten::l1_loss",
    "aten::linalg_cholesky",
    "aten::linalg_cholesky_ex",
    "aten::linalg_cond",
    "aten::linalg_eig",
    "aten::linalg_eigh",
    "aten::linalg_eigvals",
    "aten::linalg_eigvalsh",
    "aten::linalg_householder_product",
    "aten::linalg_inv",
    "aten::linalg_inv_ex",
    "aten::linalg_lstsq",
    "aten::linalg_matrix_rank",
    "aten::linalg_qr",
    "aten::linalg_solve",
    "aten::linalg_svd",
    "aten::linalg_svdvals",
    "aten::linalg_tensorinv",
    "aten::linalg_tensorsolve",
    "aten::lu_solve",
    "aten::margin_ranking_loss",
    "aten::max_pool3d",
    "aten::max_unpool2d",
    "aten::max_unpool3d",
    "aten::mse_loss",
    "aten::multi_margin_loss",
    "aten::multilabel_margin_loss",
    "aten::nanquantile",
    "aten::nll_loss",
    "aten::nll_loss2d",
    "aten::nll_loss_nd",
    "aten::orgqr",
    "aten::ormqr",
    "aten::pinverse",
    "aten::poisson_nll_loss",
    "aten::polar",
    "aten::prod",
    "aten::qr",
    "aten::quantile",
    "aten::reflection_pad1d",
    "aten::reflection_pad2d",
    "aten::replication_pad1d",
    "aten::replication_pad2d",
    "aten::replication_pad3d",
    "aten::smooth_l1_loss",
    "aten::soft_margin_loss",
    "aten::stft",
    "aten::svd",
    "aten::trace",
    "aten::triangular_solve",
    "aten::triplet_margin_loss",
    "aten::view_as_complex",
};

/* Operators that are made of some of the above: their parts are converted in PyTorch, not their arguments. */
static const char *const composite[] = {
    "aten::bilinear",  "aten::chain_matmul",  "aten::einsum",   "aten::gru",
    "aten::gru_cell",  "aten::index_copy",    "aten::inner",    "aten::linalg_matmul",
    "aten::lstm",      "aten::lstm_cell",     "aten::pad",      "aten::linalg_multi_dot",
    "aten::rnn_relu",  "aten::rnn_relu_cell", "aten::rnn_tanh", "aten::rnn_tanh_cell",
    "aten::tensordot",
};

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

static ir_value *to_reduced(translation *t, ir_value *v) {
    ir_value *dtype = insert_constant(t, const_int(t->autocast_dtype));
    ir_value *arguments[] = {v, insert_constant(t, const_bool(false)), insert_constant(t, const_bool(true)), dtype,
                             dtype};
    return insert_call(t, "aten::_autocast_to_reduced_precision", arguments, 5);
}

static ir_value *to_full(translation *t, ir_value *v) {
    ir_value *arguments[] = {v, insert_constant(t, const_bool(false)), insert_constant(t, const_bool(true))};
    return insert_call(t, "aten::_autocast_to_full_precision", arguments, 3);
}

void autocast_arguments(translation *t, const char *name, call_argument *arguments) {
    if (!t->autocast_dtype)
        return;
    const bool is_reduced = IS_AMONG(name, reduced), is_full = IS_AMONG(name, full);
    if (IS_AMONG(name, composite))
        source_fail(t->place.range,
                    "%s in a region of autocast is not supported: export the program after run_decompositions(), which "
                    "makes the region's conversions explicit",
                    name);
    for (size_t i = 0; i < arrlenu(arguments); i++) {
        ir_value *v = arguments[i].value;
        if (v->type->kind == TYPE_TENSOR && (is_reduced || is_full))
            arguments[i].value = is_reduced ? to_reduced(t, v) : to_full(t, v);
    }
}
