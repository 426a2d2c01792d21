#include <cstdint>
#include <string>
#include <type_traits>
#if __cplusplus >= 201703L
#include <string_view>
#endif
// Tables in place of chains of conditions, written by ckjit-link.
extern "C" __attribute__((weak, visibility("hidden"))) void ckjit_together(unsigned char *begun, const void *const *stubs, unsigned n);
namespace {
namespace ckjit_dispatch {
// In the words of C++11: it is what hipcc compiles for if a build names no standard.
template <typename T> using bare = typename std::remove_reference<T>::type;
template <typename T> using plain = typename std::remove_cv<bare<T>>::type;
template <typename T> struct is_scalar {
  static constexpr bool value = std::is_scalar<plain<T>>::value && !std::is_volatile<bare<T>>::value;
};
template <typename T> struct is_string {
  static constexpr bool value = std::is_same<plain<T>, std::string>::value
#if __cplusplus >= 201703L
    || std::is_same<plain<T>, std::string_view>::value
#endif
    ;
};
template <typename T> using is_pointer = std::is_pointer<plain<T>>;
// Functions of blobs. As compiled, the words are addresses, and table_base is 0. ckjit-link may make them distances from here, and
// table_base the address of this. So a word is read as it stands there, and nothing is
// concluded from its initialiser. It is no volatile: what is read for a message that is not printed need not be read.
template <typename Entry, std::uint32_t N> struct function_table {
  std::uintptr_t table_base;
  const void *table_self;
  std::uint64_t table_mark;
  std::uint32_t entry_size, entry_count;
  Entry entries[N];
};
template <typename F> struct is_function_pointer {
  static constexpr bool value = false;
};
template <typename F> struct is_function_pointer<F *> {
  static constexpr bool value = std::is_function<F>::value;
};
// What ckjit-link knows a table by: there is more than one entry, and words of other sorts do not become distances.
template <std::uint32_t N, typename... F> struct table_mark {
  static constexpr std::uint64_t value = N > 1 ? 0xb2d1c0a75e3f9846u : 0;
};
template <std::uint32_t N, typename F, typename... Others> struct table_mark<N, F, Others...> {
  static constexpr std::uint64_t value =
      is_function_pointer<F>::value || std::is_same<F, bool>::value ? table_mark<N, Others...>::value : 0;
};
template <typename F, bool> struct table_word {
  template <typename T> static inline const T &table(const T &t) { return t; }
  static inline F at(const std::uintptr_t &, const F &f) { return f; }
  static inline F at_if(const std::uintptr_t &, const F &f) { return f; }
};
template <typename F> struct table_word<F, true> {
  template <typename T> static inline const T &table(const T &t) {
    const T *at = &t;
    __asm__("" : "+r"(at));
    return *at;
  }
  static inline F at(const std::uintptr_t &base, const F &f) {
    std::uintptr_t to; // the sum wraps around, and no sanitizer need hear of it
    (void)__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(f), base, &to);
    return reinterpret_cast<F>(to);
  }
  static inline F at_if(const std::uintptr_t &base, const F &f) { return f ? at(base, f) : f; }
};
template <typename Entry, std::uint32_t N, typename F>
static inline F function_of(const function_table<Entry, N> &table, unsigned entry, F Entry::*member) {
  using word = table_word<F, (N > 1 && is_function_pointer<F>::value)>;
  const function_table<Entry, N> &t = word::table(table);
  return word::at(t.table_base, t.entries[entry].*member);
}
// if its use has a condition
template <typename Entry, std::uint32_t N, typename F>
static inline F function_of_if(const function_table<Entry, N> &table, unsigned entry, F Entry::*member) {
  using word = table_word<F, (N > 1 && is_function_pointer<F>::value)>;
  const function_table<Entry, N> &t = word::table(table);
  return word::at_if(t.table_base, t.entries[entry].*member);
}
// A row's functions are called for the first time: the runtime is told of all of them before the first has to be compiled.
template <typename F> static inline const void *address(const F &f) {
  const void *to = nullptr;
  __builtin_memcpy(&to, &f, sizeof f < sizeof to ? sizeof f : sizeof to);
  return sizeof f == sizeof to ? to : nullptr;
}
template <typename... F>
__attribute__((noinline, cold)) static void begin(unsigned char *begun, const F &...f) {
  const void *const stubs[] = {address(f)...};
  if (ckjit_together)
    ckjit_together(begun, stubs, unsigned(sizeof...(F)));
  else
    *begun = 1;
}
// The first row that GUARD agrees to and that needs no atom whose VALUE is 0; ROWS where there is none.
template <unsigned Rows, unsigned Summaries, unsigned Blocks, unsigned Atoms, typename Guard>
static inline unsigned find(const std::uint64_t (&all)[Summaries][Atoms], const std::uint64_t (&need)[Blocks][Atoms],
                            const unsigned char (&value)[Atoms], const Guard &guard) {
  std::uint64_t off[Atoms];
  for (unsigned i = 0; i < Atoms; i++)
    off[i] = std::uint64_t(value[i]) - 1;
  for (unsigned s = 0; s < Summaries; s++) {
    std::uint64_t out = 0;
    if (Blocks > 1)
      for (unsigned i = 0; i < Atoms; i++)
        out |= all[s][i] & off[i];
    const unsigned in_s = Blocks - s * 64;
    std::uint64_t blocks = ~out & (in_s < 64 ? (std::uint64_t(1) << in_s) - 1 : ~std::uint64_t(0));
    for (; blocks; blocks &= blocks - 1) {
      const unsigned b = s * 64 + unsigned(__builtin_ctzll(blocks));
      std::uint64_t gone = 0;
      for (unsigned i = 0; i < Atoms; i++)
        gone |= need[b][i] & off[i];
      const unsigned in_b = Rows - b * 64;
      std::uint64_t rows = ~gone & (in_b < 64 ? (std::uint64_t(1) << in_b) - 1 : ~std::uint64_t(0));
      for (; rows; rows &= rows - 1) {
        const unsigned row = b * 64 + unsigned(__builtin_ctzll(rows));
        if (guard(row))
          return row;
      }
    }
  }
  return Rows;
}
} // namespace ckjit_dispatch
} // namespace
