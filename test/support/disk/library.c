/*
 * Preloaded into a program, this library stands between it and one folder of the disk.
 * DISK_LOG: a file to which it appends every change of that folder, in order, with its data.
 * DISK_FAULTS: a file, shared in memory, that says which calls on that folder fail.
 *
 * A record of the log is a `struct header`, followed by `length` bytes: the written data, or one or
 * two paths.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* OPEN is not recorded. The offset of a sync is the length of the log when the sync began. */
enum { CREATE = 'C', FOLDER_SYNC = 'D', LINK = 'L', MKDIR = 'M', OPEN = 'O', RENAME = 'R',
       SYNC = 'S', TRUNCATE = 'T', UNLINK = 'U', WRITE = 'W' };

struct header { uint32_t kind, length; uint64_t file; int64_t offset; };

/* Calls `first` to `last` of the given `kinds` (bits 1 << (letter - 'A')) fail with `error`. With
 * error 0, a call does nothing and claims success. A negative error is a signal that ends the
 * process. */
struct faults { int32_t kinds, first, last, error, seen; };

static char folder[PATH_MAX];
static int logFile = -1;
static struct faults *faults;
/* The inode of each descriptor that was opened in the folder; isTracked() notices its reuse. */
static uint64_t tracked[65536];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...) \
  static result (*name##_real)(__VA_ARGS__); \
  if (!name##_real) name##_real = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *in = getenv("DISK_FOLDER"), *to = getenv("DISK_LOG"), *plan = getenv("DISK_FAULTS");
  if (!in || !realpath(in, folder)) return;
  if (to) logFile = open(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  int file = plan ? open(plan, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  faults = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (faults == MAP_FAILED) faults = NULL;
  close(file);
}

static int endsWith(const char *path, const char *end) {
  size_t length = strlen(path), last = strlen(end);
  return length >= last && strcmp(path + length - last, end) == 0;
}

/* The -shm file does not count: processes share it as memory, and SQLite rebuilds it. */
static int isInside(const char *path) {
  size_t length = strlen(folder);
  return length && strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]) &&
         !endsWith(path, "-shm");
}

enum { MAX_FILES = sizeof tracked / sizeof *tracked };

static uint64_t identify(int file) {
  struct stat found;
  return fstat(file, &found) == 0 ? found.st_ino : 0;
}

static int isTracked(int file) {
  return file >= 0 && file < MAX_FILES && tracked[file] && tracked[file] == identify(file);
}

/* Returns the absolute path: programs also name files relative to an open folder. */
static const char *resolve(int at, const char *path, char *out) {
  if (path[0] == '/') return path;
  char link[64];
  snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return path;
  snprintf(out + length, PATH_MAX - length, "/%s", path);
  return out;
}

static int fails(int kind) {
  if (!faults || !(faults->kinds & 1 << (kind - 'A'))) return 0;
  int seen = __atomic_add_fetch(&faults->seen, 1, __ATOMIC_SEQ_CST);
  if (seen < faults->first || seen > faults->last) return 0;
  if (faults->error < 0) kill(getpid(), -faults->error);
  errno = faults->error;
  return 1;
}

#define FAULT(kind, success) \
  if (fails(kind)) { pthread_mutex_unlock(&lock); return faults->error ? -1 : (success); }

static void put(int kind, uint64_t file, int64_t offset, const struct iovec *parts, int count) {
  if (logFile < 0) return;
  REAL(ssize_t, writev, int, const struct iovec *, int);
  struct header header = {kind, 0, file, offset};
  struct iovec all[count + 1];
  all[0] = (struct iovec){&header, sizeof header};
  for (int i = 0; i < count; i++) {
    all[i + 1] = parts[i];
    header.length += parts[i].iov_len;
  }
  if (writev_real(logFile, all, count + 1) < 0) abort();
}

static void putPaths(int kind, uint64_t file, const char *one, const char *two) {
  struct iovec parts[2] = {{(void *)one, strlen(one) + 1}, {(void *)two, strlen(two) + 1}};
  put(kind, file, 0, parts, 2);
}

static int openInside(const char *path, int flags, mode_t mode) {
  REAL(int, open64, const char *, int, ...);
  pthread_mutex_lock(&lock);
  struct stat before;
  int existed = stat(path, &before) == 0;
  FAULT(OPEN, -1);
  if (!existed && flags & O_CREAT) FAULT(CREATE, -1);
  int file = open64_real(path, flags, mode);
  if (file >= 0 && file < MAX_FILES) {
    tracked[file] = identify(file);
    if (!existed) putPaths(CREATE, identify(file), path, "");
    else if (flags & O_TRUNC) put(TRUNCATE, identify(file), 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return file;
}

static int openAny(int at, const char *path, int flags, mode_t mode) {
  REAL(int, openat64, int, const char *, int, ...);
  char out[PATH_MAX];
  const char *full = resolve(at, path, out);
  return isInside(full) ? openInside(full, flags, mode) : openat64_real(at, path, flags, mode);
}

#define OPEN_FROM(at) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list more; \
    va_start(more, flags); \
    mode = va_arg(more, mode_t); \
    va_end(more); \
  } \
  return openAny(at, path, flags, mode)

int open(const char *path, int flags, ...) { OPEN_FROM(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN_FROM(AT_FDCWD); }
int openat(int at, const char *path, int flags, ...) { OPEN_FROM(at); }
int openat64(int at, const char *path, int flags, ...) { OPEN_FROM(at); }

static size_t lengthOf(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  return length;
}

/* Writes at the file's own position if `offset` is -1. */
static ssize_t writeInside(int file, const struct iovec *parts, int count, off64_t offset) {
  REAL(ssize_t, pwritev, int, const struct iovec *, int, off64_t);
  REAL(ssize_t, writev, int, const struct iovec *, int);
  pthread_mutex_lock(&lock);
  FAULT(WRITE, (ssize_t)lengthOf(parts, count));
  ssize_t written = offset < 0 ? writev_real(file, parts, count)
                               : pwritev_real(file, parts, count, offset);
  if (written >= 0 && logFile >= 0) {
    if ((size_t)written != lengthOf(parts, count)) abort();
    int64_t from = offset < 0 ? lseek64(file, 0, SEEK_CUR) - written : offset;
    put(WRITE, identify(file), from, parts, count);
  }
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t write(int file, const void *data, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  struct iovec part = {(void *)data, length};
  return isTracked(file) ? writeInside(file, &part, 1, -1) : write_real(file, data, length);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  return isTracked(file) ? writeInside(file, parts, count, -1) : writev_real(file, parts, count);
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  struct iovec part = {(void *)data, length};
  return isTracked(file) ? writeInside(file, &part, 1, offset)
                         : pwrite64_real(file, data, length, offset);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t);
  return isTracked(file) ? writeInside(file, parts, count, offset)
                         : pwritev_real(file, parts, count, offset);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
  if (!isTracked(file)) return ftruncate64_real(file, size);
  pthread_mutex_lock(&lock);
  FAULT(TRUNCATE, 0);
  int result = ftruncate64_real(file, size);
  if (result == 0) put(TRUNCATE, identify(file), size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

static int syncInside(int file, int (*sync)(int)) {
  struct stat found;
  int isFolder = fstat(file, &found) == 0 && S_ISDIR(found.st_mode);
  pthread_mutex_lock(&lock);
  FAULT(isFolder ? FOLDER_SYNC : SYNC, 0);
  /* The sync may miss what another process writes while it runs. */
  int64_t covered = logFile < 0 ? 0 : lseek64(logFile, 0, SEEK_END);
  int result = sync(file);
  if (result == 0) put(isFolder ? FOLDER_SYNC : SYNC, identify(file), covered, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

#define SYNC_FUNCTION(name) \
  int name(int file) { \
    REAL(int, name, int); \
    return isTracked(file) ? syncInside(file, name##_real) : name##_real(file); \
  }
SYNC_FUNCTION(fsync)
SYNC_FUNCTION(fdatasync)

static int changePaths(int kind, const char *one, const char *two,
                       int (*change)(const char *, const char *)) {
  char from[PATH_MAX], to[PATH_MAX];
  const char *fullOne = resolve(AT_FDCWD, one, from), *fullTwo = resolve(AT_FDCWD, two, to);
  if (!isInside(fullOne) && !isInside(fullTwo)) return change(one, two);
  pthread_mutex_lock(&lock);
  FAULT(kind, 0);
  int result = change(one, two);
  if (result == 0) putPaths(kind, 0, fullOne, fullTwo);
  pthread_mutex_unlock(&lock);
  return result;
}

#define PATHS_FUNCTION(name, kind) \
  int name(const char *from, const char *to) { \
    REAL(int, name, const char *, const char *); \
    return changePaths(kind, from, to, name##_real); \
  }
PATHS_FUNCTION(rename, RENAME)
PATHS_FUNCTION(link, LINK)

static int removeInside(int at, const char *path, int flags) {
  REAL(int, unlinkat, int, const char *, int);
  char out[PATH_MAX];
  const char *full = resolve(at, path, out);
  if (!isInside(full)) return unlinkat_real(at, path, flags);
  pthread_mutex_lock(&lock);
  FAULT(UNLINK, 0);
  int result = unlinkat_real(at, path, flags);
  if (result == 0) putPaths(UNLINK, 0, full, "");
  pthread_mutex_unlock(&lock);
  return result;
}

int unlinkat(int at, const char *path, int flags) { return removeInside(at, path, flags); }
int unlink(const char *path) { return removeInside(AT_FDCWD, path, 0); }
int remove(const char *path) {
  int result = removeInside(AT_FDCWD, path, 0);
  return result < 0 && errno == EISDIR ? removeInside(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  char out[PATH_MAX];
  const char *full = resolve(AT_FDCWD, path, out);
  if (!isInside(full)) return mkdir_real(path, mode);
  pthread_mutex_lock(&lock);
  FAULT(MKDIR, 0);
  int result = mkdir_real(path, mode);
  if (result == 0) putPaths(MKDIR, 0, full, "");
  pthread_mutex_unlock(&lock);
  return result;
}
