// Runs a program on files, and waits for it and for all that it has started.

#ifndef CEVENTLOGTORTURE_H
#define CEVENTLOGTORTURE_H

struct torture_ending {
  int code;       // the exit code, -1 if a signal ended it
  int signal;     // the signal that ended it, else 0
  int timed_out;  // whether it was still running after the time it had, and was killed
  int strays;     // how many processes that it had started outlived it for more than that time
};

// Starts `words[0]` in `folder`, its streams joined to files; sends it `kill_signal` after
// `kill_microseconds` unless that is negative. What it has started may outlive it for
// `stray_milliseconds`. Returns an error number, 0 if it could be started.
int torture_run(const char *const words[], const char *const environment[], const char *folder,
                const char *input, const char *output, const char *errors, int milliseconds,
                int stray_milliseconds, int kill_signal, long kill_microseconds,
                struct torture_ending *ending);

#endif
