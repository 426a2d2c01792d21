/* link.h - one run of ckjit-link: what is known of the link, and the steps that main() takes one
 * after the other.
 *
 * Each part fills in what the parts after it read, so the members below stand in that order. All
 * errors end the program with a message that names the file; nothing is handed back but by struct
 * link. Not thread-safe: one link a process.
 */
#ifndef CKJIT_LINK_H
#define CKJIT_LINK_H

#include "blob.h"
#include "fragments.h"
#include "lazyunits.h"
#include "linkline.h"
#include "step.h"
#include "tools.h"
#include "units.h"

#include "abi/ck_jit_clock.h"
#include "core/cxx/cxxshared.h"
#include "core/files/home.h"
#include "postbuild/dispatch/dispatch.h"

/* A dispatcher: recorded as one, or a blob that uses the templates of others. */
struct dispatcher {
  const struct record *record;
  /* near: the object with distances in its tables, which is linked; NULL: there is none */
  char *object, *near;
  /* how far its text is rewritten: less if the compiler refuses it */
  enum dispatch_level level;
  struct dispatch_stats stats;
  /* compiled, or to be, by the recorded command from its own source: below all levels */
  bool recorded;
  /* it is not rewritten further, or at all; NULL: nothing kept it from that */
  char *why;
};

/* The device code, of HIP, in the objects and archives of the link that are no stubs. */
struct device_code {
  bool known;  /* They have been read. */
  bool there;  /* There is some. */
  char *why;   /* It keeps blobs and units with -fgpu-rdc from being left (fragments_obstacle). */
  char *needs; /* a file that needs device code of others; NULL: none does */
};

struct link {
  /* main.c: the command line */
  struct home *home;
  /* symbols: "shown" or "changed" if the command is no link; else NULL */
  const char *work, *aot_list, *symbols;
  struct moved moved;   /* from: NULL if it was not */
  struct runner runner; /* of all compile steps */
  struct tools tools;
  struct linkline line;
  char *dir;    /* work/<stem of the output> */
  int lock;     /* of the directory */
  double start; /* ckjit_seconds */

  /* settle.c: what the objects of the link hold, and what becomes of it */
  struct blob *blobs;
  size_t nblobs;
  struct dispatcher *dispatchers;
  size_t ndispatchers;
  struct fragments fragments;
  struct lazy_units lazy;
  struct functions functions; /* that the blobs define */
  /* directories below which names are stored relative (flags_below) */
  struct argv bases;
  /* the sources below them may go when the build ends */
  bool keep;
  bool bundle; /* the library carries them */
  /* files that demand functions of blobs (demand.c) */
  struct argv demanders;
  /* why blobs with -fgpu-rdc are compiled ahead of time; NULL if they are not */
  char *no_rdc;
  /* they are linked into the library as well */
  bool fragments_are_code;
  /* A blob may call a function of another one (needs.c). */
  bool blobs_call_blobs;
  struct device_code device_code;
  /* lines about blobs of --aot-list that stay lazy */
  struct buf stays;
  /* the names of --aot-list, and of each its file and line … */
  struct argv listed, where;
  bool *is_blob; /* … and whether it is a blob's */

  /* ownheaders.c: what the build's own declare */
  struct cxx_shared headers;
  /* one of them may hide something by an attribute, and the names of what it hides; "*" is for more */
  bool hides;
  struct intern hidden;

  /* compile.c, ahead.c */
  struct units units;
  /* sources of blobs that the compiler refused to declare … */
  struct argv refused;
  char *refusal; /* … and why, of the first */
  /* of each record of the link: what is linked in its place; NULL: nothing, or its own object */
  char **objects;
  /* how many of these were compiled ahead of time */
  size_t ahead;
  /* steps that ran, and steps that were fresh */
  size_t compiled, kept;

  /* main.c */
  /* a copy of the sources below the bases that stays; NULL: they stay themselves */
  char *tree;

  /* output.c, runtime.c: what the library is linked of */
  /* STATE_OBJS in the command stands for objs */
  struct argv objs, command;
  char *runtime_obj;
  /* Why it is made as without ckjit (stock.c); NULL: it is not. */
  const char *stock;
  /* its manifest and its state could not hold its names: there are none */
  bool unnamed;
};

/* Are fragments compiled ahead of time, since something needs them now? */
static inline bool link_wants_fragments(const struct link *l) {
  return l->no_rdc || l->fragments_are_code;
}

/* ---- link.c ---- */

/* The record whose compiler is the library's; NULL: none, and it is the home's. */
const struct record *link_first(const struct link *l);
/* The kind of the library's compiler. */
const struct compiler *link_kind(const struct link *l);
/* End the program unless the directory P is the user's own: what a link finds in it, it runs and
 * links in. */
