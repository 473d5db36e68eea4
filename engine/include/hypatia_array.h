#pragma once
// Arrays for programs in C: strided values on the host or on a GPU that count their owners.
//
// Functions that make an array return null on failure, others a nonzero number; hypatia_error()
// then tells the mistake. Every array that a function returns is the caller's to release. A place
// is "cpu", "" for the device that the configuration names, or a context's name.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hypatia_array hypatia_array;

/* Uninitialised memory, row-major. dtype is "float32", "int64" and so on. */
hypatia_array* hypatia_array_new(
    const char* dtype, int rank, const int64_t* dims, const char* place);
/* A copy of row-major elements of the host. */
hypatia_array* hypatia_array_of(
    const void* data, const char* dtype, int rank, const int64_t* dims, const char* place);

hypatia_array* hypatia_array_retain(hypatia_array* array);
void hypatia_array_release(hypatia_array* array);

const char* hypatia_array_dtype(const hypatia_array* array);
int hypatia_array_rank(const hypatia_array* array);
const int64_t* hypatia_array_dims(const hypatia_array* array);
/* In bytes; may be negative. */
const int64_t* hypatia_array_strides(const hypatia_array* array);
/* The first element, in the address space of the array's place. */
void* hypatia_array_data(const hypatia_array* array);
/* 1 for arrays on the host. */
int hypatia_array_on_host(const hypatia_array* array);

/* Views: every step-th element of an axis, and the axes in reverse. They share memory. */
hypatia_array* hypatia_array_slice(
    const hypatia_array* array, int axis, int64_t first, int64_t last, int64_t step);
hypatia_array* hypatia_array_transpose(const hypatia_array* array);

/* The same value on another place; a copy unless it is there. */
hypatia_array* hypatia_array_to(const hypatia_array* array, const char* place);
/* Copies all elements, row-major, to the host; `bytes` is the room there. */
int hypatia_array_read(const hypatia_array* array, void* to, size_t bytes);
/* Returns once the value is there. */
int hypatia_array_sync(const hypatia_array* array);
/* The value as text, cut to `size` with its ending 0; returns the length that it needs. */
size_t hypatia_array_text(const hypatia_array* array, char* to, size_t size);

/* DLPack: a DLManagedTensor that shares the memory, and back. */
void* hypatia_array_to_dlpack(const hypatia_array* array);
hypatia_array* hypatia_array_from_dlpack(void* managed_tensor);

/* The last mistake on this thread; "" if there was none. */
const char* hypatia_error(void);

#ifdef __cplusplus
}
#endif
