// Each peer computes from a journal: the number of events, the number of fields (an entity with a
// name in data), the sum of all whole numbers written last, and the sum of all increments. The last
// line of the file wins: there are no histories, no conflicts, and no checks except for JSON.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t hash;
  char *key;
  uint32_t length;
  int64_t value;
} Field;

typedef struct {
  Field *fields;
  uint64_t mask, count, events;
  int64_t increments;
} Fold;

static uint64_t fold_hash(uint64_t state, const char *bytes, size_t count) {
  uint64_t word;
  for (; count >= 8; bytes += 8, count -= 8) {
    memcpy(&word, bytes, 8);
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
    state ^= state >> 32;
  }
  word = 0;
  memcpy(&word, bytes, count);
  state = (state ^ word ^ (uint64_t)count << 56) * 0x9E3779B97F4A7C15u;
  return state ^ state >> 29;
}

static Fold fold_new(void) {
  Fold fold = {NULL, (1 << 17) - 1, 0, 0, 0};
  fold.fields = (Field *)calloc(fold.mask + 1, sizeof(Field));
  return fold;
}

static void fold_grow(Fold *fold) {
  Field *old = fold->fields;
  uint64_t count = fold->mask + 1;
  fold->mask = count * 2 - 1;
  fold->fields = (Field *)calloc(count * 2, sizeof(Field));
  for (uint64_t index = 0; index < count; index++) {
    if (!old[index].key) continue;
    uint64_t place = old[index].hash & fold->mask;
    while (fold->fields[place].key) place = (place + 1) & fold->mask;
    fold->fields[place] = old[index];
  }
  free(old);
}

// Writes a field: `value` is 0 if it isn't a whole number.
static void fold_write(Fold *fold, const char *entity, size_t entity_length, const char *name,
                       size_t name_length, int64_t value) {
  uint64_t hash = fold_hash(fold_hash(7, entity, entity_length), name, name_length);
  uint64_t place = hash & fold->mask;
  for (; fold->fields[place].key; place = (place + 1) & fold->mask) {
    Field *field = &fold->fields[place];
    if (field->hash == hash && field->length == entity_length + name_length &&
        !memcmp(field->key, entity, entity_length) &&
        !memcmp(field->key + entity_length, name, name_length)) {
      field->value = value;
      return;
    }
  }
  char *key = (char *)malloc(entity_length + name_length + 1);
  memcpy(key, entity, entity_length);
  memcpy(key + entity_length, name, name_length);
  fold->fields[place] = (Field){hash, key, (uint32_t)(entity_length + name_length), value};
  if (++fold->count * 2 > fold->mask) fold_grow(fold);
}

// Prints the results, which must be the same for all peers.
static void fold_print(const Fold *fold) {
  int64_t sum = 0;
  for (uint64_t index = 0; index <= fold->mask; index++) sum += fold->fields[index].value;
  printf("%llu events, %llu fields, sum %lld, increments %lld\n", (unsigned long long)fold->events,
         (unsigned long long)fold->count, (long long)sum, (long long)fold->increments);
}

// Reads a whole file and appends 64 zeros.
static char *fold_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = (char *)malloc(*length + 64);
  if (fread(bytes, 1, *length, file) != *length) exit(2);
  memset(bytes + *length, 0, 64);
  fclose(file);
  return bytes;
}
