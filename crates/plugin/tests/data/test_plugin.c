/* A plugin for tests: HDF5 filter 40000 and NCZarr's codec "test_xor", which combine each byte with a key by XOR.
 *
 * The user gives the key. Stored are key, element size, class, byte order, sign, rank, and the chunk's lengths. The
 * filter fails for key 255, answers with more bytes than it has for key 254, doubles the bytes for key 253, and ends the
 * program for key 252.
 * With ONE_PARAMETER, it refuses other than one parameter, and so the parameters that it stores.
 * It declares what it uses of HDF5 and netCDF by itself, so that neither is needed to compile it. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t hid_t;

extern hid_t H5E_ERR_CLS_g, H5E_PLINE_g, H5E_CALLBACK_g, H5T_NATIVE_INT_g, H5T_STD_U16BE_g;
int H5open(void);
int H5Pget_filter_by_id2(hid_t, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *);
int H5Pmodify_filter(hid_t, int, unsigned, size_t, const unsigned *);
int H5Pget_chunk(hid_t, int, uint64_t *);
int H5Pget_nfilters(hid_t);
size_t H5Tget_size(hid_t);
int H5Tget_class(hid_t);
int H5Tget_order(hid_t);
int H5Tget_sign(hid_t);
int H5Sget_simple_extent_ndims(hid_t);
int64_t H5Sget_simple_extent_npoints(hid_t);
int H5Epush2(hid_t, const char *, const char *, unsigned, hid_t, hid_t, hid_t, const char *, ...);
void *H5allocate_memory(size_t, _Bool);
int H5free_memory(void *);
int nc_inq_var(int, int, char *, int *, int *, int *, int *);
int nc_inq_type(int, int, char *, size_t *);
int nc_inq_var_chunking(int, int, int *, size_t *);

#ifndef ID
#define ID 40000
#endif

enum { FIXED = 6, MOST = 32 };

static int fail(const char *why) {
    H5Epush2(0, __FILE__, __func__, __LINE__, H5E_ERR_CLS_g, H5E_PLINE_g, H5E_CALLBACK_g, why, 1, 2.5, "more");
    return -1;
}

static int can_apply(hid_t list, hid_t type, hid_t space) {
    if (H5open() < 0 || H5Pget_nfilters(list) != 1)
        return fail("no pipeline of one filter");
    if (H5Tget_size(H5T_NATIVE_INT_g) != sizeof(int) || H5Tget_order(H5T_STD_U16BE_g) != 1)
        return fail("predefined types are not served");
    if (H5Sget_simple_extent_npoints(space) == 13)
        return 0;
    return H5Tget_class(type) >= 0;
}

static int set_local(hid_t list, hid_t type, hid_t space) {
    unsigned flags, values[MOST] = {0};
    uint64_t lengths[MOST] = {0};
    size_t count = MOST;
    if (H5Pget_filter_by_id2(list, ID, &flags, &count, values, 0, NULL, NULL) < 0)
        return fail("no parameters");
    if (count < 1)
        return fail("the key is missing");
#ifdef ONE_PARAMETER
    if (count > 1)
        return fail("it takes one parameter");
#endif
    int rank = H5Pget_chunk(list, MOST, lengths);
    if (rank != H5Sget_simple_extent_ndims(space))
        return fail("two ranks");
    values[1] = (unsigned)H5Tget_size(type);
    values[2] = (unsigned)H5Tget_class(type);
    values[3] = (unsigned)H5Tget_order(type);
    values[4] = (unsigned)H5Tget_sign(type);
    values[5] = (unsigned)rank;
    for (int i = 0; i < rank; i++)
        values[FIXED + i] = (unsigned)lengths[i];
    return H5Pmodify_filter(list, ID, flags, (size_t)(FIXED + rank), values);
}

static size_t filter(unsigned flags, size_t count, const unsigned values[], size_t bytes, size_t *size, void **buffer) {
    unsigned key = count ? values[0] : 0;
    if (key == 252)
        exit(0);
    if (key == 255) {
        fail("the key %d is not for use");
        return 0;
    }
    if (key == 254)
        return *size * 100 + 100000;
    size_t twice = key == 253 ? 2 : 1;
    size_t made = flags & 0x100 ? bytes / twice : bytes * twice;
    unsigned char *to = H5allocate_memory(made + 1, 0), *from = *buffer;
    if (!to)
        return 0;
    for (size_t i = 0; i < made; i++)
        to[i] = from[i % bytes] ^ (unsigned char)key;
    H5free_memory(from);
    *buffer = to;
    /* A plugin may leave the size as it was. */
    return made;
}

static const struct {
    int version, id;
    unsigned encoder_present, decoder_present;
    const char *name;
    int (*can_apply)(hid_t, hid_t, hid_t), (*set_local)(hid_t, hid_t, hid_t);
    size_t (*filter)(unsigned, size_t, const unsigned[], size_t, size_t *, void **);
} filter_class = {1, ID, 1, 1, "test filter; see nowhere", can_apply, set_local, filter};

int H5PLget_plugin_type(void) { return 0; }
const void *H5PLget_plugin_info(void) { return &filter_class; }

static int initialized;
static void initialize(void) { initialized++; }

static int to_hdf5(const char *json, size_t *count, unsigned **values) {
    const char *key = strstr(json, "\"key\":");
    if (initialized != 1 || !strstr(json, "\"test_xor\"") || !key)
        return -137;
    *count = 1;
    *values = malloc(sizeof(unsigned));
    **values = (unsigned)atoi(key + 6);
    return 0;
}

static int from_hdf5(size_t count, const unsigned *values, char **json) {
    if (count < 1)
        return -137;
    *json = malloc(64);
    snprintf(*json, 64, "{\"id\": \"test_xor\", \"key\": %u}", values[0]);
    return 0;
}

static int modify(int ncid, int varid, size_t *visible, unsigned **values, size_t *count, unsigned **working) {
    int type, rank, storage;
    size_t size, lengths[MOST];
    if (nc_inq_var(ncid, varid, NULL, &type, &rank, NULL, NULL) || nc_inq_type(ncid, type, NULL, &size) ||
        nc_inq_var_chunking(ncid, varid, &storage, lengths) || *visible < 1)
        return -137;
    *count = 3;
    *working = malloc(3 * sizeof(unsigned));
    (*working)[0] = **values;
    (*working)[1] = (unsigned)size;
    (*working)[2] = (unsigned)lengths[rank - 1];
    return 0;
}

static const struct {
    int version, sort;
    const char *id;
    unsigned hdf5_id;
    void (*initialize)(void), (*finalize)(void);
    int (*to_hdf5)(const char *, size_t *, unsigned **), (*from_hdf5)(size_t, const unsigned *, char **);
    int (*modify)(int, int, size_t *, unsigned **, size_t *, unsigned **);
} codec_class = {1, 1, "test_xor", ID, initialize, NULL, to_hdf5, from_hdf5, modify};

const void *NCZ_get_codec_info(void) { return &codec_class; }
