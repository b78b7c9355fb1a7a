/** @file
 * tsmobile for C++17: owners for what tsmobile.h counts, spans for arrays. Header only; with exceptions or without
 * them (-fno-exceptions), with run-time types or without.
 *
 *     tsm::program program = tsm::program::open(file, file_bytes).value();
 *     tsm::instance inst = tsm::instance::make(program, program.buffer_bytes("forward")).value();
 *     tsm::value x = inst.wrap(tsm::span<float>(pixels, 64), {1, 1, 8, 8}).value();
 *     tsm::result<tsm::value> y = inst.call("forward", x);
 *     if (!y)
 *         puts(y.error().text());
 *     for (float score : y->elements<float>())
 *         ...
 *
 * What can fail returns a tsm::result. Its value() throws tsm::error where there is none, or, without exceptions, ends
 * the program. */
#ifndef TSMOBILE_HPP
#define TSMOBILE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tsmobile.h"

/** What tsmobile.h has, as C++17. */
namespace tsm {

/** A view of n elements that somebody else owns. */
template <typename T> class span {
  public:
    /** No elements. */
    span() = default;
    /** Of `size` elements from `data` on. */
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    /** Of an array, a std::vector, a std::array. */
    template <typename C, typename = decltype(std::data(std::declval<C &>()))>
    span(C &&container) : data_(std::data(container)), size_(std::size(container)) {}
    /** The first element. */
    T *data() const { return data_; }
    /** How many elements there are. */
    std::size_t size() const { return size_; }
    /** Whether there are none. */
    bool empty() const { return size_ == 0; }
    /** Element i, which must be there. */
    T &operator[](std::size_t i) const { return data_[i]; }
    /** For loops over all elements. */
    T *begin() const { return data_; }
    /** Behind the last element. */
    T *end() const { return data_ + size_; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** Why something failed: a status and libtsmobile's text, for TSM_RAISED with the traceback. */
class error : public std::exception {
  public:
    /** With the status's own text where `text` is NULL or empty. At most 1,023 bytes of it are kept. */
    error(tsm_status status, const char *text) : status_(status) {
        std::snprintf(text_, sizeof text_, "%s", text && *text ? text : tsm_status_text(status));
    }
    /** Which kind of failure. */
    tsm_status status() const { return status_; }
    /** What happened. */
    const char *text() const { return text_; }
    /** The same, as exceptions call it. */
    const char *what() const noexcept override { return text_; }

  private:
    tsm_status status_;
    char text_[1024];
};

/** A T, or the error in its place. */
template <typename T> class result {
  public:
    /** A value. */
    result(T value) : value_(new T(std::move(value))) {}
    /** An error. */
    result(tsm::error e) : error_(new tsm::error(e)) {}
    /** Whether there is a value. */
    explicit operator bool() const { return value_ != nullptr; }
    /** Only where there is a value. */
    T &operator*() { return *value_; }
    /** Only where there is a value. */
    T *operator->() { return value_.get(); }
    /** Only where there is none. */
    const tsm::error &error() const { return *error_; }
    /** The value, moved out; throws the error where there is none, or ends the program without exceptions. */
    T &&value() && {
        require();
        return std::move(*value_);
    }
    /** The value; throws the error where there is none, or ends the program without exceptions. */
    T &value() & {
        require();
        return *value_;
    }

  private:
    void require() const {
        if (value_)
            return;
#if defined(__cpp_exceptions)
        throw *error_;
#else
        std::fprintf(stderr, "tsmobile: %s\n", error_->text());
        std::abort();
#endif
    }
    std::unique_ptr<T> value_;
    std::unique_ptr<tsm::error> error_;
};

/** The tsm_dtype of a C++ type. */
template <typename T> constexpr tsm_dtype dtype_of() {
    using U = std::remove_cv_t<T>;
    static_assert(std::is_arithmetic_v<U>, "tensors have numbers and bools as elements");
    if constexpr (std::is_same_v<U, bool>)
        return TSM_BOOL;
    else if constexpr (std::is_floating_point_v<U>)
        return sizeof(U) == 4 ? TSM_FLOAT32 : TSM_FLOAT64;
    else if constexpr (sizeof(U) == 1)
        return std::is_signed_v<U> ? TSM_INT8 : TSM_UINT8;
    else
        return sizeof(U) == 2 ? TSM_INT16 : sizeof(U) == 4 ? TSM_INT32 : TSM_INT64;
}

/** One count of a value of an instance, which must outlive it. */
class value {
  public:
    /** None. */
    value() : inst_(nullptr), v_(tsm_none()) {}
    /** Takes over a count that the caller has. */
    value(tsm_instance *inst, tsm_value v) : inst_(inst), v_(v) {}
    /** An int. */
    static value of(std::int64_t i) { return {nullptr, tsm_int(i)}; }
    /** A float. */
    static value of(double f) { return {nullptr, tsm_float(f)}; }
    /** A bool. */
    static value of(bool b) { return {nullptr, tsm_bool(b)}; }
    /** One count more of the same value. */
    value(const value &other) : inst_(other.inst_), v_(other.v_) { tsm_retain(v_); }
    /** Takes over the count; `other` becomes None. */
    value(value &&other) noexcept : inst_(other.inst_), v_(std::exchange(other.v_, tsm_none())) {}
    /** Gives back the count of what was here before. */
    value &operator=(value other) noexcept {
        std::swap(inst_, other.inst_);
        std::swap(v_, other.v_);
        return *this;
    }
    ~value() {
        if (inst_)
            tsm_release(inst_, v_);
    }

    /** What C functions take; the count stays here. */
    tsm_value get() const { return v_; }
    /** What it is. */
    tsm_tag tag() const { return static_cast<tsm_tag>(v_.tag); }
    /** Whether it is None. */
    bool is_none() const { return v_.tag == TSM_TAG_NONE; }
    /** Only where tag() is TSM_TAG_INT. */
    std::int64_t as_int() const { return v_.as.i; }
    /** Only where tag() is TSM_TAG_FLOAT. */
    double as_float() const { return v_.as.f; }
    /** Only where tag() is TSM_TAG_BOOL. */
    bool as_bool() const { return v_.as.b; }
    /** Of a string; empty where the value is none. */
    std::string_view as_text() const {
        std::size_t n = 0;
        const char *text = tsm_str_get(v_, &n);
        return text ? std::string_view(text, n) : std::string_view();
    }

    /** The sizes of a tensor. */
    span<const tsm_dim> sizes() const {
        tsm_tensor_view t;
        return tsm_tensor_get(v_, &t) ? span<const tsm_dim>(t.sizes, static_cast<std::size_t>(t.dims))
                                      : span<const tsm_dim>();
    }
    /** The elements of a tensor that lie in the order of their indices and are of type T; else none. */
    template <typename T> span<T> elements() const {
        tsm_tensor_view t;
        if (!tsm_tensor_get(v_, &t) || t.dtype != dtype_of<T>())
            return {};
        tsm_dim n = 1;
        for (int i = t.dims - 1; i >= 0; n *= t.sizes[i--])
            if (t.sizes[i] != 1 && t.strides[i] != n)
                return {};
        return {static_cast<T *>(t.data), static_cast<std::size_t>(n)};
    }
    /** The number of items of a list or tuple. */
    std::size_t size() const { return tsm_sequence_size(v_); }
    /** Item i of a list or tuple; None where there is no item i. */
    value operator[](std::size_t i) const {
        tsm_value item = tsm_sequence_get(v_, i);
        tsm_retain(item);
        return {inst_, item};
    }

  private:
    tsm_instance *inst_;
    tsm_value v_;
};

/** An opened file, which must outlive it. */
class program {
  public:
    /** `file`: aligned to 64 bytes. */
    static result<program> open(const void *file, std::size_t bytes) {
        char message[512] = "";
        program p;
        const tsm_status status = tsm_program_open(&p.program_, file, bytes, message, sizeof message);
        return status == TSM_OK ? result<program>(p) : result<program>(error(status, message));
    }
    /** What C functions take. */
    const tsm_program *get() const { return &program_; }
    /** The number of the method of this name, or -1. */
    int method(const char *name) const { return tsm_method(&program_, name); }
    /** tsm_method_bytes; 0 where it is not known. */
    std::size_t buffer_bytes(const char *name) const {
        return method(name) < 0 ? 0 : tsm_method_bytes(&program_, static_cast<std::size_t>(method(name)));
    }

  private:
    tsm_program program_;
};

/** An instance with a buffer of its own. Its program must outlive it; values of it must not. */
class instance {
  public:
    /** An instance in `bytes` of new memory. `options.message` may be NULL. */
    static result<instance> make(const program &p, std::size_t bytes, tsm_options options = {}) {
        instance i;
        i.buffer_.reset(::operator new(bytes, std::align_val_t(alignment), std::nothrow));
        i.message_.reset(new (std::nothrow) char[message_bytes]());
        if (!i.buffer_ || !i.message_)
            return error(TSM_OUT_OF_MEMORY, "there is no memory for the buffer");
        options.size = sizeof options;
        if (!options.message) {
            options.message = i.message_.get();
            options.message_bytes = message_bytes;
        }
        i.program_ = p.get();
        const tsm_status status = tsm_instance_init(&i.inst_, p.get(), &options, i.buffer_.get(), bytes);
        return status == TSM_OK ? result<instance>(std::move(i)) : result<instance>(error(status, options.message));
    }

    /** What C functions take. */
    tsm_instance *get() const { return inst_; }

    /** A tensor over the caller's elements, which must outlive it. */
    template <typename T> result<value> wrap(span<T> data, std::initializer_list<tsm_dim> sizes) {
        tsm_dim n = 1;
        for (tsm_dim size : sizes)
            n *= size;
        if (static_cast<std::size_t>(n) != data.size())
            return error(TSM_BAD_ARGUMENT, "the sizes are not those of the data");
        tsm_value v = tsm_none();
        const tsm_status status =
            tsm_tensor_wrap(inst_, &v, dtype_of<T>(), static_cast<int>(sizes.size()), sizes.begin(), nullptr,
                            const_cast<std::remove_cv_t<T> *>(data.data()));
        return made(status, v);
    }
    /** A string. */
    result<value> text(std::string_view bytes) {
        tsm_value v = tsm_none();
        const tsm_status status = tsm_str_new(inst_, &v, bytes.data(), bytes.size());
        return made(status, v);
    }

    /** Calls a method with values. */
    template <typename... Values> result<value> call(const char *method, const Values &...arguments) {
        const int position = tsm_method(program_, method);
        if (position < 0)
            return error(TSM_BAD_ARGUMENT, "the program has no method of this name");
        const tsm_value in[sizeof...(arguments) + 1] = {arguments.get()..., tsm_none()};
        tsm_value out = tsm_none();
        const tsm_status status = tsm_call(inst_, position, in, sizeof...(arguments), &out);
        return made(status, out);
    }
    /** tsm_instance_save: what the program has changed. */
    result<std::vector<std::uint8_t>> save() {
        std::size_t needed = 0;
        tsm_status status = tsm_instance_save(inst_, nullptr, 0, &needed);
        std::vector<std::uint8_t> state(needed);
        if (status == TSM_OK)
            status = tsm_instance_save(inst_, state.data(), state.size(), &needed);
        if (status != TSM_OK)
            return error(status, tsm_error(inst_));
        return state;
    }
    /** tsm_instance_load. Values of the instance must be gone. */
    result<bool> load(span<const std::uint8_t> state) {
        const tsm_status status = tsm_instance_load(inst_, state.data(), state.size());
        return status == TSM_OK ? result<bool>(true) : result<bool>(error(status, tsm_error(inst_)));
    }
    /** How much of the buffer is in use. */
    tsm_usage usage() const { return tsm_instance_usage(inst_); }

  private:
    static constexpr std::size_t alignment = 64, message_bytes = 1024;
    struct free_buffer {
        void operator()(void *p) const { ::operator delete(p, std::align_val_t(alignment)); }
    };
    instance() = default;
    result<value> made(tsm_status status, tsm_value v) {
        return status == TSM_OK ? result<value>(value(inst_, v)) : result<value>(error(status, tsm_error(inst_)));
    }
    std::unique_ptr<void, free_buffer> buffer_;
    std::unique_ptr<char[]> message_; /* error texts */
    tsm_instance *inst_ = nullptr;
    const tsm_program *program_ = nullptr;
};

} // namespace tsm

#endif
