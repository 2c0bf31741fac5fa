// yyjson_fold FILE: the fold of fold.h, with yyjson as the reader of each line.
#include "fold.h"
#include "yyjson.h"

int main(int count, char **arguments) {
  if (count < 2) return 2;
  size_t length;
  char *bytes = fold_file(arguments[1], &length);
  Fold fold = fold_new();
  size_t size = yyjson_read_max_memory_usage(1 << 20, 0);
  char *memory = malloc(size);
  for (char *line = bytes, *end; line < bytes + length; line = end + 1) {
    end = memchr(line, '\n', (size_t)(bytes + length - line));
    if (!end) end = bytes + length;
    yyjson_alc allocator;
    yyjson_alc_pool_init(&allocator, memory, size);
    yyjson_doc *document = yyjson_read_opts(line, (size_t)(end - line), 0, &allocator, NULL);
    if (!document) return 1;
    yyjson_val *root = yyjson_doc_get_root(document), *name, *value;
    yyjson_val *entity = yyjson_obj_get(root, "entity");
    const char *key = entity ? yyjson_get_str(entity) : "";
    size_t key_length = entity ? yyjson_get_len(entity) : 0;
    yyjson_obj_iter members;
    yyjson_obj_iter_init(yyjson_obj_get(root, "data"), &members);
    while ((name = yyjson_obj_iter_next(&members))) {
      value = yyjson_obj_iter_get_val(name);
      int64_t number = yyjson_is_int(value) ? yyjson_get_sint(value) : 0;
      if (yyjson_equals_str(name, "by")) fold.increments += number;
      fold_write(&fold, key, key_length, yyjson_get_str(name), yyjson_get_len(name), number);
    }
    fold.events++;
  }
  fold_print(&fold);
}
