// The loaded images, with the identifiers that their linker gave them.

#include "Recorder.h"

#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#else
#include <elf.h>
#include <link.h>
#endif

_Atomic(const struct image_list *) crash_images;

int crash_is_code(uint64_t address) {
  const struct image_list *list = atomic_load(&crash_images);
  if (!list) return 0;
  int low = 0, high = list->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const struct image *image = &list->images[middle];
    if (address < image->text) high = middle;
    else if (address - image->text >= image->text_bytes) low = middle + 1;
    else return 1;
  }
  return 0;
}

static int by_text(const void *one, const void *other) {
  uint64_t left = ((const struct image *)one)->text, right = ((const struct image *)other)->text;
  return left < right ? -1 : left > right;
}

#ifdef __APPLE__

static void add(struct image_list *list, const struct mach_header *header, intptr_t slide) {
  if (list->count == IMAGES_MAX) return;
#ifdef __LP64__
  const uint8_t *command = (const uint8_t *)header + sizeof(struct mach_header_64);
#else
  const uint8_t *command = (const uint8_t *)header + sizeof(struct mach_header);
#endif
  struct image image = {.base = (uint64_t)(uintptr_t)header};
  for (uint32_t index = 0; index < header->ncmds; index++) {
    const struct load_command *load = (const struct load_command *)command;
    if (load->cmd == LC_UUID) {
      image.id_kind = 1, image.id_length = 16;
      memcpy(image.id, ((const struct uuid_command *)command)->uuid, 16);
    } else if (load->cmd == LC_SEGMENT_64) {
      const struct segment_command_64 *segment = (const struct segment_command_64 *)command;
      if (strcmp(segment->segname, SEG_TEXT) == 0) {
        image.text = segment->vmaddr + (uint64_t)slide;
        image.text_bytes = segment->vmsize;
      }
    } else if (load->cmd == LC_SEGMENT) {
      const struct segment_command *segment = (const struct segment_command *)command;
      if (strcmp(segment->segname, SEG_TEXT) == 0) {
        image.text = segment->vmaddr + (uint64_t)slide;
        image.text_bytes = segment->vmsize;
      }
    }
    command += load->cmdsize;
  }
  if (image.text_bytes) list->images[list->count++] = image;
}

void crash_read_images(struct image_list *list) {
  list->count = 0;
  for (uint32_t index = 0; index < _dyld_image_count(); index++) {
    const struct mach_header *header = _dyld_get_image_header(index);
    if (header) add(list, header, _dyld_get_image_vmaddr_slide(index));
  }
  qsort(list->images, (size_t)list->count, sizeof(struct image), by_text);
}

uint64_t crash_image_changes(void) { return _dyld_image_count(); }

#else

// Finds the build ID among the notes of a segment.
static void read_notes(struct image *image, const uint8_t *notes, size_t size, size_t alignment) {
  if (alignment < 4) alignment = 4;
  size_t offset = 0;
  while (offset + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + offset, sizeof note);
    size_t name = offset + sizeof note;
    size_t content = name + (note.n_namesz + alignment - 1) / alignment * alignment;
    size_t next = content + (note.n_descsz + alignment - 1) / alignment * alignment;
    if (content < name || next < content || content + note.n_descsz > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz > 0) {
      image->id_kind = 1;
      image->id_length = note.n_descsz < EVENTLOG_CRASH_IMAGE_ID_BYTES
                             ? (uint8_t)note.n_descsz
                             : EVENTLOG_CRASH_IMAGE_ID_BYTES;
      memcpy(image->id, notes + content, image->id_length);
      return;
    }
    offset = next;
  }
}

static int add(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct image_list *list = context;
  if (list->count == IMAGES_MAX) return 1;
  struct image image = {.base = info->dlpi_addr};
  uint64_t end = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uint64_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_NOTE && image.id_length == 0) {
      read_notes(&image, (const uint8_t *)(uintptr_t)start, header->p_memsz, header->p_align);
    }
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (image.text == 0 || start < image.text) image.text = start;
    if (start + header->p_memsz > end) end = start + header->p_memsz;
  }
  if (end <= image.text) return 0;
  image.text_bytes = end - image.text;
  list->images[list->count++] = image;
  return 0;
}

void crash_read_images(struct image_list *list) {
  list->count = 0;
  dl_iterate_phdr(add, list);
  qsort(list->images, (size_t)list->count, sizeof(struct image), by_text);
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  *(uint64_t *)context = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

uint64_t crash_image_changes(void) {
  uint64_t changes = 0;
  dl_iterate_phdr(count_changes, &changes);
  return changes;
}

#endif
