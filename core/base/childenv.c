#include "childenv.h"

extern char **environ;

void childenv_copy(struct argv *env) {
  argv_add_all(env, environ);
}

void childenv_unset(struct argv *env, const char *name) {
  size_t length = strlen(name), kept = 0;
  for (size_t i = 0; i < env->n; i++) {
    if (strncmp(env->args[i], name, length) == 0 && env->args[i][length] == '=')
      free(env->args[i]);
    else
      env->args[kept++] = env->args[i];
  }
  env->n = kept;
  if (env->args)
    env->args[kept] = NULL;
}

void childenv_set(struct argv *env, const char *name, const char *value) {
  childenv_unset(env, name);
  argv_addf(env, "%s=%s", name, value);
}
