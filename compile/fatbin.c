/* fatbin.c - puts the device's code object into the host's object file.
 *
 * The host pass copies the fat binary, which the device pass has to make first, into a separate
 * section. Nothing else in the object depends on its content. So the host pass gets a stand-in, and
 * the section's bytes are exchanged when both passes have ended: the new bytes are appended to the
 * file, and the section header is changed to point at them. The linker's output is then, byte for
 * byte, the same as for the object of the plain command.
 */
#include "fatbin.h"
#include "core/base/elf.h"
#include "core/base/path.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

struct exchange {
  Elf64_Shdr header; /* the section's new header */
  off_t at;          /* of the header in the object */
  size_t bytes;      /* of the new content */
};

/* False: the section does not hold the stand-in. */
static bool plan_exchange(struct exchange *x, const char *object, size_t size, const char *stand_in,
                          size_t stand_in_size, size_t fatbin_size) {
  struct elf e;
  struct elf_section s;
  size_t index = 0;
  if (!elf_open(&e, object, size, NULL) || e.type != ET_REL || !elf_find(&e, ".hip_fatbin", &index, &s) ||
      !s.data)
    return false;
  /* clang 15 takes it for a string and adds a NUL. */
  size_t extra = s.size - stand_in_size;
  if (s.size < stand_in_size || extra > 1 || memcmp(s.data, stand_in, stand_in_size) != 0 ||
      (extra && s.data[stand_in_size] != 0))
    return false;
  x->at = (off_t)(e.table + index * sizeof x->header);
  memcpy(&x->header, object + x->at, sizeof x->header);
  uint64_t align = x->header.sh_addralign ? x->header.sh_addralign : 1;
  x->header.sh_offset = (size + align - 1) / align * align;
  x->bytes = fatbin_size + extra;
  x->header.sh_size = x->bytes;
  return true;
}

/* Has OBJECT no fat binary? clang puts none into a unit without device code, and what it makes is
 * whole as it is. */
static bool has_none(const char *object, size_t size, const char *stand_in, size_t stand_in_size) {
  struct elf e;
  struct elf_section s;
  size_t index = 0;
  return elf_open(&e, object, size, NULL) && e.type == ET_REL && !elf_find(&e, ".hip_fatbin", &index, &s) &&
         !memmem(object, size, stand_in, stand_in_size);
}

bool fatbin_replace(const char *object, const char *stand_in, const char *fatbin) {
  size_t size = 0, stand_in_size = 0, fatbin_size = 0;
  autofree char *bytes = file_read(object, &size), *old = file_read(stand_in, &stand_in_size),
                *new = file_read(fatbin, &fatbin_size);
  struct exchange x;
  bool done =
      bytes && old && new &&fatbin_size &&plan_exchange(&x, bytes, size, old, stand_in_size, fatbin_size);
  if (!done) {
    done = bytes && old && stand_in_size && has_none(bytes, size, old, stand_in_size);
  } else {
    int fd = open(object, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    done = fd >= 0 &&
           file_write_at(fd, new, x.bytes, (off_t)x.header.sh_offset) /* Read with a NUL after it. */ &&
           file_write_at(fd, &x.header, sizeof x.header, x.at);
    if (fd >= 0 && close(fd))
      done = false;
  }
  return done;
}
