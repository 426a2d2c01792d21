// world.hpp - what dispatchers of the tests choose among, and what calls them.
//
// The blobs of a real library are elsewhere; here each function of a blob is a template whose definition is there for
// all arguments, and which writes down who it is and what it was given. So a dispatcher and its rewritten form are the
// same if the same calls leave the same log: kernels in order, arguments, effects of conditions, exceptions, results.
#ifndef WORLD_HPP
#define WORLD_HPP

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

// ---- the log of one call

inline std::string log_line;

inline void note(const char* what)
{
    log_line += what;
    log_line += ' ';
}
inline void note(long v) { note(std::to_string(v).c_str()); }

// ---- effects that conditions may have

inline int g_counter;
inline volatile int g_volatile;
inline std::atomic<int> g_atomic;
inline const int g_table[4] = {3, 1, 4, 1};

inline int tick()
{
    note("tick");
    return ++g_counter;
}
inline bool yes(int k)
{
    note("yes");
    note(k);
    return true;
}
inline bool throws_at(int k, int at)
{
    if(k == at)
        throw std::runtime_error("condition");
    return true;
}
inline int pure_sum(int a, int b) { return a + b; }

struct loud
{
    int v;
};
inline bool operator==(const loud& l, int v)
{
    note("loud==");
    return l.v == v;
}
inline int operator%(const loud& l, int v)
{
    note("loud%");
    return l.v % v;
}
struct loud_bool
{
    bool v;
    explicit operator bool() const
    {
        note("loud_bool");
        return v;
    }
};
// both operands are always evaluated
inline bool operator&&(const loud_bool& x, bool y)
{
    note("loud&&");
    return x.v && y;
}
struct watched
{
    int v;
    operator int() const
    {
        note("watched");
        return v;
    }
};
struct loud_word
{
    std::string v;
    int compare(const char* other) const
    {
        note("compare");
        return v.compare(other);
    }
};
struct quiet
{ // compares as an int does, once it was asked twice it says the opposite
    int v;
    mutable int asked = 0;
    bool operator==(int x) const { return asked++ == 1 ? v != x : v == x; }
};

// ---- arguments

enum class mask_enum { no_mask, top_left, bottom_right };
enum class bias_enum { no_bias, elementwise, alibi };
enum plain_enum { plain_none, plain_some, plain_all };

struct node
{
    int x;
    node* next;
};
inline node g_nodes[4] = {{1, nullptr}, {4, g_nodes}, {7, g_nodes + 1}, {3, g_nodes + 2}};

struct traits
{
    std::string data_type;
    int hdim_q, hdim_v;
    bool is_group_mode, is_v_rowmajor, has_logits_soft_cap, has_lse, has_dropout, has_dbias, is_store_randval,
        is_deterministic, skip;
    mask_enum mask_type;
    bias_enum bias_type;
    plain_enum plain;
    int batch;
    loud tag;
    quiet mood;
};
struct args
{
    int seqlen_q, seqlen_k, hdim_q, hdim_v, batch, nhead, n, m, idx, boom;
    unsigned u;
    float scale;
    const void* block_table_ptr;
    node* p;
    volatile int vol;
    watched watch;
    loud_bool flag;
    loud_word word;
};
struct stream
{
    int id, log_level_;
};

enum field {
    t_data_type, t_hdim_q, t_hdim_v, t_is_group_mode, t_is_v_rowmajor, t_has_logits_soft_cap, t_has_lse, t_has_dropout,
    t_has_dbias, t_is_store_randval, t_is_deterministic, t_skip, t_mask_type, t_bias_type, t_plain, t_batch,
    t_tag, t_mood,
    a_seqlen_q, a_seqlen_k, a_hdim_q, a_hdim_v, a_batch, a_nhead, a_n, a_m, a_idx, a_boom, a_u, a_scale,
    a_block_table_ptr, a_p, a_vol, a_watch, a_flag, a_word, FIELDS
};
enum { END = -9999 }; // of a row of presets, or of a pool

inline const char* const g_words[] = {"fp16", "bf16", "fp32", "fp8", ""};

