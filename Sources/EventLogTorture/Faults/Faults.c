// A library between the command and the C library (LD_PRELOAD). It counts the command's system
// calls, and makes one of them fail or kills the process at one of them. Linux only.
//
//   EVENTLOG_FAULT=KIND:FIRST:COUNT:ACTION  the calls, from 1; KIND may be "any"; ACTION is an
//                                           error number, short, die-before, die-within, die-after
//   EVENTLOG_FAULT_SIDE=serve|other         one of the two processes that sync through a pipe
//   EVENTLOG_FAULT_LOG=FILE                 gets "struck KIND NUMBER" when the fault occurs, and
//                                           "count KIND NUMBER" for each kind at the end
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS(X) \
  X(open) X(close) X(read) X(write) X(pread) X(pwrite) X(fdatasync) X(fsync) X(ftruncate) \
  X(flock) X(rename) X(remove) X(mkdir) X(opendir) X(readdir) X(stat) X(fstat) X(statx) \
  X(access) X(realpath) X(readlink) X(getcwd) X(statfs) X(dup) X(fcntl) X(poll) X(pipe2) \
  X(posix_spawnp) X(waitpid) X(inotify_init1) X(inotify_add_watch)

#define KIND_CASE(name) kind_##name,
enum kind { KINDS(KIND_CASE) kind_count };
#define KIND_NAME(name) #name,
static const char *const kind_names[] = {KINDS(KIND_NAME)};

enum action { action_pass, action_fail, action_short, action_before, action_within, action_after };

static int is_active = 0;
static enum action planned = action_pass;
static int planned_kind = -1;  // kind_count: any
static int planned_error = 0;
static long planned_first = 0, planned_count = 0;
static const char *log_path = NULL;
static atomic_long counts[kind_count + 1];
static uintptr_t ranges[8][2];
static int range_count = 0;

static void say(const char *word, const char *kind, long number) {
  if (!log_path) return;
  char text[96];
  int length = snprintf(text, sizeof text, "%s %s %ld\n", word, kind, number);
  // Bypasses the functions below.
  long file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                      0600);
  if (file < 0) return;
  syscall(SYS_write, file, text, (size_t)length);
  syscall(SYS_close, file);
}

// The command's own calls come from the program, or from the library in which Swift wraps variadic
// functions. Calls of the runtime don't count.
static int note_range(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  int is_program = info->dlpi_name[0] == 0;
  if (!is_program && !strstr(info->dlpi_name, "libswiftGlibc")) return 0;
  uintptr_t first = UINTPTR_MAX, last = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
    if (start < first) first = start;
    if (start + info->dlpi_phdr[index].p_memsz > last) {
      last = start + info->dlpi_phdr[index].p_memsz;
    }
  }
  if (range_count < 8) {
    ranges[range_count][0] = first;
    ranges[range_count++][1] = last;
  }
  return 0;
}

static int is_ours(void *caller) {
  uintptr_t place = (uintptr_t)caller;
  for (int index = 0; index < range_count; index++) {
    if (place >= ranges[index][0] && place < ranges[index][1]) return 1;
  }
  return 0;
}

static void read_plan(const char *text) {
  char kind[32], action[32];
  if (sscanf(text, "%31[^:]:%ld:%ld:%31s", kind, &planned_first, &planned_count, action) != 4) {
    return;
  }
  for (int index = 0; index < kind_count; index++) {
    if (!strcmp(kind, kind_names[index])) planned_kind = index;
  }
  if (!strcmp(kind, "any")) planned_kind = kind_count;
  if (!strcmp(action, "short")) planned = action_short;
  else if (!strcmp(action, "die-before")) planned = action_before;
  else if (!strcmp(action, "die-within")) planned = action_within;
  else if (!strcmp(action, "die-after")) planned = action_after;
  else {
    planned = action_fail;
    planned_error = atoi(action);
  }
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
  (void)environment;
  int is_accounts = !strcmp(program_invocation_short_name, "EventLogTorture") && argc > 1 &&
                    !strcmp(argv[1], "accounts");
  if (!is_accounts && strcmp(program_invocation_short_name, "eventlog") != 0) return;
  const char *side = getenv("EVENTLOG_FAULT_SIDE");
  if (side && !strcmp(side, "serve") != (argc > 1 && !strcmp(argv[1], "serve"))) return;
  log_path = getenv("EVENTLOG_FAULT_LOG");
  const char *plan = getenv("EVENTLOG_FAULT");
  if (plan) read_plan(plan);
  dl_iterate_phdr(note_range, NULL);
  is_active = 1;
}

__attribute__((destructor)) static void end(void) {
  if (!is_active) return;
  is_active = 0;
  for (int kind = 0; kind < kind_count; kind++) {
    if (counts[kind] > 0) say("count", kind_names[kind], counts[kind]);
  }
  say("count", "any", counts[kind_count]);
}

