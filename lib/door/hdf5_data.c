/* HDF5 datasets of numbers, written and read by rows.
 * It refuses datasets that claim more numbers than their file can hold. */
#include "base/fail.h"
#include "door/hdf5_own.h"

/* formats.md: filters from 64 KiB up. A chunk stays well below HDF5's chunk cache of 1 MiB. */
enum { FILTER_FROM = 64 * 1024, CHUNK_BYTES = 256 * 1024, DEFLATE_LEVEL = 4 };
/* Numbers in a chunk of a stack: 64 MiB. HDF5 holds one or two at a time, and 4 GiB is its limit. */
enum { STACK_CHUNK = 8 * 1024 * 1024 };

size_t as_h5_type_size(as_h5_type type) {
    static const size_t sizes[] = {[AS_H5_F64] = 8, [AS_H5_F32] = 4, [AS_H5_I64] = 8,
                                   [AS_H5_U64] = 8, [AS_H5_I32] = 4, [AS_H5_U8] = 1};
    return sizes[type];
}

static hid_t memory_type(as_h5_type type) {
    switch (type) {
    case AS_H5_F64:
        return H5T_NATIVE_DOUBLE;
    case AS_H5_F32:
        return H5T_NATIVE_FLOAT;
    case AS_H5_I64:
        return H5T_NATIVE_INT64;
    case AS_H5_U64:
        return H5T_NATIVE_UINT64;
    case AS_H5_I32:
        return H5T_NATIVE_INT32;
    case AS_H5_U8:
        break;
    }
    return H5T_NATIVE_UINT8;
}

/* Little endian everywhere, so that the bytes do not depend on the machine. */
static hid_t file_type(as_h5_type type) {
    switch (type) {
    case AS_H5_F64:
        return H5T_IEEE_F64LE;
    case AS_H5_F32:
        return H5T_IEEE_F32LE;
    case AS_H5_I64:
        return H5T_STD_I64LE;
    case AS_H5_U64:
        return H5T_STD_U64LE;
    case AS_H5_I32:
        return H5T_STD_I32LE;
    case AS_H5_U8:
        break;
    }
    return H5T_STD_U8LE;
}

/* A dataset creation list without times; chunked and filtered where the data are large. */
static hid_t creation_list(size_t rank, const size_t *shape, size_t size) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[AS_H5_RANK];
    size_t bytes = size, room = CHUNK_BYTES / size;
    bool fits = true;
    if (list < 0 || H5Pset_obj_track_times(list, false) < 0) {
        return list;
    }
    for (size_t a = 0; a < rank; a++) {
        fits = fits && as_mul(bytes, shape[a], &bytes);
    }
    if (fits && bytes < FILTER_FROM) {
        return list;
    }
    for (size_t a = rank; a-- > 0;) {
        chunk[a] = shape[a] < room ? shape[a] : room;
        room /= (size_t)chunk[a];
    }
    H5Pset_chunk(list, (int)rank, chunk);
    H5Pset_shuffle(list);
    H5Pset_deflate(list, DEFLATE_LEVEL);
    return list;
}

as_status as_h5_data_create(as_h5 *file, const char *path, as_h5_type type, size_t rank,
                            const size_t *shape, as_h5_data *out) {
    HOLD_HDF5;
    as_h5_data data = {.file = file, .type = type, .rank = rank, .shape = {1, 1, 1}};
    hsize_t extent[AS_H5_RANK];
    for (size_t a = 0; a < rank; a++) {
        extent[a] = data.shape[a] = shape[a];
    }
    hid_t space = H5Screate_simple((int)rank, extent, NULL);
    hid_t list = creation_list(rank, shape, as_h5_type_size(type));
    hid_t id = H5Dcreate2(file->id, path, file_type(type), space, H5P_DEFAULT, list, H5P_DEFAULT);
    as_status status = as_h5_done(file, id, path);
    if (status == AS_OK) {
        data.id = id;
        *out = data;
    } else {
        H5Dclose(id);
    }
    H5Pclose(list);
    H5Sclose(space);
    return status;
}

/* A deflated dataset is at most AS_H5_RATIO_MAX times as large as what it is stored in. */
static as_status check_claim(const as_h5 *file, const char *path, const hsize_t *extent,
                             size_t size) {
    double numbers = (double)extent[0] * (double)extent[1] * (double)extent[2];
    if (numbers * (double)size <= (double)file->bytes * AS_H5_RATIO_MAX) {
        return AS_OK;
    }
    return extent[2] == 1
               ? as_fail(AS_EREAD, "%s of %s claims %llu × %llu numbers: the file is too short",
                         path, file->path, (unsigned long long)extent[0],
                         (unsigned long long)extent[1])
               : as_fail(AS_EREAD,
                         "%s of %s claims %llu × %llu × %llu numbers: the file is too short", path,
                         file->path, (unsigned long long)extent[0], (unsigned long long)extent[1],
                         (unsigned long long)extent[2]);
}

