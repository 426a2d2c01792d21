/* ckjit.hpp - a planner and a launcher over ckjit_combine, in C++17: the calls of cuVS's
 * AlgorithmPlanner and AlgorithmLauncher (docs/fragments.md).
 *
 *     ckjit::planner plan(library, "scan<float>");
 *     plan.add_fragment("euclidean");                    // a tag
 *     plan.add_static_fragment<search::odd>();           // the same by its type
 *     plan.add_text("filter.cu", text);                  // CUDA C++ that the program has
 *     plan.get_launcher()->dispatch<void(float *, int)>(stream, grid, block, 0, points, n);
 *
 * Errors are thrown as ckjit::error with the status. A planner belongs to one thread; a launcher may
 * be used by several, and keeps the library loaded. Planners that ask for the same get launchers of
 * one kernel, so no cache of launchers is needed.
 */
#ifndef CKJIT_HPP
#define CKJIT_HPP

#include "ckjit.h"

#include <cxxabi.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ckjit {

struct error : std::runtime_error {
  int status; /* enum ckjit_status */
  error(int s, const char *text) : std::runtime_error(text), status(s) {}
};

/* By reference: TEXT is set by the call whose STATUS is the other argument. */
inline void check(int status, char *const &text) {
  std::unique_ptr<char, void (*)(void *)> owner(text, ckjit_free);
  if (status)
    throw error(status, text ? text : ckjit_status_name(status));
}

class launcher {
  ckjit_combination *combination;

  template <class F, class Dim, class... A>
  void launch(bool cooperative, void *stream, Dim grid, Dim block, size_t shared, A &...args) {
    static_assert(std::is_same_v<F, void(A...)> && !(std::is_array_v<A> || ...),
                  "dispatch: the arguments do not have the types of the kernel's parameters");
    void *list[] = {const_cast<void *>(static_cast<const void *>(&args))..., nullptr};
    ckjit_launch how = {
        sizeof how, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream,
        cooperative};
    char *text = nullptr;
    check(ckjit_combination_launch(combination, &how, list, &text), text);
  }

public:
  explicit launcher(ckjit_combination *c) : combination(c) {}
  launcher(const launcher &) = delete;
  launcher &operator=(const launcher &) = delete;
  ~launcher() {
    ckjit_combination_release(combination);
  }

  /* Launch the kernel. F is its type, void(float *, int); GRID and BLOCK are dim3. Each argument
   * must have exactly the parameter's type, because only its address is passed on. */
  template <class F, class Dim, class... A>
  void dispatch(void *stream, Dim grid, Dim block, size_t shared, A &&...args) {
    launch<F>(false, stream, grid, block, shared, args...);
  }
  template <class F, class Dim, class... A>
  void dispatch_cooperative(void *stream, Dim grid, Dim block, size_t shared, A &&...args) {
    launch<F>(true, stream, grid, block, shared, args...);
  }
  /* For calls of CUDA's runtime (ckjit_combination_address). */
  const void *get_kernel() const {
    return ckjit_combination_address(combination);
  }
};

struct planner {
  ckjit_library *library; /* stays the caller's */
  std::string entrypoint; /* the kernel's name */
  std::vector<std::string> tags, names, texts, linktime_extra_options;

  planner(ckjit_library *l, std::string kernel) : library(l), entrypoint(std::move(kernel)) {}

  void add_fragment(std::string tag) {
    tags.push_back(std::move(tag));
  }
  template <class Tag> void add_static_fragment() {
    std::unique_ptr<char, void (*)(void *)> name(
        abi::__cxa_demangle(typeid(Tag).name(), nullptr, nullptr, nullptr), free);
    tags.emplace_back(name ? name.get() : typeid(Tag).name());
  }
  void add_text(std::string name, std::string text) {
    names.push_back(std::move(name));
    texts.push_back(std::move(text));
  }

  /* Compile and link it, or find it in the process or the cache. */
  std::shared_ptr<launcher> get_launcher() const {
    auto t = list(tags), n = list(names), x = list(texts), o = list(linktime_extra_options);
    ckjit_combine_options with = {sizeof with, x.data(), x.size(), n.data(), o.data(), o.size()};
    ckjit_combination *c = nullptr;
    char *text = nullptr;
    check(ckjit_combine(library, entrypoint.c_str(), t.data(), t.size(), &with, &c, &text), text);
    auto made = std::make_shared<launcher>(c);
    check(ckjit_combination_compile(c, &text), text);
    return made;
  }

private:
  static std::vector<const char *> list(const std::vector<std::string> &all) {
    std::vector<const char *> out;
    for (const auto &one : all)
      out.push_back(one.c_str());
    return out;
  }
};

} // namespace ckjit

#endif
