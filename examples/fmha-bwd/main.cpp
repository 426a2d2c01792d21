// fmha-bwd: makes a launcher, prepares its workspace, runs it, and holds the gradients against reference.hpp.
//
// The workspace is full of NaN before it is prepared, and guarded behind its end: what is not zeroed and not written shows.
#include "fmha_bwd.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

static const char usage[] =
    R"(usage: fmha-bwd [-NAME=VALUE]...      one backward pass, checked
       fmha-bwd scenarios [-NAME=VALUE]...   each kind of workspace once
  -mode=batch|group     group: sequences of any length, one behind the other
  -b=2                  batch
  -h=2 -h_k=            heads of q; of k and v, a divisor of -h (default: as many)
  -s=40 -s_k=           queries and keys; group mode: lists, 40,7 (default of -s_k: as -s)
  -s_qpad= -s_kpad=     group mode: physical lengths, with padding (default: none)
  -d=32 -d_v=           head dimensions of q and k, of v (default: the same)
  -prec=fp32|bf16
  -mask=0|t[:L,R]|b[:L,R]|g:L,R   none, causal from top left or bottom right, with a window; -1: no bound
  -deterministic=0|1
  -bias=n|e|a -p_drop=0           what no kernel here has
  -seed=1
  -workspace=exact|callback|device      its head is computed when the launcher is made, or on a stream: by a
                        function of the host, or by a kernel
  -capture=none|global|thread|relaxed   launcher, workspace and run are captured on a stream
  -replay=1             how often the captured graph is launched
  -run=1                0: only prepare the workspace
  -repeat=1             how often: each time with a launcher of its own
  -poison=before|after  when the workspace is filled with NaN: before it is prepared, or its dq_acc afterwards
  -dump=FILE            write the prepared workspace, and 64 bytes of guard behind it
Environment: FMHA_BWD_ARCH (gfx90a), FMHA_BWD_NUM_CUS. Exit status: 0 right, 1 wrong or refused, 2 usage, 3 no kernel.
)";

static constexpr unsigned char poison_byte = 0xff; // a float of it is a NaN
static constexpr size_t guard_size         = 64;

[[noreturn]] static void die(int status, const std::string& message)
{
    std::fprintf(stderr, "fmha-bwd: %s\n", message.c_str());
    std::exit(status);
}

// ---- options --------------------------------------------------------------------------------------------------------

struct options
{
    std::map<std::string, std::string> values{
        {"mode", "batch"}, {"b", "2"}, {"h", "2"}, {"h_k", ""}, {"s", "40"}, {"s_k", ""}, {"s_qpad", ""}, {"s_kpad", ""},
        {"d", "32"}, {"d_v", ""}, {"prec", "fp32"}, {"mask", "0"}, {"deterministic", "0"}, {"bias", "n"}, {"p_drop", "0"},
        {"seed", "1"}, {"run", "1"}, {"repeat", "1"}, {"poison", "before"}, {"dump", ""},
        {"workspace", "exact"}, {"capture", "none"}, {"replay", "1"}};

    void set(const std::string& word)
    {
        const size_t equals    = word.find('=');
        const std::string name = word.substr(0, equals);
        if(word[0] != '-' || equals == std::string::npos || values.count(name.substr(1)) == 0)
            die(2, "unknown option '" + word + "', see fmha-bwd --help");
        values[name.substr(1)] = word.substr(equals + 1);
    }
    const std::string& text(const std::string& name) const { return values.at(name); }
    int number(const std::string& name, const std::string& value, int least) const
    {
        char* end    = nullptr;
        const long n = std::strtol(value.c_str(), &end, 10);
        if(value.empty() || *end != '\0' || n < least || n > 1000000)
            die(2, "-" + name + ": '" + value + "' is no number from " + std::to_string(least) + " to 1000000");
        return static_cast<int>(n);
    }
    int number(const std::string& name, int least = 0) const { return number(name, text(name), least); }
    int number_or(const std::string& name, int otherwise, int least = 0) const
    {
        return text(name).empty() ? otherwise : number(name, least);
    }
    // The N numbers of a list; one is for all.
    std::vector<int> list(const std::string& name, const std::string& otherwise, int n) const
    {
        const std::string& given = text(name).empty() ? text(otherwise) : text(name);
        std::vector<int> numbers;
        std::istringstream in(given);
        for(std::string part; std::getline(in, part, ',');)
            numbers.push_back(number(name, part, 0));
        if(numbers.size() == 1)
            numbers.resize(n, numbers[0]);
        if(numbers.size() != static_cast<size_t>(n))
            die(2, "-" + name + ": '" + given + "' has " + std::to_string(numbers.size()) + " lengths, expected " +
                       std::to_string(n));
        return numbers;
    }
    template <typename T>
    T one_of(const std::string& name, const std::map<std::string, T>& known) const
    {
        const auto found = known.find(text(name));
        if(found == known.end())
            die(2, "-" + name + ": '" + text(name) + "' is not known, see fmha-bwd --help");
        return found->second;
    }
};