inline void set_field(traits& t, args& a, int f, int v)
{
    switch(f)
    {
    case t_data_type: t.data_type = g_words[unsigned(v) % 5]; break;
    case t_hdim_q: t.hdim_q = v; break;
    case t_hdim_v: t.hdim_v = v; break;
    case t_is_group_mode: t.is_group_mode = v; break;
    case t_is_v_rowmajor: t.is_v_rowmajor = v; break;
    case t_has_logits_soft_cap: t.has_logits_soft_cap = v; break;
    case t_has_lse: t.has_lse = v; break;
    case t_has_dropout: t.has_dropout = v; break;
    case t_has_dbias: t.has_dbias = v; break;
    case t_is_store_randval: t.is_store_randval = v; break;
    case t_is_deterministic: t.is_deterministic = v; break;
    case t_skip: t.skip = v; break;
    case t_mask_type: t.mask_type = mask_enum(unsigned(v) % 3); break;
    case t_bias_type: t.bias_type = bias_enum(unsigned(v) % 3); break;
    case t_plain: t.plain = plain_enum(unsigned(v) % 3); break;
    case t_batch: t.batch = v; break;
    case t_tag: t.tag.v = v; break;
    case t_mood: t.mood = {v, 0}; break;
    case a_seqlen_q: a.seqlen_q = v; break;
    case a_seqlen_k: a.seqlen_k = v; break;
    case a_hdim_q: a.hdim_q = v; break;
    case a_hdim_v: a.hdim_v = v; break;
    case a_batch: a.batch = v; break;
    case a_nhead: a.nhead = v; break;
    case a_n: a.n = v; break;
    case a_m: a.m = v; break;
    case a_idx: a.idx = v; break;
    case a_boom: a.boom = v; break;
    case a_u: a.u = unsigned(v); break;
    case a_scale: a.scale = float(v) / 2; break;
    case a_block_table_ptr: a.block_table_ptr = v ? g_table : nullptr; break;
    case a_p: a.p = v ? &g_nodes[unsigned(v) % 4] : nullptr; break;
    case a_vol: a.vol = v; break;
    case a_watch: a.watch.v = v; break;
    case a_flag: a.flag.v = v; break;
    case a_word: a.word.v = g_words[unsigned(v) % 5]; break;
    }
}

inline uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 1099511628211u; }

inline uint64_t digest(const args& a)
{
    uint64_t h = 14695981039346656037u;
    for(uint64_t v : {a.seqlen_q, a.seqlen_k, a.hdim_q, a.hdim_v, a.batch, a.nhead, a.n, a.m, a.idx, a.boom, int(a.u),
                      int(a.scale * 2), int(a.block_table_ptr != nullptr), a.p ? a.p->x : -1, int(a.vol), a.watch.v,
                      int(a.flag.v)})
        h = mix(h, v);
    return h;
}
inline uint64_t digest(const traits& t)
{
    uint64_t h = 14695981039346656037u;
    for(char c : t.data_type)
        h = mix(h, c);
    for(uint64_t v : {t.hdim_q, t.hdim_v, int(t.is_group_mode), int(t.has_lse), int(t.skip), int(t.mask_type),
                      int(t.bias_type), int(t.plain), t.batch, t.tag.v, t.mood.v})
        h = mix(h, v);
    return h;
}

// ---- what blobs are chosen by

struct fp16 {};
struct bf16 {};
struct fp32 {};
struct fp8 {};
template <class T> struct type_config { using acc = float; };
template <> struct type_config<fp8> { using acc = int; };
namespace tile {
enum class pipe { QRKSVS, QRKSVS_ASYNC, KRKTRVR };
template <bool Masked> struct mask {};
struct gfx9 {};
struct gfx11 {};
template <class Acc, int Bn> struct tile_sizes { static constexpr int kM0 = Bn / 4; };
} // namespace tile
template <int D, class T, bool Group, int M0, tile::pipe P, class Mask, bias_enum B, bool Lse, bool X>
struct fwd_traits_
{
    static constexpr int kD = D, kM0 = M0;
    using type = T;
};
template <int D, class T, int M0, bool X> struct one_traits_ { static constexpr int kD = D, kM0 = M0; };
template <int D, class T, int M0, bool X> struct two_traits_ { static constexpr int kD = D, kM0 = M0; };
template <int D, class T, int M0, bool X> struct three_traits_ { static constexpr int kD = D, kM0 = M0; };
template <class T> struct wrapped_ { using type = T; };
template <class T> using unwrap_ = typename wrapped_<T>::type;

// ---- the functions of blobs

