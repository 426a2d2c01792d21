/* stubobj.h - the placeholder for a blob's object: an empty ELF relocatable with its compile
 * record.
 *
 * So the link step knows exactly which blobs belong to this library, whatever the library is called
 * and however the objects get there: by name, in an archive, or through `ld -r`. docs/formats.md,
 * "The stub object", describes the format. Thread safety: everything here may be called from any
 * thread.
 */
#ifndef CKJIT_STUBOBJ_H
#define CKJIT_STUBOBJ_H

#include "abi/ck_jit_machine.h"
#include "core/base/base.h"

#define STUB_SECTION ".ckjit.record"
/* The section that refers to STUB_SYMBOL, which no stub defines. */
#define STUB_GUARD ".ckjit.unlinked"
#define STUB_SYMBOL "recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home"

/* Write a stub of MACHINE with LINES (record lines, each with its newline, LEN bytes in all) to
 * OUT_PATH. An existing regular file is replaced, not written through: a compiler's output may be a
 * hard link into a compiler cache. A symbolic link is left alone, with errno ELOOP. False with
 * errno, and nothing is left at OUT_PATH. */
bool stub_write(const char *out_path, const struct ckjit_machine *machine, const char *lines,
                size_t len);

/* Write an object to OUT_PATH that defines STUB_SYMBOL, for a link in which stubs remain among the
 * inputs: in an archive, beside code. False as above. */
bool stub_write_allowed(const char *out_path, const struct ckjit_machine *machine);

/* Called for each record line, LEN bytes without the newline, valid during the call. MEMBER is its
 * archive member, NULL outside archives. Return false to end the search. */
typedef bool stub_line(const char *line, size_t len, const char *member, void *user);

/* Find all record lines of PATH: an object, an archive, or a thin archive (its members are read as
 * files). Other types of files, recognised by their first bytes, have none. True if the file could
 * be read and is intact. False with *ERR (free() it) naming the file, after the lines before the
 * damage have been reported. */
bool stub_records_file(const char *path, stub_line *each, void *user, char **err);

/* The same for an object in memory, N BYTES. False: it is damaged. */
bool stub_records_bytes(const void *bytes, size_t n, stub_line *each, void *user);

/* The same for all sections called SECTION: SIZE bytes at DATA of the object E. */
struct elf;
typedef bool stub_section(const struct elf *e, const unsigned char *data, size_t size,
                          const char *member, void *user);
bool stub_sections_file(const char *path, const char *section, stub_section *each, void *user,
                        char **err);

/* The machine of PATH; NULL: it is not an object, or of a machine that ckjit does not know. */
const struct ckjit_machine *stub_machine(const char *path);

/* Does PATH contain a record line? False also if it cannot be read or is damaged: then it is not a
 * stub, and the linker will report the damage. */
bool stub_in_file(const char *path);

#endif