// ---- the problem ----------------------------------------------------------------------------------------------------

struct problem
{
    int batch, nhead_q, nhead_k, hdim_q, hdim_v;
    bool group, deterministic;
    mask_enum mask;
    int left = -1, right = -1;
    std::vector<int> s_q, s_k, rows_q, rows_k; // of each sequence: logical, physical
    // cumulative rows; as the device sees the lengths
    ck_tile::pinned_vector<int> start_q{0}, start_k{0}, device_s_q, device_s_k;
    workspace_enum workspace;

    explicit problem(const options& o)
    {
        group         = o.one_of<bool>("mode", {{"batch", false}, {"group", true}});
        deterministic = o.one_of<bool>("deterministic", {{"0", false}, {"1", true}});
        batch         = o.number("b", 1);
        nhead_q       = o.number("h", 1);
        nhead_k       = o.number_or("h_k", nhead_q, 1);
        hdim_q        = o.number("d", 1);
        hdim_v        = o.number_or("d_v", hdim_q, 1);
        s_q           = o.list("s", "s", batch);
        s_k           = o.list("s_k", "s", batch);
        rows_q        = o.list("s_qpad", "s", batch);
        rows_k        = o.text("s_kpad").empty() ? s_k : o.list("s_kpad", "s_kpad", batch);
        for(int b = 0; b < batch; b++)
        {
            if(rows_q[b] < s_q[b] || rows_k[b] < s_k[b])
                die(2, "-s_qpad, -s_kpad: sequence " + std::to_string(b) + " is longer than its physical length");
            if(!group && (s_q[b] != s_q[0] || s_k[b] != s_k[0] || rows_q[b] != s_q[b] || rows_k[b] != s_k[b]))
                die(2, "sequences of different lengths or with padding need -mode=group");
            start_q.push_back(start_q[b] + rows_q[b]);
            start_k.push_back(start_k[b] + rows_k[b]);
        }
        if(nhead_q % nhead_k != 0)
            die(2, "-h_k: " + std::to_string(nhead_k) + " does not divide -h=" + std::to_string(nhead_q));
        device_s_q.assign(s_q.begin(), s_q.end());
        device_s_k.assign(s_k.begin(), s_k.end());
        workspace = o.one_of<workspace_enum>("workspace", {{"exact", workspace_enum::exact},
                                                           {"callback", workspace_enum::callback},
                                                           {"device", workspace_enum::device}});
        read_mask(o);
    }

    void read_mask(const options& o)
    {
        const std::string& text = o.text("mask");
        if(text == "0")
        {
            mask = mask_enum::no_mask;
            return;
        }
        const std::map<char, mask_enum> known{
            {'t', mask_enum::mask_top_left}, {'b', mask_enum::mask_bottom_right}, {'g', mask_enum::window_generic}};
        const auto found = known.find(text[0]);
        right            = 0;
        int behind       = 0;
        if(found == known.end() || (text.size() == 1 && text[0] == 'g') ||
           (text.size() > 1 &&
            (std::sscanf(text.c_str() + 1, ":%d,%d%n", &left, &right, &behind) != 2 || text[1 + behind] != '\0')))
            die(2, "-mask: '" + text + "' is none of 0, t, b, t:L,R, b:L,R, g:L,R");
        mask = found->second;
    }