void link_own(const struct link *l, const char *p);
/* Make the directory P, unless it is there, and the same. */
void link_make_own(const struct link *l, const char *p);
/* Wait for the lock of DIR. Returns a descriptor: close it to unlock. */
int link_lock(const char *dir);

/* The machine of the library's objects. Stubs in archives have separate units. */
const struct ckjit_machine *link_machine(const struct link *l);
/* How R is compiled to OBJECT as the build compiles it. */
struct step link_whole_step(const struct record *r, const char *object);
/* The same of a blob that is compiled ahead of time, to where link_compile_ahead finds it fresh. */
struct step link_ahead_step(const struct link *l, const struct blob *b);
/* Run the N STEPS, all of link_whole_step, and free what is in them. One that fails ends the
 * program. */
void link_run_whole(struct link *l, struct step *steps, size_t n);
/* How R, a record of this link, is compiled only for its host's symbols. A second request finds the
 * step fresh. SHOWN: an attribute alone hides a symbol, and not the command. */
struct step link_host_step(const struct link *l, const struct record *r, bool shown);
/* How R is preprocessed for the host, to objs/NAME.i. */
struct step link_text_step(const struct link *l, const struct record *r, const char *name);
/* Count N steps that have run as compiled or as kept. */
void link_count_steps(struct link *l, const struct step *steps, size_t n);
/* Run and count the N STEPS. */
void link_run_steps(struct link *l, struct step *steps, size_t n);
/* D is compiled by its recorded command, whether or not it was before: nothing of it is
 * rewritten. WHY: taken over; NULL leaves what was known. */
void link_record_dispatcher(const struct link *l, struct dispatcher *d, char *why);

/* ---- sources.c ---- */

/* Have each record whose source is gone or changed since its compile name a copy of the text that
 * it had. */
void link_restore_sources(struct link *l);
/* Warn of headers that are younger than the objects of blobs that include them: a compiler would
 * have read the old ones. */
void link_warn_of_headers(const struct link *l);
/* Keep the sources of what is compiled at first calls beside the lists of their inputs. */
void link_keep_sources(const struct link *l);

/* ---- foreign.c ---- */

/* End the program if a record that is not in the home's log asks for more than a compile by the
 * home's compiler. Before anything of a record is run. */
void link_judge_records(struct link *l);

/* ---- settle.c ---- */

/* Read what the stubs of the link stand for: blobs, dispatchers, fragments; and the lazy units. */
void link_read_blobs(struct link *l);
/* Set the bases, and whether the sources below them are to be kept. */
void link_choose_base(struct link *l);
/* The first of the bases; "": none. */
const char *link_base(const struct link *l);
/* Has DIR headers of the system or the toolkit, which are on the machine where the library is used
 * and are not given away? */
bool link_is_of_system(const struct link *l, const char *dir);
/* What is compiled with -fgpu-rdc is ahead of time, all of it, if an object or archive of the link has
 * device code that it may need. */
void link_look_beside(struct link *l);
/* The device code of HIP's that is linked here. The files are read once. */
const struct device_code *link_device_code(struct link *l);
/* Decide whether blobs with -fgpu-rdc can wait for their first call: all that they may need must be
 * fragments. If late units with it cannot, they become units, and the link begins again with ARGV. */
void link_settle_rdc(struct link *l, char **argv);
/* Mark the blobs of --aot-list as wanted. One that cannot be forwarded is compiled ahead of time
 * anyway. */
void link_read_list(struct link *l);
/* The same of lazy units and their kernels, when all are known. A name that is neither's ends the
 * program. */
void link_want_listed_units(struct link *l);
/* no_rdc has become known: no blob with -fgpu-rdc is forwarded. */
void link_give_up_rdc(struct link *l);

/* ---- texts.c ---- */

/* See to it that all files in the work directory that objects of the link rely on are there. */
void link_find_texts(struct link *l);

/* ---- instead.c ---- */

/* Make ordinary units of the blobs that would go ahead of time, if the home wants lazy units: what
 * can be one joins the lazy units. */
void link_make_units(struct link *l);

/* HIP's recorded sources with device code to be linked become units of that link, in their places,
 * because of WHY. Then begin again with ARGV. If one cannot be a unit, all stay what they are. */
void link_join_rdc(struct link *l, const char *why, char **argv);

/* Compile the N BLOBS for the host, side by side, and call EACH with each object that was made. Each is compiled as a unit if
 * it may become one, and one that is ahead of time as the library gets it: the host's symbols are the same, and nothing is
 * compiled twice. Whoever asks again finds the steps fresh. The order of BLOBS changes. */
typedef void link_made(struct blob *b, const char *object, void *user);
void link_compile_for_host(struct link *l, struct blob **blobs, size_t n, link_made *each, void *user);

/* ---- lazyunits.c ---- */

