/* What each dtype is called and how its bytes become doubles, exactly.
 * It refuses nothing: every bit pattern has a value, NaN among them. */
#include "dump/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct dtype_info {
    const char *name;
    size_t size;
    double epsilon;
} dtype_info;

static const dtype_info table[] = {
#define X(code, name, size, epsilon) [code] = {name, size, epsilon},
    AS_DTYPE_LIST(X)
#undef X
};

const char *as_dtype_name(as_dtype dtype) {
    return (unsigned)dtype < AS_DTYPE_COUNT ? table[dtype].name : "unknown";
}

as_dtype as_dtype_find(const char *name) {
    as_dtype d = 0;
    while (d < AS_DTYPE_COUNT && strcmp(name, table[d].name) != 0) {
        d++;
    }
    return d;
}

size_t as_dtype_size(as_dtype dtype) {
    return (unsigned)dtype < AS_DTYPE_COUNT ? table[dtype].size : 0;
}

double as_dtype_epsilon(as_dtype dtype) {
    return (unsigned)dtype < AS_DTYPE_COUNT ? table[dtype].epsilon : 0;
}

bool as_dtype_is_float(as_dtype dtype) {
    return as_dtype_epsilon(dtype) > 0;
}

double as_dtype_lowest(as_dtype dtype) {
    switch (dtype) {
    case AS_F64:
        return -DBL_MAX;
    case AS_F32:
        return -(double)FLT_MAX;
    case AS_F16:
        return -65504.0;
    case AS_BF16:
        return -0x1.FEp127;
    case AS_F8_E4M3:
        return -448.0;
    case AS_F8_E5M2:
        return -57344.0;
    default:
        return -INFINITY; /* integers mask with nothing */
    }
}

static inline float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* binary16 has the exponent bias 15 and binary32 127: move the fields up by 13 bits and add 112 to
 * the exponent, twice for infinity and NaN so that 31 becomes 255. A subnormal gets the exponent of
 * 2^-14 as if it had the hidden one, which is then subtracted: exact, and it needs no subnormal
 * float, which some processes flush to zero. Selects, not branches, so that it vectorises. */
static inline double f16_value(uint16_t half) {
    const uint32_t bias = 112u << 23, smallest_normal = 113u << 23;
    uint32_t magnitude = half & 0x7fffu, bits = magnitude << 13;
    uint32_t wide = bits + bias + (magnitude >= 0x7c00u ? bias : 0);
    float normal = float_of(wide);
    float subnormal = float_of(bits + smallest_normal) - float_of(smallest_normal);
    float value = magnitude < 0x0400u ? subnormal : normal;
    return (half & 0x8000u) != 0 ? -(double)value : (double)value;
}

static inline double bf16_value(uint16_t half) {
    return (double)float_of((uint32_t)half << 16);
}

/* Micikevicius et al., FP8 Formats for Deep Learning (arXiv:2209.05433), table 1. E5M2 is the upper
 * half of a binary16. E4M3 has the bias 7 and no infinity: with its fields at their places in a
 * binary16 (bias 15) a number, subnormal or not, is 2^8 times too small; all ones is NaN. */
static inline double e5m2_value(uint8_t quarter) {
    return f16_value((uint16_t)(quarter << 8));
}

static inline double e4m3_value(uint8_t quarter) {
    uint16_t half = (uint16_t)((quarter & 0x80) << 8 | (quarter & 0x7f) << 7);
    return (quarter & 0x7f) == 0x7f ? (double)NAN : 256 * f16_value(half);
}

/* One loop a dtype, which the compiler vectorises; the bytes have no type of their own. */
#define CONVERT(type, value)                                                                       \
    do {                                                                                           \
        const unsigned char *bytes = raw;                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            type in;                                                                               \
            memcpy(&in, bytes + i * sizeof in, sizeof in);                                         \
            out[i] = (value);                                                                      \
        }                                                                                          \
        return;                                                                                    \
    } while (0)

void as_dtype_convert(as_dtype dtype, const void *restrict raw, size_t count,
                      double *restrict out) {
    switch (dtype) {
    case AS_F64:
        memcpy(out, raw, count * sizeof *out);
        return;
    case AS_F32:
        CONVERT(float, (double)in);
    case AS_F16:
        CONVERT(uint16_t, f16_value(in));
    case AS_BF16:
        CONVERT(uint16_t, bf16_value(in));
    case AS_F8_E4M3:
        CONVERT(uint8_t, e4m3_value(in));
    case AS_F8_E5M2:
        CONVERT(uint8_t, e5m2_value(in));
    case AS_I64:
        CONVERT(int64_t, (double)in);
    case AS_I32:
        CONVERT(int32_t, (double)in);
    case AS_I16:
        CONVERT(int16_t, (double)in);
    case AS_I8:
        CONVERT(int8_t, (double)in);
    case AS_U64:
        CONVERT(uint64_t, (double)in);
    case AS_U32:
        CONVERT(uint32_t, (double)in);
    case AS_U16:
        CONVERT(uint16_t, (double)in);
    case AS_U8:
        CONVERT(uint8_t, (double)in);
    case AS_BOOL:
        CONVERT(uint8_t, in != 0 ? 1.0 : 0.0);
    case AS_DTYPE_COUNT:
        return;
    }
}

#define SWAP(type, swap)                                                                           \
    for (size_t i = 0; i < count; i++) {                                                           \
        type x;                                                                                    \
        memcpy(&x, bytes + i * sizeof x, sizeof x);                                                \
        x = swap(x);                                                                               \
        memcpy(bytes + i * sizeof x, &x, sizeof x);                                                \
    }

void as_dtype_swap(void *raw, size_t size, size_t count) {
    unsigned char *bytes = raw;
    if (size == 2) {
        SWAP(uint16_t, __builtin_bswap16)
    } else if (size == 4) {
        SWAP(uint32_t, __builtin_bswap32)
    } else if (size == 8) {
        SWAP(uint64_t, __builtin_bswap64)
    }
}
