// simdjson_fold FILE: the fold of fold.h, with simdjson's stream of documents as the reader.
#include "fold.h"
#include "simdjson.h"

using namespace simdjson;

int main(int count, char **arguments) {
  if (count < 2) return 2;
  auto json = padded_string::load(arguments[1]);
  if (json.error()) return 2;
  Fold fold = fold_new();
  ondemand::parser parser;
  // The batch must hold the longest line.
  ondemand::document_stream stream = parser.iterate_many(json.value(), 1 << 20);
  for (auto document : stream) {
    std::string_view entity;
    for (auto member : document.get_object()) {
      std::string_view name = member.unescaped_key();
      if (name == "entity") {
        entity = member.value();
      } else if (name == "data") {
        for (auto part : member.value().get_object()) {
          std::string_view field = part.unescaped_key();
          ondemand::value value = part.value();
          int64_t number = 0;
          if (value.type() == ondemand::json_type::number) {
            if (value.get_int64().get(number)) number = 0;
          } else if (value.type() == ondemand::json_type::string) {
            // Unescaped, as the other peers do.
            std::string_view text = value.get_string();
            (void)text;
          }
          if (field == "by") fold.increments += number;
          fold_write(&fold, entity.data(), entity.size(), field.data(), field.size(), number);
        }
      }
    }
    fold.events++;
  }
  fold_print(&fold);
}
