#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CEventLogCrasher.h"

#include "CEventLogCrashReports.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Addresses in memory, so that no compiler recognizes the crashes and removes them.
static volatile int *volatile nowhere;
static volatile int zero;

__attribute__((noinline)) int crasher_null(void) { return *nowhere + 1; }

__attribute__((noinline)) void crasher_abort(void) { abort(); }

__attribute__((noinline)) void crasher_break(void) { raise(SIGTRAP); }

__attribute__((noinline)) void crasher_send(void) { kill(getpid(), SIGSEGV); }

__attribute__((noinline)) int crasher_overflow(int depth) {
  volatile char room[512];
  memset((char *)room, depth, sizeof room);
  if (depth == INT32_MAX) return 0;
  return crasher_overflow(depth + 1) + room[depth & 511];
}

__attribute__((noinline)) int crasher_divide(int divisor) {
  volatile int dividend = 7;
#if defined(__x86_64__)
  return dividend / (divisor + zero);
#else
  // Other processors return 0.
  raise(SIGFPE);
  return dividend + divisor;
#endif
}

__attribute__((noinline)) void crasher_illegal(void) {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile(".inst 0x00000000");
#endif
}

__attribute__((noinline)) void crasher_jump(void) {
  void (*volatile call)(void) = (void (*)(void))(uintptr_t)nowhere;
  call();
  zero = 0;
}

__attribute__((noinline)) int crasher_bus(const char *path) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0) return errno;
  volatile char *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED || ftruncate(file, 0) != 0) return errno;
  return bytes[100];
}

static void crash_in_handler(int number) {
  (void)number;
  crasher_null();
}

__attribute__((noinline)) void crasher_handler(void) {
  // The starting process may have blocked it.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(SIGUSR1, crash_in_handler);
  raise(SIGUSR1);
}

struct work {
  void (*prepare)(void);
  int overflows;
};

static void *crash_on_thread(void *context) {
  struct work *work = context;
  if (work->prepare) work->prepare();
  if (work->overflows) crasher_overflow(0);
  else crasher_null();
  return NULL;
}

void crasher_thread(void (*prepare)(void), int overflows) {
  struct work work = {prepare, overflows};
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash_on_thread, &work) == 0) pthread_join(thread, NULL);
}

enum { THREAD_COUNT = 4 };
static atomic_int ready_count;

static void *crash_together(void *context) {
  (void)context;
  atomic_fetch_add(&ready_count, 1);
  while (atomic_load(&ready_count) < THREAD_COUNT) sched_yield();
  crasher_null();
  return NULL;
}

void crasher_threads(void) {
  pthread_t threads[THREAD_COUNT];
  for (int index = 0; index < THREAD_COUNT; index++) {
    if (pthread_create(&threads[index], NULL, crash_together, NULL) != 0) abort();
  }
  for (int index = 0; index < THREAD_COUNT; index++) pthread_join(threads[index], NULL);
}

int crasher_child(void) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    crasher_null();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int crasher_limit_memory(void) {
  struct rlimit limit = {1 << 20, 1 << 20};
  return setrlimit(RLIMIT_AS, &limit);
}

static void fail(void) { crasher_null(); }

void crasher_fail_handler(void) { eventlog_crash_interruption = fail; }

static void end(void) { kill(getpid(), SIGKILL); }

void crasher_kill_handler(void) { eventlog_crash_interruption = end; }

// MARK: - Handlers that recover

static void *volatile guarded;
static sigjmp_buf escape;

static void unguard(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (info->si_addr == guarded) mprotect(guarded, (size_t)sysconf(_SC_PAGESIZE), PROT_READ);
  else signal(SIGSEGV, SIG_DFL);
}

static volatile int has_jumped;

static void jump_out(int number) {
  if (!has_jumped++) siglongjmp(escape, 1);
  signal(number, SIG_DFL);
}

int crasher_install_recovery(int jumps) {
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = unguard;
  if (jumps) action = (struct sigaction){.sa_handler = jump_out};
  sigemptyset(&action.sa_mask);
  guarded = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
  return guarded == MAP_FAILED ? errno : sigaction(SIGSEGV, &action, NULL);
}

__attribute__((noinline)) int crasher_recover(void) {
  mprotect(guarded, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
  return *(volatile char *)guarded;
}

int crasher_jump_out(void) {
  if (sigsetjmp(escape, 1)) return 1;
  return crasher_null();
}

static void *recover_often(void *context) {
  (void)context;
  // The threads share a page, so some of these read without a fault.
  for (int round = 0; round < 50; round++) crasher_recover();
  return NULL;
}

void crasher_recover_on_threads(void) {
  pthread_t threads[4];
  for (int index = 0; index < 4; index++) {
    if (pthread_create(&threads[index], NULL, recover_often, NULL) != 0) abort();
  }
  for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
}

static void leave_to_default(int number) { signal(number, SIG_DFL); }

int crasher_install_return(void) {
  struct sigaction action = {.sa_handler = leave_to_default};
  sigemptyset(&action.sa_mask);
  return sigaction(SIGTRAP, &action, NULL);
}

void crasher_pass_breakpoint(void) {
#if defined(__x86_64__)
  __asm__ volatile("int3");
#else
  raise(SIGTRAP);
#endif
}

void crasher_ignore(void) { signal(SIGSEGV, SIG_IGN); }

int crasher_reuse_files(const char *path) {
  for (int file = 3; file < 64; file++) close(file);
  for (int file = 3; file < 64; file++) {
    if (open(path, O_RDWR | O_CREAT, 0600) < 0) return errno;
  }
  return 0;
}

// Returns the descriptor of the session's file, or -1.
static int recorder_file(void) {
  for (int file = 3; file < 64; file++) {
    char magic[4];
    if (pread(file, magic, sizeof magic, 0) == 4 && memcmp(magic, "EvC1", 4) == 0) return file;
  }
  return -1;
}

int crasher_reuse_node(void) {
  static const char text[] = "another file";
  int file = recorder_file();
  if (file < 0 || ftruncate(file, 0) != 0) return -1;
  return pwrite(file, text, sizeof text - 1, 0) == (ssize_t)sizeof text - 1 ? 0 : errno;
}

static void leave_crumb(int number) {
  eventlog_crash_leave(0);
  signal(number, SIG_DFL);
}

int crasher_install_crumb(void) {
  struct sigaction action = {.sa_handler = leave_crumb};
  sigemptyset(&action.sa_mask);
  return sigaction(SIGSEGV, &action, NULL);
}

static void *jump_out_once(void *context) {
  (void)context;
  crasher_jump_out();
  return NULL;
}

void crasher_jump_out_of_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, jump_out_once, NULL) != 0) abort();
  pthread_join(thread, NULL);
}
