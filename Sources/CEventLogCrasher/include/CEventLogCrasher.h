// Ways for a process to crash that Swift doesn't allow.

#ifndef CEVENTLOGCRASHER_H
#define CEVENTLOGCRASHER_H

int crasher_null(void);
void crasher_abort(void);
void crasher_break(void);
int crasher_overflow(int depth);
int crasher_divide(int divisor);
void crasher_illegal(void);
void crasher_jump(void);
// Reads a page of a file after its end.
int crasher_bus(const char *path);
// Crashes in a handler of SIGUSR1.
void crasher_handler(void);
// Crashes on another thread, which may overflow its stack, after calling `prepare`.
void crasher_thread(void (*prepare)(void), int overflows);
// Crashes on four threads at once.
void crasher_threads(void);
// Crashes in a child process, and returns the signal that ended it.
int crasher_child(void);
// Lets no more memory be allocated.
int crasher_limit_memory(void);
// Lets the handler of crashes fail with an access to null.
void crasher_fail_handler(void);
// Kills the process in the handler of crashes.
void crasher_kill_handler(void);
// Installs a handler of SIGSEGV that makes a page readable, or that jumps out of the crash.
int crasher_install_recovery(int jumps);
// Reads that page, which isn't readable.
int crasher_recover(void);
// Crashes, and goes on after the jump.
int crasher_jump_out(void);
// Reads the page on four threads, many times.
void crasher_recover_on_threads(void);
// Installs a handler of SIGTRAP that returns, after which the signal has its default action.
int crasher_install_return(void);
// Passes a breakpoint, if a handler returns.
void crasher_pass_breakpoint(void);
// Ignores SIGSEGV.
void crasher_ignore(void);
// Sends SIGSEGV to the process, without a failing instruction.
void crasher_send(void);
// Closes all files, and opens a file as often as there are numbers.
int crasher_reuse_files(const char *path);
// Replaces the bytes of the recorder's file, as if another one had got its descriptor and node.
int crasher_reuse_node(void);
// Installs a handler that leaves a breadcrumb and lets the process end.
int crasher_install_crumb(void);
// Jumps out of a crash in a thread that ends then.
void crasher_jump_out_of_thread(void);

#endif
