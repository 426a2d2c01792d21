// calls WHAT… - each WHAT is a case of a library: LIBRARY:CASE. "close" unloads all libraries. "fork"
// continues in a child and, when it has ended, in the parent; the child of "idle-fork" ends at once.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
  char name[200];
  void *handle;
} libraries[8];

static void *library(const char *name) {
  int i = 0;
  while (i < 8 && libraries[i].handle && strcmp(libraries[i].name, name))
    i++;
  if (i == 8)
    return NULL;
  if (!libraries[i].handle) {
    snprintf(libraries[i].name, sizeof libraries[i].name, "%s", name);
    libraries[i].handle = dlopen(name, RTLD_NOW);
    if (!libraries[i].handle)
      fprintf(stderr, "%s\n", dlerror());
  }
  return libraries[i].handle;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "close")) {
      for (int k = 0; k < 8 && libraries[k].handle; k++)
        dlclose(libraries[k].handle), libraries[k].handle = NULL;
      continue;
    }
    if (!strcmp(argv[i], "fork") || !strcmp(argv[i], "idle-fork")) {
      pid_t child = fork();
      int status = 0;
      if (child == 0 && argv[i][0] == 'i')
        _exit(0);
      if (child > 0 && (waitpid(child, &status, 0) != child || status))
        return 1;
      continue;
    }
    char *colon = strrchr(argv[i], ':');
    if (!colon)
      return 2;
    *colon = 0;
    void *handle = library(argv[i]);
    int (*run)(const char *) = handle ? (int (*)(const char *))dlsym(handle, "run") : NULL;
    printf("%s %s\n", strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i], colon + 1);
    if (!run || run(colon + 1))
      return 1;
  }
  return 0;
}