/* Decide which lazy units can stay so, and which are compiled as without ckjit. */
void link_settle_lazy_units(struct link *l);
/* --aot-list has NAME: the unit that it means, or whose kernel it is, is compiled as without ckjit,
 * if its object can leave the link. A kernel alone cannot go ahead of time: the rest of its unit
 * would have no host code. False: no unit is meant. */
bool link_want_lazy_unit(struct link *l, const char *name);
/* Compile these; their objects leave the link. */
void link_compile_lazy_ahead(struct link *l);
/* All of them are compiled as without ckjit, because of WHY. */
void link_give_up_lazy_units(struct link *l, const char *why);
/* Write LINK_CALLS, which the runtime includes for them, and append the options of the link to the command. */
#define LINK_CALLS "ck_jit_unit_calls.h"
void link_wrap_calls(struct link *l);

/* ---- linkedunits.c ---- */

/* Units with -rdc=true: the key of each becomes that of its kernels linked with the others, and its
 * text the list of them all. */
void link_join_units(struct link *l);

/* ---- ownheaders.c ---- */

/* Read what the build's own headers declare, of all that the units include: headers. */
void link_read_headers(struct link *l);
/* Is FILE, an absolute name, a header of the system or of a package to R, and not of what is
 * built? */
bool ownheaders_is_foreign(const struct record *r, const char *file);
/* Is R one of the link's blobs? */
bool link_has_blob(const struct link *l, const struct record *r);

/* ---- needs.c ---- */

/* Blobs that need what the library cannot give them when they are loaded apart (imports.c), or
 * would have a second copy of a variable, go ahead of time. */
void link_settle_needs(struct link *l);
/* The same of blobs that need functions of late ones which nothing demands by their whole names.
 * Returns whether there are any. */
bool link_settle_late_needs(struct link *l);

/* ---- imports.c ---- */

/* Write the table of what blobs may need of the library, if there is anything: one of objs. After
 * link_plan_output. */
void link_write_imports(struct link *l);

/* ---- demand.c ---- */

/* Give each blob that is late the functions that the link demands of it. One for which that is not
 * clear stops being late. */
void link_settle_demand(struct link *l);
/* No blob stays late, because of WHY. */
void link_give_up_late(struct link *l, const char *why);

/* ---- compile.c ---- */

/* Write and compile the dispatchers and the forwarding units, side by side; learn the units'
 * symbols and headers. Blobs whose stubs do not compile are left out. */
void link_compile_units(struct link *l);
/* Name the blobs that the compiler refused, but for those that have become units. */
void link_warn_of_refused(struct link *l);

/* ---- part.c ---- */

/* How the text SOURCE of a forwarding unit of group G is compiled to OBJECT. DEVICES: an nvcc's step
 * lists the headers of the devices' sides as well; a clang has a step for each of these. */
struct step link_unit_step(const struct group *g, const char *source, const char *object, bool devices);
/* Take B out of its unit UN: the compiler refuses it there, because of WHY, which is taken over. */
void link_refuse(struct link *l, struct unit *un, struct blob *b, char *why);
/* Unit K does not compile: step S has failed. Refuse those of its blobs that are why, at least
 * one. */
void part_unit(struct link *l, unsigned k, const struct step *s);

/* ---- ahead.c ---- */

/* Handles what only the compiler could report: a blob whose stubs it refused, or a dispatcher with
 * its own kernels, may need the device code of all others. Then none with -fgpu-rdc is forwarded,
 * and the units are made again. */
void link_recheck_rdc(struct link *l);
/* Compile what cannot or shall not wait as the build asked for it, device side included. */
void link_compile_ahead(struct link *l);

/* ---- distances.c ---- */

/* Make distances of the addresses in dispatchers' tables, where no function can be another
 * library's: in copies of the dispatchers' objects, which take their places among objs. */
void link_turn_tables(struct link *l);
/* Put the dispatchers' own objects back; false if there are no others. */
bool link_turn_back(struct link *l);

/* ---- runtime.c ---- */

/* The command that makes runtime_obj of SOURCE, but for its output. DIR has LINK_CALLS, if the
 * library has lazy units. */
void link_runtime_command(const struct link *l, const char *source, const char *dir, struct argv *out);
/* Compile the runtime; append it and the embedded tables to objs. Returns why the library cannot
 * have them, or NULL. free() it. */
char *link_compile_runtime(struct link *l);

/* ---- embed.c ---- */

/* Write the tables, and the manifest as JSON, both from the forwarded blobs and the lazy units. The
 * units must be compiled (hashes, headers_digest). */
void link_write_manifest(struct link *l);

/* ---- output.c ---- */

/* The user's command with room for our objects, and these objects but for the runtime's: command
 * and objs. */
