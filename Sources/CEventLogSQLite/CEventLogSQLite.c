#include "CEventLogSQLite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The required parts of SQLite's stable interface, with their numbers from sqlite3.h, so that no
// header of SQLite has to be installed.
enum {
  OK = 0,
  ROW = 100,
  DONE = 101,
  OPEN_READWRITE = 0x2,
  OPEN_MEMORY = 0x80,
  OPEN_NOMUTEX = 0x8000,
  DESERIALIZE_FREEONCLOSE = 1,
  DESERIALIZE_READONLY = 4,
  DBCONFIG_DEFENSIVE = 1010,
  DBCONFIG_TRUSTED_SCHEMA = 1017,
  // A hostile file can contain a view without an end.
  STEPS_PER_CHECK = 1 << 20,
  CHECKS_MAX = 1 << 13,
};

struct eventlog_database {
  void *connection;
  void *statement;
  int checks;
  const char *message;
};

static struct {
  int (*open)(const char *, void **, int, const char *);
  int (*close)(void *);
  const char *(*errmsg)(void *);
  void *(*malloc)(uint64_t);
  int (*deserialize)(void *, const char *, unsigned char *, int64_t, int64_t, unsigned);
  int (*db_config)(void *, int, ...);
  void (*progress_handler)(void *, int, int (*)(void *), void *);
  int (*prepare)(void *, const char *, int, void **, const char **);
  int (*readonly)(void *);
  int (*step)(void *);
  int (*finalize)(void *);
  int (*column_count)(void *);
  const char *(*column_name)(void *, int);
  int (*column_type)(void *, int);
  int64_t (*column_int64)(void *, int);
  double (*column_double)(void *, int);
  const void *(*column_blob)(void *, int);
  int (*column_bytes)(void *, int);
} sqlite;

static const char *unavailable = "SQLite was not found.";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *library, const char *name, void *place) {
  void *symbol = dlsym(library, name);
  memcpy(place, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void load(void) {
  static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib",
                                      "/usr/lib/libsqlite3.dylib"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  if (find(library, "sqlite3_open_v2", &sqlite.open) &&
      find(library, "sqlite3_close_v2", &sqlite.close) &&
      find(library, "sqlite3_errmsg", &sqlite.errmsg) &&
      find(library, "sqlite3_malloc64", &sqlite.malloc) &&
      find(library, "sqlite3_deserialize", &sqlite.deserialize) &&
      find(library, "sqlite3_db_config", &sqlite.db_config) &&
      find(library, "sqlite3_progress_handler", &sqlite.progress_handler) &&
      find(library, "sqlite3_prepare_v2", &sqlite.prepare) &&
      find(library, "sqlite3_stmt_readonly", &sqlite.readonly) &&
      find(library, "sqlite3_step", &sqlite.step) &&
      find(library, "sqlite3_finalize", &sqlite.finalize) &&
      find(library, "sqlite3_column_count", &sqlite.column_count) &&
      find(library, "sqlite3_column_name", &sqlite.column_name) &&
      find(library, "sqlite3_column_type", &sqlite.column_type) &&
      find(library, "sqlite3_column_int64", &sqlite.column_int64) &&
      find(library, "sqlite3_column_double", &sqlite.column_double) &&
      find(library, "sqlite3_column_blob", &sqlite.column_blob) &&
      find(library, "sqlite3_column_bytes", &sqlite.column_bytes))
    unavailable = NULL;
  else
    unavailable = "The installed SQLite is too old.";
}

const char *eventlog_database_unavailable(void) {
  pthread_once(&once, load);
  return unavailable;
}

static int check(void *context) {
  struct eventlog_database *database = context;
  return ++database->checks > CHECKS_MAX;
}

struct eventlog_database *eventlog_database_open(const uint8_t *image, size_t count) {
  if (eventlog_database_unavailable()) return NULL;
  struct eventlog_database *database = calloc(1, sizeof *database);
  if (!database) return NULL;
  int flags = OPEN_READWRITE | OPEN_MEMORY | OPEN_NOMUTEX;
  unsigned char *copy = sqlite.malloc(count ? count : 1);
  if (!copy || sqlite.open(":memory:", &database->connection, flags, NULL) != OK) {
    eventlog_database_close(database);
    return NULL;
  }
  memcpy(copy, image, count);
  // An image in memory has no write-ahead log, whatever its header says.
  if (count > 19 && copy[18] == 2) copy[18] = copy[19] = 1;
  sqlite.db_config(database->connection, DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite.db_config(database->connection, DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite.progress_handler(database->connection, STEPS_PER_CHECK, check, database);
  // SQLite frees the copy, even if this fails.
  if (sqlite.deserialize(database->connection, "main", copy, (int64_t)count, (int64_t)count,
                         DESERIALIZE_FREEONCLOSE | DESERIALIZE_READONLY) != OK) {
    eventlog_database_close(database);
    return NULL;
  }
  return database;
}

static int failed(struct eventlog_database *database) {
  database->message = database->checks > CHECKS_MAX ? "the query takes too long"
                                                     : sqlite.errmsg(database->connection);
  return -1;
}

static int refuse(struct eventlog_database *database, const char *reason) {
  database->message = reason;
  return -1;
}

int eventlog_database_query(struct eventlog_database *database, const char *text) {
  if (database->statement) sqlite.finalize(database->statement);
  database->statement = NULL;
  database->checks = 0;
  const char *rest = "";
  if (sqlite.prepare(database->connection, text, -1, &database->statement, &rest) != OK)
    return failed(database);
  if (!database->statement) return refuse(database, "the query is empty");
  if (rest[strspn(rest, " \t\r\n;")]) return refuse(database, "there is more than one statement");
  if (!sqlite.readonly(database->statement) || sqlite.column_count(database->statement) == 0)
    return refuse(database, "the statement doesn't only read");
  return 0;
}

int eventlog_database_next(struct eventlog_database *database) {
  int result = sqlite.step(database->statement);
  return result == ROW ? 1 : result == DONE ? 0 : failed(database);
}

int eventlog_database_column_count(struct eventlog_database *database) {
  return sqlite.column_count(database->statement);
}

const char *eventlog_database_column_name(struct eventlog_database *database, int column) {
  const char *name = sqlite.column_name(database->statement, column);
  return name ? name : "";
}

int eventlog_database_type(struct eventlog_database *database, int column) {
  return sqlite.column_type(database->statement, column);
}

int64_t eventlog_database_integer(struct eventlog_database *database, int column) {
  return sqlite.column_int64(database->statement, column);
}

double eventlog_database_real(struct eventlog_database *database, int column) {
  return sqlite.column_double(database->statement, column);
}

const uint8_t *eventlog_database_bytes(struct eventlog_database *database, int column,
                                       size_t *count) {
  const uint8_t *bytes = sqlite.column_blob(database->statement, column);
  *count = bytes ? (size_t)sqlite.column_bytes(database->statement, column) : 0;
  return bytes;
}

const char *eventlog_database_message(struct eventlog_database *database) {
  return database->message ? database->message : "";
}

void eventlog_database_close(struct eventlog_database *database) {
  if (database->statement) sqlite.finalize(database->statement);
  if (database->connection) sqlite.close(database->connection);
  free(database);
}
