/* Writes down what a process really does to the files of one folder, in order, with the data: loaded into it before
   libc. Names the folder: CRASH_FOLDER; the record: CRASH_RECORD. Each entry is one line of text, "op name offset
   length\n", followed by the bytes of a write. One lock keeps the record in the order in which things happened. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, name)

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int record(void) {
    static int file = -1;
    if (file < 0) {
        const char *path = getenv("CRASH_RECORD");
        int (*opened)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
        if (path) file = opened(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
    return file;
}

static void put(const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    const char *next = data;
    while (size > 0) {
        ssize_t done = real(record(), next, size);
        if (done <= 0) abort();
        next += done;
        size -= (size_t)done;
    }
}

/* The name below the folder, or NULL where the path lies elsewhere. */
static const char *below(const char *path) {
    const char *folder = getenv("CRASH_FOLDER");
    size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(path, folder, length) || path[length] != '/') return NULL;
    return path + length + 1;
}

static const char *name_of(int file, char *space) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, space, PATH_MAX - 1);
    if (size <= 0) return NULL;
    space[size] = 0;
    return below(space);
}

static void note(const char *op, const char *name, long long offset, const void *data, size_t size) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %s %lld %zu\n", op, name, offset, data ? size : (size_t)0);
    put(line, (size_t)length);
    if (data) put(data, size);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    char space[PATH_MAX];
    const char *name = name_of(file, space);
    if (!name) return real(file, data, size, offset);
    pthread_mutex_lock(&turn);
    ssize_t done = real(file, data, size, offset);
    if (done > 0) note("write", name, offset, data, (size_t)done);
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { return pwrite64(file, data, size, offset); }

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    char space[PATH_MAX];
    const char *name = name_of(file, space);
    if (!name) return real(file, data, size);
    pthread_mutex_lock(&turn);
    struct stat about;
    fstat(file, &about);
    long long offset = fcntl(file, F_GETFL) & O_APPEND ? (long long)about.st_size : (long long)lseek(file, 0, SEEK_CUR);
    ssize_t done = real(file, data, size);
    if (done > 0) note("write", name, offset, data, (size_t)done);
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    char space[PATH_MAX];
    const char *name = name_of(file, space);
    if (!name) return real(file, parts, count);
    pthread_mutex_lock(&turn);
    struct stat about;
    fstat(file, &about);
    long long offset = fcntl(file, F_GETFL) & O_APPEND ? (long long)about.st_size : (long long)lseek(file, 0, SEEK_CUR);
    ssize_t done = real(file, parts, count), left = done;
    for (int part = 0; part < count && left > 0; part++) {
        size_t size = parts[part].iov_len < (size_t)left ? parts[part].iov_len : (size_t)left;
        note("write", name, offset, parts[part].iov_base, size);
        offset += (long long)size;
        left -= (ssize_t)size;
    }
    pthread_mutex_unlock(&turn);
    return done;
}

int ftruncate64(int file, off64_t size) {
    REAL(int, "ftruncate64", int, off64_t);
    char space[PATH_MAX];
    const char *name = name_of(file, space);
    if (!name) return real(file, size);
    pthread_mutex_lock(&turn);
    int done = real(file, size);
    if (!done) note("cut", name, size, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int synced(int (*real)(int), int file) {
    char space[PATH_MAX];
    const char *name = name_of(file, space);
    if (!name) return real(file);
    pthread_mutex_lock(&turn);
    int done = real(file);
    if (!done) note("sync", name, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}

int fsync(int file) {
    REAL(int, "fsync", int);
    return synced(real, file);
}

int fdatasync(int file) {
    REAL(int, "fdatasync", int);
    return synced(real, file);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    const char *name = below(path);
    if (!name) return real(path);
    pthread_mutex_lock(&turn);
    int done = real(path);
    if (!done) note("remove", name, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}
