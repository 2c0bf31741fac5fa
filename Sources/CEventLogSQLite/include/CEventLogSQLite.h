// Queries of SQLite files with the system's SQLite, which is loaded at first use: nothing is
// linked, and programs that import no such file start as fast as before.
//
// A database is an image in memory that nothing writes to.
#ifndef CEVENTLOG_SQLITE_H
#define CEVENTLOG_SQLITE_H

#include <stddef.h>
#include <stdint.h>

struct eventlog_database;

enum eventlog_database_type {
  EVENTLOG_DATABASE_INTEGER = 1,
  EVENTLOG_DATABASE_REAL = 2,
  EVENTLOG_DATABASE_TEXT = 3,
  EVENTLOG_DATABASE_BLOB = 4,
  EVENTLOG_DATABASE_NULL = 5,
};

// Loads SQLite. Returns NULL, or the reason why it is unavailable.
const char *eventlog_database_unavailable(void);

// Opens a copy of an image. Returns NULL if SQLite is unavailable or memory runs out; a bad image
// fails at its first query.
struct eventlog_database *eventlog_database_open(const uint8_t *image, size_t count);

// Begins a query: one statement that only reads. Returns 0, or -1 with a message.
int eventlog_database_query(struct eventlog_database *database, const char *text);

// Moves to the next row. Returns 1 if there is one, 0 at the end, or -1 with a message.
int eventlog_database_next(struct eventlog_database *database);

// The columns of the query, and their values in the row. Bytes are valid until the next row.
int eventlog_database_column_count(struct eventlog_database *database);
const char *eventlog_database_column_name(struct eventlog_database *database, int column);
int eventlog_database_type(struct eventlog_database *database, int column);
int64_t eventlog_database_integer(struct eventlog_database *database, int column);
double eventlog_database_real(struct eventlog_database *database, int column);
const uint8_t *eventlog_database_bytes(struct eventlog_database *database, int column,
                                       size_t *count);

// The reason of the last failure.
const char *eventlog_database_message(struct eventlog_database *database);

void eventlog_database_close(struct eventlog_database *database);

#endif
