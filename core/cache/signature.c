#include "signature.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/base/vec.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "ckjitSG1"
#define DOMAIN "ckjit entry 1\n"
#define SECRET "ckjit-secret-key 1 "
#define PUBLIC "ckjit-public-key 1 "
enum { KEY_ID = 8, KEYS_MOST = 1 << 20, HASH = crypto_generichash_BYTES_MAX };

/* The block before the seal. */
struct block {
  char magic[8];
  unsigned char key[KEY_ID]; /* first bytes of the public key */
  unsigned char signature[crypto_sign_BYTES];
};

static bool begin(char **err) {
  return sodium_init() >= 0 || err_fail(err, "libsodium cannot be initialised");
}

/* ---- keys ---- */

/* The bytes of the key in LINE, which begins with START. */
static bool parse(unsigned char *key, size_t n, const char *line, const char *start) {
  size_t len, skip = strlen(start);
  const char *end;
  if (strncmp(line, start, skip) != 0 ||
      sodium_hex2bin(key, n, line + skip, strcspn(line + skip, " \n"), NULL, &len, &end) ||
      end != line + skip + strcspn(line + skip, " \n"))
    return false;
  return len == n;
}

static bool write_key(const char *file, const char *start, const unsigned char *key, size_t n,
                      mode_t mode, char **err) {
  char hex[2 * crypto_sign_SECRETKEYBYTES + 1];
  sodium_bin2hex(hex, sizeof hex, key, n);
  autofree char *line = xasprintf("%s%s\n", start, hex);
  int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode), error = errno;
  bool done = fd >= 0 && !(error = ckjit_write_file(fd, line, strlen(line))) && fsync(fd) == 0;
  if (fd >= 0)
    close(fd);
  if (fd >= 0 && !done)
    unlink(file);
  sodium_memzero(line, strlen(line));
  sodium_memzero(hex, sizeof hex);
  return done || err_fail(err, "%s cannot be made: %s", file, strerror(error));
}

bool signature_keygen(const char *file, char **err) {
  unsigned char public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
  if (!begin(err))
    return false;
  crypto_sign_keypair(public, secret);
  autofree char *beside = xasprintf("%s.pub", file);
  bool done = write_key(beside, PUBLIC, public, sizeof public, 0644, err);
  if (done && !write_key(file, SECRET, secret, sizeof secret, 0600, err)) {
    unlink(beside);
    done = false;
  }
  sodium_memzero(secret, sizeof secret);
  return done;
}

/* Is TEXT the one line of a secret key? Its second half is the public key of the first: signatures
 * by halves of two keys are wrong, and tell the secret. */
static bool parse_secret(unsigned char key[crypto_sign_SECRETKEYBYTES], const char *text) {
  unsigned char public[crypto_sign_PUBLICKEYBYTES], whole[crypto_sign_SECRETKEYBYTES];
  const char *newline = strchr(text, '\n');
  bool good = parse(key, crypto_sign_SECRETKEYBYTES, text, SECRET) && (!newline || !newline[1]);
  if (good) {
    crypto_sign_seed_keypair(public, whole, key);
    good = sodium_memcmp(whole, key, sizeof whole) == 0;
    sodium_memzero(whole, sizeof whole);
  }
  return good;
}

static bool read_secret(unsigned char key[crypto_sign_SECRETKEYBYTES], const char *file,
                        char **err) {
  struct stat st;
  size_t len;
  int fd = ckjit_open_named(file, O_RDONLY, 0, KEYS_MOST, &st);
  if (fd < 0)
    return err_fail(err, "%s: %s", file, ckjit_open_failed(errno));
  close(fd);
  if (st.st_mode & 077)
    return err_fail(err,
                    "%s: it is a secret key, and others can read it (mode %04o); chmod "
                    "600 it, and make a new one if they have",
                    file, (unsigned)st.st_mode & 07777);
  autofree char *text = file_read(file, &len);
  bool good = text && parse_secret(key, text);
  if (text)
    sodium_memzero(text, len);
  return good || err_fail(err, "%s: expected a secret key that `ckjit keygen` made", file);
}

/* Add the keys of TEXT, one a line, of FILE. */
static bool add_keys(struct signature_keys *keys, const char *text, const char *file, char **err) {
  unsigned number = 1;
  for (const char *at = text; *at; number++) {
    size_t n = strcspn(at, "\n");
    if (n && *at != '#') {
      unsigned char key[crypto_sign_PUBLICKEYBYTES];
      if (!parse(key, sizeof key, at, PUBLIC) || memmem(at + 1, n - 1, PUBLIC, strlen(PUBLIC)))
        return err_fail(err,
                        "%s:%u: expected a public key that `ckjit keygen` made, one a "
                        "line, or a comment that begins with #",
                        file, number);
      keys->list = xrealloc(keys->list, (keys->n + 1) * sizeof *keys->list);
      memcpy(keys->list[keys->n++], key, sizeof key);
    }
    at += n + (at[n] != 0);
  }
  return keys->n || err_fail(err, "%s: it has no public key", file);
}

bool signature_trusted(struct signature_keys *keys, char **err) {
  const char *file = env_get("CK_JIT_TRUST_KEYS");
  *keys = (struct signature_keys){0};
  if (!file)
    return true;
  if (!begin(err))
    return false;
  autofree char *path = path_abs(file), *why = trust_why(path);
  size_t len;
  autofree char *text = why ? NULL : file_read_text(path, &len);
  if (text && strlen(text) != len)
    return err_fail(err, "%s: it has a byte 0, so it is no list of keys", file);
  if (text)
    return add_keys(keys, text, file, err);
  return why ? err_fail(err, "CK_JIT_TRUST_KEYS: %s", why)
             : err_fail(err, "CK_JIT_TRUST_KEYS: %s: %s", file, ckjit_open_failed(errno));
}