template <class T> float ran(const char* name, const stream& s, args& a)
{
    note(name);
    note(typeid(T).name());
    note(s.id);
    note(long(digest(a)));
    if(a.boom == 7)
        throw std::runtime_error("kernel");
    a.n++; // its own copy
    uint64_t h = 5381;
    for(const char* c = typeid(T).name(); *c; c++)
        h = mix(h, *c);
    return float(h >> 40);
}
template <class T> float fwd_(const stream& s, args a) { return ran<T>("fwd", s, a); }
template <class T> float all_(const stream& s, args a) { return ran<T>("all", s, a); }
template <class T> void one_oneshot_(const stream& s, args a) { ran<T>("one", s, a); }
template <class T> void two_oneshot_(const stream& s, args a) { ran<T>("two", s, a); }
template <class T> void three_oneshot_(const stream& s, args a) { ran<T>("three", s, a); }
template <class T> std::string one_get_name_() { return std::string("one:") + typeid(T).name(); }
template <class T> std::string two_get_name_() { return std::string("two:") + typeid(T).name(); }
template <class T> std::string three_get_name_() { return std::string("three:") + typeid(T).name(); }
template <class T, class Arch> size_t two_ws_size_(int batch)
{
    note("ws");
    note(typeid(std::pair<T, Arch>).name());
    return batch + sizeof(typeid(T).name()) + T::kM0;
}
template <class T, class Arch> bool two_needs_zero_() { return T::kD > 32; }

namespace tile {
template <class... F> float launch_kernel(const stream& s, F&&... f)
{
    (f(s), ...);
    return float(sizeof...(F));
}
} // namespace tile

// ---- calling

struct dispatcher
{
    const char* name;
    float (*call)(traits& t, args& a, const stream& s);
    const int* rows;  // for each row FIELD, VALUE, … END, so that it is reached; END END behind the last
    const int* pools; // FIELD, VALUE, … END; END behind the last
};

struct random_numbers
{
    uint64_t x;
    unsigned below(size_t n)
    {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        return unsigned((x >> 20) % n);
    }
};

inline void one_call(const dispatcher& d, traits t, args a, const stream& s)
{
    log_line.clear();
    try
    {
        note(long(d.call(t, a, s)));
    }
    catch(const std::exception& e)
    {
        note("threw");
        note(e.what());
    }
    catch(int v)
    {
        note("threw int");
        note(v);
    }
    note(long(digest(t)));
    note(long(digest(a)));
    note(g_counter);
    note(g_atomic.load());
    note(g_volatile);
}

// Values of the pools for all fields, those of one row over them, and then often one or two fields changed: most calls
// end in a row, and all others just miss one.
inline void drive(const dispatcher& d, long calls, uint64_t seed, bool print)
{
    std::vector<std::vector<int>> rows, pools(FIELDS, std::vector<int>{0, 1, 2, 3, 4, 8, 32, 64});
    for(const int* p = d.rows; *p != END; p++)
        for(rows.emplace_back(); *p != END; p++)
            rows.back().push_back(*p);
    for(const int* p = d.pools; *p != END; p++)
    {
        std::vector<int>& pool = pools[*p++];
        for(pool.clear(); *p != END; p++)
            pool.push_back(*p);
    }
    random_numbers r{seed * 2654435761u + 88172645463325252u};
    uint64_t hash = 0;
    g_counter = g_volatile = 0;
    g_atomic = 0;
    for(long i = 0; i < calls; i++)
    {
        traits t{};
        args a{};
        for(int f = 0; f < FIELDS; f++)
            set_field(t, a, f, pools[f][r.below(pools[f].size())]);
        if(!rows.empty() && r.below(8))
        {
            const std::vector<int>& row = rows[r.below(rows.size())];
            for(size_t k = 0; k < row.size(); k += 2)
                set_field(t, a, row[k], row[k + 1]);
        }
        for(unsigned changes = r.below(3); changes; changes--)
        {
            unsigned f = r.below(FIELDS);
            set_field(t, a, f, pools[f][r.below(pools[f].size())]);
        }
        set_field(t, a, a_boom, r.below(16) ? 0 : 7);
        one_call(d, t, a, stream{int(i % 5), int(r.below(2))});
        for(char c : log_line)
            hash = mix(hash, c);
        if(print)
            std::printf("%s %ld: %s\n", d.name, i, log_line.c_str());
    }
    std::printf("%s %016llx\n", d.name, static_cast<unsigned long long>(hash));
}

// PROGRAM CALLS SEED [lines]
inline int drive_all(const dispatcher* d, size_t n, int argc, char** argv)
{
    for(size_t i = 0; i < n; i++)
        drive(d[i], argc > 1 ? std::atol(argv[1]) : 1000, argc > 2 ? std::atol(argv[2]) : 1, argc > 3);
    return 0;
}

#endif
