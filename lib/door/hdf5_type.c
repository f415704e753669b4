/* What the elements of an HDF5 dataset are: numbers of a layout that every machine knows, or not.
 * It refuses, in words, all that are no real numbers. */
#define _GNU_SOURCE
#include "base/fail.h"
#include "door/hdf5_own.h"

#include <stdio.h>
#include <string.h>

/* IEEE's way to lay a float out, whatever its sizes: sign, exponent, mantissa without gaps. */
static as_status describe_float(hid_t type, as_h5_tensor *out) {
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) {
        return as_fail(AS_SKIPPED, "holds floats of a layout that HDF5 does not tell");
    }
    bool plain = mantissa == 0 && exponent == mantissa_bits && sign == exponent + exponent_bits &&
                 sign + 1 == 8 * out->size && H5Tget_norm(type) == H5T_NORM_IMPLIED &&
                 exponent_bits < 16 && H5Tget_ebias(type) == ((size_t)1 << (exponent_bits - 1)) - 1;
    bool known = (out->size == 8 && exponent_bits == 11) ||
                 (out->size == 4 && exponent_bits == 8) ||
                 (out->size == 2 && (exponent_bits == 5 || exponent_bits == 8));
    if (!plain || !known) {
        return as_fail(
            AS_SKIPPED,
            "holds floats of %zu bytes with %zu exponent and %zu mantissa bits, which few "
            "machines know; save them as float64",
            out->size, exponent_bits, mantissa_bits);
    }
    out->kind = AS_H5_FLOAT;
    out->exponent_bits = exponent_bits;
    return AS_OK;
}

static as_status describe_integer(hid_t type, as_h5_tensor *out) {
    size_t size = out->size;
    if (H5Tget_precision(type) != 8 * size || (size != 1 && size != 2 && size != 4 && size != 8)) {
        return as_fail(AS_SKIPPED, "holds integers of %zu bits in %zu bytes",
                       H5Tget_precision(type), size);
    }
    out->kind = H5Tget_sign(type) == H5T_SGN_NONE ? AS_H5_UNSIGNED : AS_H5_SIGNED;
    return AS_OK;
}

static as_status describe_enumeration(hid_t type, as_h5_tensor *out) {
    unsigned char no[8] = {1}, yes[8] = {0};
    bool boolean = out->size == 1 && H5Tget_nmembers(type) == 2 &&
                   H5Tenum_valueof(type, "FALSE", no) >= 0 &&
                   H5Tenum_valueof(type, "TRUE", yes) >= 0 && no[0] == 0 && yes[0] == 1;
    if (!boolean) {
        return as_fail(AS_SKIPPED, "holds an enumeration, not numbers");
    }
    out->kind = AS_H5_BOOLEAN;
    return AS_OK;
}

static as_status describe_compound(hid_t type) {
    char *first = H5Tget_member_name(type, 0);
    bool complex = H5Tget_nmembers(type) == 2 && first != NULL && strcmp(first, "r") == 0;
    H5free_memory(first);
    return complex
               ? as_fail(AS_SKIPPED, "holds complex numbers; save the real and the imaginary part")
               : as_fail(AS_SKIPPED, "holds records (a compound type); save each field as a "
                                     "dataset of its own");
}

as_status as_h5_describe_type(hid_t type, as_h5_tensor *out) {
    H5T_class_t kind = H5Tget_class(type);
    out->kind = AS_H5_NO_NUMBER;
    out->size = H5Tget_size(type);
    if (kind == H5T_FLOAT || kind == H5T_INTEGER) {
        H5T_order_t order = H5Tget_order(type);
        out->big_endian = order == H5T_ORDER_BE;
        if (order != H5T_ORDER_BE && order != H5T_ORDER_LE) {
            return as_fail(AS_SKIPPED, "holds numbers in a byte order that no machine has today");
        }
        return kind == H5T_FLOAT ? describe_float(type, out) : describe_integer(type, out);
    }
    switch (kind) {
    case H5T_ENUM:
        return describe_enumeration(type, out);
    case H5T_OPAQUE:
        out->kind = AS_H5_OPAQUE;
        return AS_OK;
    case H5T_COMPOUND:
        return describe_compound(type);
    case H5T_STRING:
        return as_fail(AS_SKIPPED, "holds text, not numbers");
    case H5T_REFERENCE:
        return as_fail(AS_SKIPPED, "holds references to other objects, not numbers");
    case H5T_VLEN:
        return as_fail(AS_SKIPPED, "holds lists of varying length; save each as a dataset of its "
                                   "own");
    case H5T_ARRAY:
        return as_fail(AS_SKIPPED, "holds arrays as its elements; save them as further axes");
    default:
        return as_fail(AS_SKIPPED, "holds bit fields or times, not numbers");
    }
}