void signature_keys_free(struct signature_keys *keys) {
  free(keys->list);
  *keys = (struct signature_keys){0};
}

/* ---- signatures ---- */

/* What is signed for an ELF file of SIZE bytes in FD. */
static bool hash_of(unsigned char hash[sizeof DOMAIN - 1 + HASH], int fd, uint64_t size) {
  enum { CHUNK = 1 << 16 };
  crypto_generichash_state h;
  autofree unsigned char *bytes = xmalloc(CHUNK);
  bool read = true;
  crypto_generichash_init(&h, NULL, 0, HASH);
  for (uint64_t at = 0, n; at < size && read; at += n) {
    n = size - at < CHUNK ? size - at : CHUNK;
    read = ckjit_pread_all(fd, bytes, n, at);
    if (read)
      crypto_generichash_update(&h, bytes, n);
  }
  memcpy(hash, DOMAIN, sizeof DOMAIN - 1);
  crypto_generichash_final(&h, hash + sizeof DOMAIN - 1, HASH);
  return read;
}

/* The size of the ELF file in FD, an entry, and its signature. False: it has none. */
static bool read_block(int fd, struct block *b, uint64_t *elf) {
  struct stat st;
  const uint64_t behind = sizeof(struct ckjit_seal);
  *elf = fstat(fd, &st) == 0 && (uint64_t)st.st_size > behind ? (uint64_t)st.st_size - behind : 0;
  if (*elf < sizeof *b || !ckjit_pread_all(fd, b, sizeof *b, *elf - sizeof *b) ||
      memcmp(b->magic, MAGIC, sizeof b->magic) != 0)
    return false;
  *elf -= sizeof *b;
  return true;
}

const char *signature_why(int fd, const struct signature_keys *keys) {
  struct block b;
  uint64_t elf;
  unsigned char hash[sizeof DOMAIN - 1 + HASH];
  const unsigned char *key = NULL;
  if (!read_block(fd, &b, &elf))
    return "is not signed";
  for (size_t i = 0; i < keys->n && !key; i++)
    if (memcmp(keys->list[i], b.key, KEY_ID) == 0)
      key = keys->list[i];
  if (!key)
    return "is signed by a key that CK_JIT_TRUST_KEYS does not have";
  if (!hash_of(hash, fd, elf) || crypto_sign_verify_detached(b.signature, hash, sizeof hash, key))
    return "has a wrong signature";
  return NULL;
}

/* Copy SIZE bytes of FROM into TO. 0 or an errno. */
static int copy(int to, int from, uint64_t size) {
  enum { CHUNK = 1 << 16 };
  autofree char *bytes = xmalloc(CHUNK);
  int error = 0;
  for (uint64_t at = 0, n; at < size && !error; at += n) {
    n = size - at < CHUNK ? size - at : CHUNK;
    errno = EIO;
    error = ckjit_pread_all(from, bytes, n, at) ? ckjit_write_file(to, bytes, n) : errno;
  }
  return error;
}

/* Write the ELF file of SIZE bytes in FROM to TO, then its signature by KEY, and the seal. */
static int write_signed(int to, int from, uint64_t size, const unsigned char *key) {
  struct block b = {.magic = MAGIC};
  struct ckjit_seal seal = {.magic = CKJIT_SEAL_MAGIC, .size = size + sizeof b};
  unsigned char hash[sizeof DOMAIN - 1 + HASH];
  memcpy(b.key, key + crypto_sign_SEEDBYTES, KEY_ID); /* the public key follows the seed */
  int error = copy(to, from, size);
  errno = EIO;
  if (!error && !hash_of(hash, to, size))
    error = errno;
  crypto_sign_detached(b.signature, NULL, hash, sizeof hash, key);
  if (!error)
    error = ckjit_write_file(to, &b, sizeof b);
  if (!error && !ckjit_xxh64(to, seal.size, &seal.hash))
    error = EIO;
  if (!error)
    error = ckjit_write_file(to, &seal, sizeof seal);
  return error || fsync(to) == 0 ? error : errno;
}

bool signature_add(const char *file, const char *key, char **err) {
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  struct block b;
  struct stat st;
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  uint64_t elf;
  if (!begin(err) || !read_secret(secret, key, err))
    return false;
  int from = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st), to = -1, error = errno;
  const char *wrong = from < 0 ? ckjit_open_failed(error) : ckjit_entry_read(from, id, &kind);
  autofree char *dir = path_dir(file), *made = xasprintf("%s/sign.tmp-XXXXXX", dir);
  if (!wrong) {
    read_block(from, &b, &elf);
    to = mkostemp(made, O_CLOEXEC);
    error = to < 0                                                 ? errno
            : (error = write_signed(to, from, elf, secret))        ? error
            : fchmod(to, st.st_mode & 07777) || rename(made, file) ? errno
                                                                   : 0;
  }
  if (to >= 0 && error)
    unlink(made);
  if (to >= 0)
    close(to);
  if (from >= 0)
    close(from);
  sodium_memzero(secret, sizeof secret);
  if (wrong)
    return err_fail(err, "%s%s %s", file, from < 0 ? ":" : "", wrong);
  return !error || err_fail(err, "%s cannot be signed: %s", file, strerror(error));
}