void link_plan_output(struct link *l);
/* Remove HIP's words for a link of device code from WORDS. */
void link_drop_device_words(struct argv *words);
/* Runs the command. Returns why the linker refuses the additions of ckjit, or NULL; with l->stock
 * it adds nothing. free() it. */
char *link_output(struct link *l);
/* If the build asked for that (nvcc's -run), become the program that was linked. */
void link_run(struct link *l);

/* ---- places.c ---- */

/* In the directory of the link: an object that has no functions, and without which no link takes an
 * object with records. */
#define PLACE_EMPTY "objs/ckjit_allowed.o"

/* OBJECT, which is copied, is linked in the place of R, a record of this link. */
void link_put_object(struct link *l, const struct record *r, const char *object);
/* All is compiled: find the places of the stubs and of the dispatchers, and copy the containers
 * that hold any. */
void link_fill_places(struct link *l);
/* Write the copies of containers again: an object in them is another one. */
void link_copy_containers(struct link *l);
/* TEXT, of the linker's, with the containers of the build in place of their copies. TEXT is taken
 * over; free() the other. */
char *link_name_originals(const struct link *l, char *text);
/* Append the objects with the stubs of all that are on the command line. */
void link_add_stubs(const struct link *l, struct argv *out);

/* ---- partial.c ---- */

/* The link is a partial one (-r) with device code: make it, and end the program. */
_Noreturn void link_partial(struct link *l);
/* Is the link a partial one of late units and fragments alone? Nothing of it is judged yet. */
bool link_is_late(const struct link *l);

/* ---- stock.c ---- */

/* Nothing of the library can be lazy, because of WHY: say so, and compile all that is recorded.
 * EACH is why, in the summary, for each of its parts. */
void link_all_ahead(struct link *l, const char *why, const char *each);
/* Nothing of the library can be lazy, because of WHY: make it as without ckjit, say so, and end the
 * program. */
_Noreturn void link_as_stock(struct link *l, const char *why);
/* Why the manifest and the state of the link cannot hold its words, such as a directory whose name
 * is not UTF-8; NULL: they can. free() it. */
char *link_unstorable(const struct link *l);
/* If they cannot, the library is made as without ckjit, and this does not return. */
void link_settle_names(struct link *l);

/* ---- unread.c ---- */

/* If the words of the link cannot be read as the compiler reads them: compile what its stubs stand
 * for, into their places, and become the build's own command. */
void link_leave_unread(struct link *l);
/* Become PROGRAM, with ARGS. Ends the program if that cannot be run. */
_Noreturn void link_become(struct link *l, const char *program, char *const *args);
/* Become the build's own command, with the words that it was given. */
_Noreturn void link_become_given(struct link *l);

/* ---- symbols.c ---- */

/* The command shows or changes symbols: see to it that the recorded objects that it names have
 * theirs, and become it. */
_Noreturn void link_give_symbols(struct link *l);

/* ---- inplace.c ---- */

/* Compile the records of which OBJECTS, by their number, names the object (NULL: it stays), as
 * the build does, and put these in their places in the build: files, members of archives, what
 * `ld -r` made. The files keep their times, for otherwise a build would link once more. WHY is
 * for the message if one cannot be taken out of its file, which ends the program. */
void link_put_whole(struct link *l, char *const *objects, const char *why);
/* The same with OBJECTS that are compiled. */
void link_put_compiled(struct link *l, char *const *objects, const char *why);
/* In the work directory: the objects of lazy units that link_put_whole replaced, each under the
 * digest of the object that is in its place. */
#define REPLACED_DIR ".replaced"
/* Put them back where the link's files still are what replaced them. False: there are none. A unit
 * that was compiled anew may have had the fault that kept all from being lazy. */
bool link_put_back(struct link *l);
/* Join OBJECTS with what is there. It stays recorded. */
void link_join_objects(struct link *l, char *const *objects);
/* Write a COPY of FILE, an ARCHIVE or what `ld -r` made of stubs and code, with OBJECTS in the
 * places of what the records are
 * of. False, and no copy, if there are none in it. */
bool link_copy_container(struct link *l, const char *file, bool archive, const char *copy,
                         char *const *objects);

/* ---- devicelink.c ---- */

/* Look at the units with -rdc=true or -fgpu-rdc of a link. If they cannot be lazy, compile them in
 * place, and begin again with ARGV, the program's own. A link of device code alone (-dlink) ends
 * here: become the build's command. */
void link_device(struct link *l, char **argv);

/* ---- report.c ---- */

/* Say WHAT is done now, and after how long, if CK_JIT_VERBOSE asks for it. */
void link_progress(const struct link *l, const char *what);
/* Write what is kept for later programs: the list of headers, what became of each unit, and the
 * state that a relink starts from. */
void link_write_state(const struct link *l);
/* Print the summary, and keep it in summary.txt. */
void link_print_summary(const struct link *l);

#endif