static void die(void) {
  for (;;) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

static enum action decide(enum kind kind, void *caller) {
  if (!is_active || !is_ours(caller)) return action_pass;
  long number = atomic_fetch_add(&counts[kind], 1) + 1;
  // At its start, the command calls `dup` many times to check the limit of open files. Nothing
  // can be lost there.
  long any = kind == kind_dup ? 0 : atomic_fetch_add(&counts[kind_count], 1) + 1;
  long place = planned_kind == kind_count ? any : (int)kind == planned_kind ? number : 0;
  if (place < planned_first || place >= planned_first + planned_count || place == 0) {
    return action_pass;
  }
  say("struck", kind_names[kind], number);
  if (planned == action_before) die();
  return planned;
}

#define CALLER __builtin_return_address(0)

// A function that returns `failed` and sets errno if it fails.
#define HOOK(result, name, failed, parameters, arguments)                     \
  result name parameters {                                                    \
    static result(*real) parameters;                                          \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);          \
    enum action action = decide(kind_##name, CALLER);                         \
    if (action == action_fail) {                                              \
      errno = planned_error;                                                  \
      return failed;                                                          \
    }                                                                         \
    result value = real arguments;                                            \
    if (action == action_after || action == action_within) die();             \
    return value;                                                             \
  }

// A function that transfers bytes, and may transfer only half of them.
#define TRANSFER(result, name, parameters, arguments, count)                  \
  result name parameters {                                                    \
    static result(*real) parameters;                                          \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);          \
    enum action action = decide(kind_##name, CALLER);                         \
    if (action == action_fail) {                                              \
      errno = planned_error;                                                  \
      return -1;                                                              \
    }                                                                         \
    if ((action == action_short || action == action_within) && count > 1) count /= 2; \
    result value = real arguments;                                            \
    if (action == action_after || action == action_within) die();             \
    return value;                                                             \
  }

TRANSFER(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count), count)
TRANSFER(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count), count)
TRANSFER(ssize_t, pread, (int file, void *bytes, size_t count, off_t offset),
         (file, bytes, count, offset), count)
TRANSFER(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset),
         (file, bytes, count, offset), count)
HOOK(int, fdatasync, -1, (int file), (file))
HOOK(int, fsync, -1, (int file), (file))
HOOK(int, ftruncate, -1, (int file, off_t size), (file, size))
HOOK(int, flock, -1, (int file, int operation), (file, operation))
HOOK(int, rename, -1, (const char *from, const char *to), (from, to))
HOOK(int, remove, -1, (const char *path), (path))
HOOK(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
HOOK(DIR *, opendir, NULL, (const char *path), (path))
HOOK(struct dirent *, readdir, NULL, (DIR *folder), (folder))
HOOK(int, stat, -1, (const char *restrict path, struct stat *restrict found), (path, found))
HOOK(int, fstat, -1, (int file, struct stat *found), (file, found))
HOOK(int, statx, -1,
     (int folder, const char *restrict path, int flags, unsigned mask,
      struct statx *restrict found),
     (folder, path, flags, mask, found))
HOOK(int, access, -1, (const char *path, int mode), (path, mode))
HOOK(char *, realpath, NULL, (const char *restrict path, char *restrict found), (path, found))
HOOK(ssize_t, readlink, -1, (const char *restrict path, char *restrict bytes, size_t count),
     (path, bytes, count))
HOOK(char *, getcwd, NULL, (char *bytes, size_t count), (bytes, count))
HOOK(int, statfs, -1, (const char *path, struct statfs *found), (path, found))
HOOK(int, dup, -1, (int file), (file))
HOOK(int, poll, -1, (struct pollfd *files, nfds_t count, int wait), (files, count, wait))
HOOK(int, pipe2, -1, (int *ends, int flags), (ends, flags))
HOOK(pid_t, waitpid, -1, (pid_t process, int *status, int options), (process, status, options))
HOOK(int, inotify_init1, -1, (int flags), (flags))
HOOK(int, inotify_add_watch, -1, (int watch, const char *path, uint32_t mask),
     (watch, path, mask))

// A file is closed even if `close` fails.
int close(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
  enum action action = decide(kind_close, CALLER);
  int value = real(file);
  if (action == action_after || action == action_within) die();
  if (action == action_fail) {
    errno = planned_error;
    return -1;
  }
  return value;
}

// It returns its error instead of setting errno.
int posix_spawnp(pid_t *restrict process, const char *restrict program,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const *restrict words,
                 char *const *restrict environment) {
  static int (*real)(pid_t *restrict, const char *restrict, const posix_spawn_file_actions_t *,
                     const posix_spawnattr_t *restrict, char *const *restrict,
                     char *const *restrict);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "posix_spawnp");
  enum action action = decide(kind_posix_spawnp, CALLER);
  if (action == action_fail) return planned_error;
  int value = real(process, program, actions, attributes, words, environment);
  if (action == action_after || action == action_within) die();
  return value;
}

int open(const char *path, int flags, ...) {
  static int (*real)(const char *, int, ...);
  if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  mode_t mode = 0;
  if (flags & (O_CREAT | __O_TMPFILE)) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  enum action action = decide(kind_open, CALLER);
  if (action == action_fail) {
    errno = planned_error;
    return -1;
  }
  int value = real(path, flags, mode);
  if (action == action_after || action == action_within) die();
  return value;
}

int fcntl(int file, int command, ...) {
  static int (*real)(int, int, ...);
  if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
  va_list more;
  va_start(more, command);
  long argument = va_arg(more, long);
  va_end(more);
  enum action action = decide(kind_fcntl, CALLER);
  if (action == action_fail) {
    errno = planned_error;
    return -1;
  }
  int value = real(file, command, argument);
  if (action == action_after || action == action_within) die();
  return value;
}