as_status as_h5_data_open(as_h5 *file, const char *path, as_h5_type type, as_h5_data *out) {
    HOLD_HDF5;
    as_status status = AS_OK;
    hsize_t extent[AS_H5_RANK] = {1, 1, 1};
    hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);
    hid_t stored = id < 0 ? -1 : H5Dget_type(id), space = id < 0 ? -1 : H5Dget_space(id);
    if (stored < 0 || space < 0) {
        status = as_h5_fault(file, path);
        goto cleanup;
    }
    int rank = H5Sget_simple_extent_ndims(space);
    H5T_class_t kind = H5Tget_class(stored);
    if (rank < 1 || rank > AS_H5_RANK || (kind != H5T_INTEGER && kind != H5T_FLOAT)) {
        status = as_fail(AS_EREAD, "%s of %s holds no rows of numbers", path, file->path);
        goto cleanup;
    }
    H5Sget_simple_extent_dims(space, extent, NULL);
    status = check_claim(file, path, extent, H5Tget_size(stored));
    if (status == AS_OK) {
        *out = (as_h5_data){.file = file, .id = id, .type = type, .rank = (size_t)rank};
        for (size_t a = 0; a < AS_H5_RANK; a++) {
            out->shape[a] = (size_t)extent[a];
        }
        id = -1;
    }
cleanup:
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(id);
    return status;
}

typedef herr_t transfer(const as_h5_data *data, hid_t memory, hid_t space, void *numbers);

static herr_t write_rows(const as_h5_data *data, hid_t memory, hid_t space, void *numbers) {
    return H5Dwrite(data->id, memory_type(data->type), memory, space, H5P_DEFAULT, numbers);
}

static herr_t read_rows(const as_h5_data *data, hid_t memory, hid_t space, void *numbers) {
    return H5Dread(data->id, memory_type(data->type), memory, space, H5P_DEFAULT, numbers);
}

static as_status move_rows(const as_h5_data *data, size_t first, size_t rows, void *numbers,
                           transfer *move) {
    if (rows == 0) {
        return AS_OK;
    }
    hsize_t start[AS_H5_RANK] = {first}, count[AS_H5_RANK] = {rows, data->shape[1], data->shape[2]};
    hid_t space = H5Dget_space(data->id);
    hid_t memory = H5Screate_simple((int)data->rank, count, NULL);
    herr_t moved = -1;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0) {
        moved = move(data, memory, space, numbers);
    }
    as_status status = as_h5_done(data->file, moved, "rows");
    H5Sclose(memory);
    H5Sclose(space);
    return status;
}

as_status as_h5_data_write(const as_h5_data *data, size_t first, size_t rows, const void *numbers) {
    HOLD_HDF5;
    return move_rows(data, first, rows, (void *)numbers, write_rows);
}

as_status as_h5_data_read(const as_h5_data *data, size_t first, size_t rows, void *numbers) {
    HOLD_HDF5;
    return move_rows(data, first, rows, numbers, read_rows);
}

as_status as_h5_stack_create(as_h5 *file, const char *path, const as_h5_stack *stack,
                             as_h5_data *out) {
    HOLD_HDF5;
    size_t rank = stack->rank, rows = stack->shape[rank - 2], cols = stack->shape[rank - 1];
    size_t across = cols < STACK_CHUNK ? cols : STACK_CHUNK;
    size_t down = across > 0 ? STACK_CHUNK / across : 1;
    hsize_t extent[AS_H5_STACK_RANK], chunk[AS_H5_STACK_RANK];
    for (size_t a = 0; a < rank; a++) {
        extent[a] = stack->shape[a];
        chunk[a] = 1;
    }
    chunk[rank - 2] = down < rows ? down : rows;
    chunk[rank - 1] = across;
    hid_t space = H5Screate_simple((int)rank, extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t id = -1;
    if (space >= 0 && H5Pset_obj_track_times(list, false) >= 0 &&
        H5Pset_chunk(list, (int)rank, chunk) >= 0 && H5Pset_shuffle(list) >= 0 &&
        H5Pset_deflate(list, DEFLATE_LEVEL) >= 0) {
        id = H5Dcreate2(file->id, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    as_status status = as_h5_done(file, id, path);
    if (status == AS_OK) {
        *out = (as_h5_data){.file = file, .id = id, .type = AS_H5_F64, .rank = rank};
    } else {
        H5Dclose(id);
    }
    H5Pclose(list);
    H5Sclose(space);
    return status;
}

as_status as_h5_stack_write(const as_h5_data *data, const as_h5_stack *stack, const size_t *place,
                            const double *matrix) {
    HOLD_HDF5;
    hsize_t start[AS_H5_STACK_RANK] = {0}, count[AS_H5_STACK_RANK];
    for (size_t a = 0; a < stack->rank; a++) {
        bool of_matrix = a + 2 >= stack->rank;
        start[a] = of_matrix ? 0 : place[a];
        count[a] = of_matrix ? stack->shape[a] : 1;
    }
    hid_t space = H5Dget_space(data->id);
    hid_t memory = H5Screate_simple((int)stack->rank, count, NULL);
    herr_t moved = -1;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0) {
        moved = H5Dwrite(data->id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, matrix);
    }
    as_status status = as_h5_done(data->file, moved, "a matrix");
    H5Sclose(memory);
    H5Sclose(space);
    return status;
}

as_status as_h5_data_close(as_h5_data *data) {
    HOLD_HDF5;
    if (data->file == NULL) {
        return AS_OK;
    }
    as_status status = as_h5_done(data->file, H5Dclose(data->id), "a dataset");
    *data = (as_h5_data){0};
    return status;
}