    bool sees(int b, int i, int j) const
    {
        const int at = i + (mask == mask_enum::mask_bottom_right ? s_k[b] - s_q[b] : 0);
        return mask == mask_enum::no_mask || ((left < 0 || j >= at - left) && (right < 0 || j <= at + right));
    }

    fmha_bwd_traits traits(const options& o) const
    {
        fmha_bwd_traits t{};
        t.seqlen_q      = group ? start_q[batch] : s_q[0];
        t.seqlen_k      = group ? start_k[batch] : s_k[0];
        t.batch         = batch;
        t.max_seqlen_q  = *std::max_element(rows_q.begin(), rows_q.end());
        t.max_seqlen_k  = *std::max_element(rows_k.begin(), rows_k.end());
        t.hdim_q        = hdim_q;
        t.hdim_v        = hdim_v;
        t.nhead_q       = nhead_q;
        t.nhead_k       = nhead_k;
        t.data_type     = o.text("prec");
        t.is_group_mode = group;
        t.mask_type     = mask;
        t.bias_type     = o.one_of<bias_enum>(
            "bias", {{"n", bias_enum::no_bias}, {"e", bias_enum::elementwise_bias}, {"a", bias_enum::alibi}});
        t.has_dropout      = o.text("p_drop") != "0";
        t.is_deterministic = deterministic;
        t.workspace        = workspace;
        if(group && workspace == workspace_enum::exact)
        {
            t.seqstart_qs = start_q.data();
            t.seqstart_ks = start_k.data();
        }
        return t;
    }

    // No launcher's workspace is larger. During a capture no memory is to be allocated.
    size_t largest_workspace() const
    {
        const size_t splits = ck_tile::integer_divide_ceil(*std::max_element(rows_k.begin(), rows_k.end()), 16) + 2;
        return 64 + size_t(batch + 1) * 16 + splits * nhead_q * start_q[batch] * hdim_q * sizeof(float);
    }
    // In the workspace: where dq_acc begins.
    size_t dq_acc_offset() const
    {
        using namespace ck_tile;
        return group && deterministic ? FmhaBwdWorkspaceManager<float, true, true>::GetDqAccDataOffset(batch)
                                      : FmhaBwdWorkspaceManager<float, false, false>::GetDqAccDataOffset(batch);
    }
};

// ---- a workspace full of NaN ----------------------------------------------------------------------------------------

class poisoned_workspace
{
    size_t size_, room_;
    ck_tile::DeviceMem memory_;

    std::vector<unsigned char> contents(size_t from, size_t to) const
    {
        std::vector<unsigned char> copy(to - from);
        if(from != to)
            ck_tile::device_memcpy(copy.data(), bytes() + from, to - from);
        return copy;
    }

public:
    explicit poisoned_workspace(size_t room) : size_(room), room_(room), memory_(room + guard_size) { poison(0); }
    unsigned char* bytes() const { return static_cast<unsigned char*>(memory_.GetDeviceBuffer()); }
    void poison(size_t from) { ck_tile::device_memset(bytes() + from, poison_byte, room_ + guard_size - from); }
    // A launcher's own size, which is at most the room.
    void resize(size_t size)
    {
        if(size > room_)
            die(1, "a workspace of " + std::to_string(size) + " bytes, larger than expected");
        size_ = size;
    }

    bool all(size_t from, size_t to, unsigned char byte) const
    {
        const std::vector<unsigned char> copy = contents(from, to);
        return std::all_of(copy.begin(), copy.end(), [byte](unsigned char c) { return c == byte; });
    }
    bool guard_is_whole() const { return all(size_, room_ + guard_size, poison_byte); }
    const char* state(size_t from) const
    {
        if(from >= size_)
            return "none";
        return all(from, size_, 0) ? "zeroed" : all(from, size_, poison_byte) ? "untouched" : "written";
    }
    void dump(const std::string& file) const
    {
        const std::vector<unsigned char> copy = contents(0, size_ + guard_size);
        std::ofstream out(file, std::ios::binary);
        if(!out.write(reinterpret_cast<const char*>(copy.data()), copy.size()).flush())
            die(1, file + ": cannot be written");
    }
};

