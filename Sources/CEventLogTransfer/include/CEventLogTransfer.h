// HTTP with libcurl, which is loaded at first use: nothing is linked, and programs without
// transfers start as fast as before.
//
// A transfer is identified by a number, so that any thread can cancel it.
#ifndef CEVENTLOG_TRANSFER_H
#define CEVENTLOG_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

// The limits of an exchange.
struct eventlog_limits {
  // The maximum time without any transfer of bytes, also while connecting. Checked every second.
  long idle_milliseconds;
  long whole_milliseconds;
  size_t head_bytes;
  size_t body_bytes;
};

// Loads libcurl. Returns NULL, or the reason why it is unavailable.
const char *eventlog_transfer_unavailable(void);

// Begins a transfer. Returns its number, or 0 if libcurl is unavailable or memory runs out.
uint64_t eventlog_transfer_open(void);

// Sends a request and waits for the response. `head` contains the headers, each ending with \n.
// `certificates` is the path of trusted certificates, or NULL for those of the system.
// Returns a CURLcode.
int eventlog_transfer_perform(uint64_t transfer, const char *method, const char *url,
                              const char *head, const uint8_t *body, size_t body_count,
                              const char *certificates, struct eventlog_limits limits);

// Cancels a transfer's exchange within a second, from any thread, even before it begins.
void eventlog_transfer_cancel(uint64_t transfer);

// The results of the last exchange. The head is that of the final response.
long eventlog_transfer_status(uint64_t transfer);
size_t eventlog_transfer_head_count(uint64_t transfer);
void eventlog_transfer_copy_head(uint64_t transfer, uint8_t *to);
size_t eventlog_transfer_body_count(uint64_t transfer);
void eventlog_transfer_copy_body(uint64_t transfer, uint8_t *to);
// Whether the response exceeded the limits.
int eventlog_transfer_is_too_long(uint64_t transfer);
// Whether the exchange ended because no bytes were transferred for too long.
int eventlog_transfer_is_silent(uint64_t transfer);
// Copies libcurl's error message: at most 255 bytes, and zeros up to 256.
void eventlog_transfer_copy_message(uint64_t transfer, char *to);

// Ends a transfer. The next one may reuse its connection.
void eventlog_transfer_close(uint64_t transfer);

#endif
