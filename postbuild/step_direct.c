/* step_direct.c - passes of a clang over one text, without a driver for each.
 *
 * A driver may take longer than the pass that it starts: hipcc of HIP 5.2.3 is a Perl script that
 * starts six other programs. So it is asked once, for a compile for the host and all devices, what it
 * would start (-###), and each pass runs by itself. What fails runs again by its driver (step.c).
 */
#include "step.h"

#include "core/base/scratch.h"
#include "core/cc/cc1.h"
#include "core/cc/steps.h"

/* The question for the passes over the text of HOST: its command without what makes it one pass. */
static void put_question(struct argv *question, const struct step *host) {
  autofree_argv command = {0}, all = {0};
  step_command(&command, host);
  for (size_t i = 0; i < command.n; i++)
    if (strcmp(command.args[i], "--offload-host-only") != 0)
      argv_add(&all, command.args[i]);
  steps_question(question, host->kind->dialect, &all);
}

/* Have S run as PASS, a step of the driver. There is no device code for the host's object. */
static void set_direct(struct step *s, const struct argv *pass) {
  struct argv words = {0};
  autofree char *depfile = xasprintf("%s.d", s->object);
  for (size_t i = 0; i + 1 < pass->n; i++)
    if (strcmp(pass->args[i], "-fcuda-include-gpubinary") == 0)
      i++;
    else
      argv_add(&words, pass->args[i]);
  argv_add(&words, s->source);
  if (s->arch) {
    cc1_text(&s->direct, &words, s->object, depfile, true);
    argv_add(&s->direct, "-w");
    argv_free(&words);
  } else {
    argv_add(&words, "-o"); /* with -fgpu-rdc a bundler would write it */
    argv_add(&words, s->object);
    s->direct = words;
  }
}

/* Is one of the N steps a pass over the text of HOST for a device? */
static bool has_devices(const struct step *host, struct step **steps, size_t n) {
  bool has = false;
  for (size_t i = 0; i < n; i++)
    has |= steps[i]->text == host->text && steps[i]->arch;
  return has;
}

void steps_direct(const struct runner *with, struct step **steps, size_t n) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  autofree struct argv *questions = xcalloc(n, sizeof *questions);
  size_t asked = 0;
  for (size_t i = 0; i < n; i++) {
    struct step *host = steps[i];
    if (!host->text || host->arch || step_launcher_takes(&with->launcher, host) ||
        !has_devices(host, steps, n))
      continue;
    put_question(&questions[asked], host);
    jobs[asked] = (struct job){.args = questions[asked].args, .cwd = host->cwd, .user = host};
    asked++;
  }
  scratch_run(jobs, asked, with->parallel);
  for (size_t k = 0; k < asked; k++) {
    const struct step *host = jobs[k].user;
    struct steps answer;
    steps_read(&answer, jobs[k].status == 0 && jobs[k].output.len ? jobs[k].output.data : NULL);
    for (size_t i = 0; i < n; i++) {
      const struct argv *pass = steps[i]->text == host->text ? steps_pass(&answer, steps[i]->arch) : NULL;
      if (pass && strcmp(pass->args[pass->n - 1], host->source) == 0)
        set_direct(steps[i], pass);
    }
    steps_free(&answer);
    buf_free(&jobs[k].output);
    argv_free(&questions[k]);
  }
}