// ---- tensors --------------------------------------------------------------------------------------------------------

// [sequence, row, head, column]; sequences one behind the other, so batch and group mode lie alike.
template <typename T>
struct tensor
{
    int heads, columns;
    ck_tile::pinned_vector<T> data;

    tensor(int rows, int heads_, int columns_) : heads(heads_), columns(columns_), data(size_t(rows) * heads * columns)
    {
        overwrite();
    }
    void overwrite()
    {
        if(!data.empty())
            std::memset(data.data(), 0xa5, data.size() * sizeof(T));
    }
    T* row(int row, int head) { return data.data() + (size_t(row) * heads + head) * columns; }
    int stride() const { return heads * columns; }

    void randomise(std::mt19937& random)
    {
        for(T& x : data) // not std::normal_distribution, whose numbers are the library's own
            x = ck_tile::from_float<T>((float(random() >> 8) / (1 << 24) - 0.5f) * 3);
    }
    void get(std::vector<double>& to, int start, int rows, int head)
    {
        to.clear();
        for(int i = 0; i < rows; i++)
            for(int c = 0; c < columns; c++)
                to.push_back(ck_tile::to_float(row(start + i, head)[c]));
    }
    void put(const std::vector<double>& from, int start, int head)
    {
        for(size_t i = 0; i < from.size(); i++)
            row(start + static_cast<int>(i / columns), head)[i % columns] = ck_tile::from_float<T>(static_cast<float>(from[i]));
    }
};

// What is wrong with a gradient: the largest difference over the largest number of the reference, and rows of padding that
// were written.
struct verdict
{
    double largest = 0, difference = 0;
    bool padding_written = false;

    template <typename T>
    void add(tensor<T>& x, const std::vector<double>& expected, int start, int rows_logical, int rows, int head)
    {
        for(int i = 0; i < rows; i++)
            for(int c = 0; c < x.columns; c++)
            {
                const T& got = x.row(start + i, head)[c];
                if(i >= rows_logical)
                {
                    unsigned char bytes[sizeof(T)];
                    std::memcpy(bytes, &got, sizeof(T));
                    padding_written |= std::any_of(bytes, bytes + sizeof(T), [](unsigned char b) { return b != 0xa5; });
                    continue;
                }
                const double want = expected[size_t(i) * x.columns + c], off = std::fabs(ck_tile::to_float(got) - want);
                largest    = std::max(largest, std::fabs(want));
                difference = std::isnan(off) ? INFINITY : std::max(difference, off);
            }
    }
    double relative() const { return largest == 0 ? difference : difference / largest; }
};

