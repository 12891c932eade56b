/* What Debian's ncdump, nccopy and ncgen (4.9) call and netcdf-c 4.10 no longer exports. Linked with libnetcdf 4.10 and named
   as the library of 4.9, it lets these programs run with the newer library: the crate that brings its source leaves
   the programs out. */

#include <stdlib.h>
#include <string.h>

int ncsetlogging(int on) {
    (void)on;
    return 0;
}

size_t strlcat(char *text, const char *more, size_t size) {
    size_t length = strnlen(text, size), extra = strlen(more);
    if (length == size)
        return size + extra;
    size_t taken = extra < size - length - 1 ? extra : size - length - 1;
    memcpy(text + length, more, taken);
    text[length + taken] = 0;
    return length + extra;
}

/* Whether a name is a URL. `base` receives its last part, which ncdump prints as the dataset's name. */
int nc__testurl(const char *name, char **base) {
    const char *path = strstr(name, "://");
    if (path == NULL)
        return 0;
    if (base != NULL) {
        const char *end = strchr(name, '#');
        end = end != NULL ? end : name + strlen(name);
        const char *start = end;
        while (start > path + 3 && start[-1] != '/')
            start--;
        *base = strndup(start, (size_t)(end - start));
    }
    return 1;
}