// FNV-1a of the bytes, to compare builds.
template <typename T>
static uint64_t digest(uint64_t hash, const tensor<T>& x)
{
    const auto* bytes = reinterpret_cast<const unsigned char*>(x.data.data());
    for(size_t i = 0; i < x.data.size() * sizeof(T); i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

// ---- one backward pass ----------------------------------------------------------------------------------------------

struct result
{
    std::string kernels, dq_acc;
    size_t workspace_size = 0;
    verdict dq, dk, dv;
    uint64_t hash     = 0;
    double tolerance  = 0;
    bool overrun      = false;

    bool padding_written() const { return dq.padding_written || dk.padding_written || dv.padding_written; }
    bool right() const
    {
        return !overrun && !padding_written() && dq.relative() <= tolerance && dk.relative() <= tolerance &&
               dv.relative() <= tolerance;
    }
};

// Inputs, what the reference makes of them, and outputs. The reference's o and lse are the forward pass of the kernels.
template <typename T>
struct tensors
{
    const problem& p;
    const int total_q, total_k;
    tensor<T> q, k, v, out, dout, dq, dk, dv;
    ck_tile::pinned_vector<float> lse, d; // [head, row]
    std::vector<reference_head> expected;

    tensors(const problem& p_, int seed)
        : p(p_),
          total_q(p.start_q[p.batch]),
          total_k(p.start_k[p.batch]),
          q(total_q, p.nhead_q, p.hdim_q),
          k(total_k, p.nhead_k, p.hdim_q),
          v(total_k, p.nhead_k, p.hdim_v),
          out(total_q, p.nhead_q, p.hdim_v),
          dout(total_q, p.nhead_q, p.hdim_v),
          dq(total_q, p.nhead_q, p.hdim_q),
          dk(total_k, p.nhead_q, p.hdim_q),
          dv(total_k, p.nhead_q, p.hdim_v),
          lse(size_t(p.nhead_q) * total_q),
          d(lse.size())
    {
        std::mt19937 random(seed);
        q.randomise(random), k.randomise(random), v.randomise(random), dout.randomise(random);
        for(int b = 0; b < p.batch; b++)
            for(int head = 0; head < p.nhead_q; head++)
            {
                const int head_k = head / (p.nhead_q / p.nhead_k);
                reference_head h;
                h.seqlen_q = p.s_q[b], h.seqlen_k = p.s_k[b], h.hdim_q = p.hdim_q, h.hdim_v = p.hdim_v;
                h.scale = 1 / std::sqrt(p.hdim_q);
                q.get(h.q, p.start_q[b], h.seqlen_q, head), dout.get(h.do_, p.start_q[b], h.seqlen_q, head);
                k.get(h.k, p.start_k[b], h.seqlen_k, head_k), v.get(h.v, p.start_k[b], h.seqlen_k, head_k);
                h.compute([&](int i, int j) { return p.sees(b, i, j); });
                out.put(h.o, p.start_q[b], head);
                std::copy(h.lse.begin(), h.lse.end(), lse.begin() + size_t(head) * total_q + p.start_q[b]);
                expected.push_back(std::move(h));
            }
    }

    fmha_bwd_args args(const fmha_bwd_traits& t, void* workspace)
    {
        fmha_bwd_args a{};
        a.q_ptr = q.data.data(), a.k_ptr = k.data.data(), a.v_ptr = v.data.data(), a.o_ptr = out.data.data();
        a.lse_ptr = lse.data(), a.do_ptr = dout.data.data(), a.d_ptr = d.data();
        a.dq_ptr = dq.data.data(), a.dk_ptr = dk.data.data(), a.dv_ptr = dv.data.data();
        a.seqlen_q = t.seqlen_q, a.seqlen_k = t.seqlen_k, a.max_seqlen_q = t.max_seqlen_q, a.max_seqlen_k = t.max_seqlen_k;
        a.batch = p.batch, a.hdim_q = p.hdim_q, a.hdim_v = p.hdim_v, a.nhead_q = p.nhead_q, a.nhead_k = p.nhead_k;
        a.scale    = static_cast<float>(1 / std::sqrt(p.hdim_q));
        a.stride_q = q.stride(), a.stride_k = k.stride(), a.stride_v = v.stride(), a.stride_o = out.stride();
        a.stride_do = dout.stride(), a.stride_dq = dq.stride(), a.stride_dk = dk.stride(), a.stride_dv = dv.stride();
        a.nhead_stride_q = a.nhead_stride_k = a.nhead_stride_dq = a.nhead_stride_dk = p.hdim_q;
        a.nhead_stride_v = a.nhead_stride_o = a.nhead_stride_do = a.nhead_stride_dv = p.hdim_v;
        a.nhead_stride_lsed                                                         = total_q;
        if(p.group)
        {
            a.seqstart_q_ptr = p.start_q.data(), a.seqstart_k_ptr = p.start_k.data();
            a.seqlen_q_ptr = p.device_s_q.data(), a.seqlen_k_ptr = p.device_s_k.data();
        }
        else
        {
            a.batch_stride_lsed = a.seqlen_q;
            a.batch_stride_q = a.seqlen_q * a.stride_q, a.batch_stride_o = a.seqlen_q * a.stride_o;
            a.batch_stride_do = a.seqlen_q * a.stride_do, a.batch_stride_dq = a.seqlen_q * a.stride_dq;
            a.batch_stride_k = a.seqlen_k * a.stride_k, a.batch_stride_v = a.seqlen_k * a.stride_v;
            a.batch_stride_dk = a.seqlen_k * a.stride_dk, a.batch_stride_dv = a.seqlen_k * a.stride_dv;
        }
        a.window_size_left = p.left, a.window_size_right = p.right, a.mask_type = p.mask;
        a.workspace_ptr = workspace;
        return a;
    }

    void overwrite()
    {
        dq.overwrite(), dk.overwrite(), dv.overwrite();
        std::fill(d.begin(), d.end(), NAN);
    }
    void judge(result& r)
    {
        for(int b = 0; b < p.batch; b++)
            for(int head = 0; head < p.nhead_q; head++)
            {
                const reference_head& h = expected[b * p.nhead_q + head];
                r.dq.add(dq, h.dq, p.start_q[b], p.s_q[b], p.rows_q[b], head);
                r.dk.add(dk, h.dk, p.start_k[b], p.s_k[b], p.rows_k[b], head);
                r.dv.add(dv, h.dv, p.start_k[b], p.s_k[b], p.rows_k[b], head);
            }
        r.hash = digest(digest(digest(0xcbf29ce484222325u, dq), dk), dv);
    }
};

// Launcher, workspace, run: as a caller does it. False where no kernel matches.
template <typename T>
static bool pass(const options& o, result& r)
{
    using ck_tile::capture_mode;
    const problem p(o);
    const bool on_stream = p.workspace != workspace_enum::exact, running = o.one_of<bool>("run", {{"0", false}, {"1", true}});
    const bool poison_after = o.one_of<bool>("poison", {{"before", false}, {"after", true}});
    const auto mode         = o.one_of<capture_mode>("capture", {{"none", capture_mode::none},
                                                                 {"global", capture_mode::global},
                                                                 {"thread", capture_mode::thread_local_},
                                                                 {"relaxed", capture_mode::relaxed}});
    r           = {};
    r.tolerance = std::is_same_v<T, float> ? 4e-6 : 1e-2;

    // All memory is there before: a capture in the global mode refuses to allocate any.
    tensors<T> t(p, o.number("seed"));
    poisoned_workspace ws(p.largest_workspace());
    const size_t pinned_size = 1024 + size_t(p.batch + 1) * 64;
    const std::shared_ptr<void> pinned(ck_tile::pinned_alloc(pinned_size), ck_tile::pinned_free);
    ck_tile::stream stream;
    const ck_tile::stream_config s{stream.get()};
    std::unique_ptr<fmha_bwd_launcher> launcher;
    float status = 0;

    const auto make = [&] {
        launcher = std::make_unique<fmha_bwd_launcher>(p.traits(o));
        ws.resize(launcher->workspace_size);
    };
    const auto prepare = [&] {
        launcher->prepare_workspace_async(ws.bytes(), p.start_q.data(), p.start_k.data(), s, [&](size_t size) {
            if(size > pinned_size)
                die(1, std::to_string(size) + " bytes of pinned memory, more than expected");
            return pinned;
        });
    };
    const auto run = [&] {
        status = (*launcher)(t.args(p.traits(o), launcher->workspace_size > 0 ? ws.bytes() : nullptr), s);
    };
    const auto look = [&] {
        stream.synchronize();
        r.dq_acc = ws.state(p.dq_acc_offset());
        r.overrun |= !ws.guard_is_whole();
        if(!o.text("dump").empty())
            ws.dump(o.text("dump"));
    };

    if(mode == capture_mode::none || !on_stream)
    {
        make();
        prepare();
        look();
        if(poison_after && launcher->workspace_size > 0)
            ws.poison(p.dq_acc_offset());
    }
    if(mode == capture_mode::none)
    {
        if(running || launcher->kernels.empty())
            run();
        stream.synchronize();
        if(running && status == 0)
            t.judge(r);
    }
    else
    {
        size_t nodes = 0;
        stream.begin_capture(mode);
        try
        {
            if(on_stream)
                make(), prepare();
            if(running || launcher->kernels.empty())
                run();
        }
        catch(...)
        {
            // What was captured before stays a valid graph, and the stream can be used.
            nodes = stream.end_capture();
            ck_tile::memset_async(ws.bytes(), 0, 1, s.stream_id_);
            stream.synchronize();
            std::printf("the capture ended with %zu nodes, the stream is usable\n", nodes);
            throw;
        }
        nodes = stream.end_capture();
        for(int i = o.number("replay", 1); i > 0 && !launcher->kernels.empty(); i--)
        {
            t.overwrite();
            if(on_stream)
                ws.poison(0);
            else
                prepare();
            stream.launch_graph();
            stream.synchronize();
            if(running)
                t.judge(r);
            else
                look();
        }
        r.dq_acc = running ? "captured" : r.dq_acc;
    }
    if(launcher->kernels.empty())
    {
        std::printf("workspace_size %zu\nrun %g\n", launcher->workspace_size, status);
        return false;
    }
    r.kernels        = launcher->kernels;
    r.workspace_size = launcher->workspace_size;
    r.overrun |= !ws.guard_is_whole();
    return true;
}

static bool pass(const options& o, result& r)
{
    return o.text("prec") == "bf16" ? pass<ck_tile::bf16_t>(o, r) : pass<float>(o, r);
}

static int one_pass(const options& o)
{
    result r;
    for(int i = o.number("repeat", 1); i > 0; i--)
        if(!pass(o, r))
            return 3;
    std::printf("kernels %s\nworkspace_size %zu\ndq_acc %s\n", r.kernels.c_str(), r.workspace_size, r.dq_acc.c_str());
    if(r.overrun)
        std::printf("overrun yes\n");
    if(o.text("run") == "0")
        return r.overrun;
    std::printf("error dq %.2g dk %.2g dv %.2g\ndigest %016llx\n%s%s\n", r.dq.relative(), r.dk.relative(), r.dv.relative(),
                static_cast<unsigned long long>(r.hash), r.padding_written() ? "padding written\n" : "",
                r.right() ? "right" : "WRONG");
    return !r.right();
}

// Each row of the table in README.md, and the mask that makes zeroing necessary.
static int scenarios(const options& given)
{
    static const struct
    {
        const char* name;
        std::vector<std::string> words;
    } rows[] = {
        {"QrQtrDor", {"-mode=group", "-s=16,5,9", "-s_k=40,33,7", "-b=3"}},
        {"non-deterministic, batch mode", {}},
        {"non-deterministic, group mode", {"-mode=group", "-s=40,7,33", "-s_k=70,16,1", "-b=3"}},
        {"deterministic, group mode", {"-mode=group", "-deterministic=1", "-s=40,7,33", "-s_k=70,16,1", "-b=3"}},
        {"deterministic, group mode, mask", {"-mode=group", "-deterministic=1", "-mask=b", "-s=40,7,33", "-s_k=70,16,1", "-b=3"}},
        {"deterministic, batch mode, persistent", {"-deterministic=1", "-s_k=70"}},
    };
    int status = 0;
    std::printf("%-38s %14s  %-9s  %-7s %-7s %-7s %s\n", "scenario", "workspace_size", "dq_acc", "dq off", "dk off", "dv off",
                "digest");
    for(const auto& row : rows)
    {
        options o = given;
        for(const std::string& word : row.words)
            o.set(word);
        result r;
        if(!pass(o, r))
            return 3;
        std::printf("%-38s %14zu  %-9s  %-7.1g %-7.1g %-7.1g %016llx %s\n", row.name, r.workspace_size, r.dq_acc.c_str(),
                    r.dq.relative(), r.dk.relative(), r.dv.relative(), static_cast<unsigned long long>(r.hash),
                    r.right() ? "right" : "WRONG");
        status |= !r.right();
    }
    return status;
}

int main(int argc, char** argv)
{
    options o;
    const bool all = argc > 1 && std::string(argv[1]) == "scenarios";
    for(int i = all ? 2 : 1; i < argc; i++)
    {
        if(std::string(argv[i]) == "--help")
            return std::fputs(usage, stdout) < 0;
        o.set(argv[i]);
    }
    try
    {
        return all ? scenarios(o) : one_pass(o);
    }
    catch(const std::exception& e)
    {
        die(1, e.what());
    }
}
