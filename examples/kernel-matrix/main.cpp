// Calls kernels of the family by name and holds each result against a plain loop.
//
//     row_reduce sum_f32_f64_v4_b128_packed …     exit status 0 where all are right, 1 where one is not, 2: no such kernel
#include "row_reduce.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

template <typename T>
static bool parse(T& to, const std::string& text, const std::vector<const char*>& names)
{
    for(size_t i = 0; i < names.size(); i++)
        if(text == names[i])
            return to = static_cast<T>(i), true;
    return false;
}

static bool parse(row_reduce_request& r, const std::string& name)
{
    static const std::vector<const char*> ops{"sum", "max", "absmax", "sumsq"}, types{"f32", "f64", "i8", "u8", "i32", "u32"};
    char o[16], in[16], out[16], layout[16];
    if(std::sscanf(name.c_str(), "%15[a-z]_%15[a-z0-9]_%15[a-z0-9]_v%d_b%d_%15[a-z]", o, in, out, &r.veclen, &r.block, layout) != 6)
        return false;
    r.packed = std::strcmp(layout, "packed") == 0;
    return parse(r.op, o, ops) && parse(r.in, in, types) && parse(r.out, out, types) &&
           (r.packed || std::strcmp(layout, "strided") == 0);
}

static constexpr int rows = 5, columns = 1237;

// small whole numbers, so that the order of additions makes no difference
static int element(type t, int row, int column)
{
    const int x = (row * 131 + column * 29) % 23;
    return t == type::u8 ? x : x - 11;
}

static double reference(const row_reduce_request& r, int row)
{
    double y = 0;
    for(int i = 0; i < columns; i++)
    {
        const double x = element(r.in, row, i), v = r.op == op::sumsq ? x * x : r.op == op::absmax && x < 0 ? -x : x;
        y = i == 0 ? v : r.op == op::sum || r.op == op::sumsq ? y + v : y < v ? v : y;
    }
    return y;
}

template <typename In, typename Out>
static bool check(const row_reduce_request& r, bool& known)
{
    const int stride = r.packed ? columns : columns + 19;
    std::vector<In> in(static_cast<size_t>(rows) * stride, In(99)); // what stands in the gaps would be noticed
    std::vector<Out> out(rows);
    for(int i = 0; i < rows; i++)
        for(int j = 0; j < columns; j++)
            in[static_cast<size_t>(i) * stride + j] = static_cast<In>(element(r.in, i, j));
    known = row_reduce(r, {in.data(), out.data(), rows, columns, stride});
    for(int i = 0; known && i < rows; i++)
        if(static_cast<double>(out[i]) != reference(r, i))
            return std::printf("row %d: expected %g, found %g\n", i, reference(r, i), static_cast<double>(out[i])), false;
    return true;
}

static bool check(const row_reduce_request& r, bool& known)
{
    switch(r.in)
    {
    case type::f32: return r.out == type::f64 ? check<float, double>(r, known) : check<float, float>(r, known);
    case type::f64: return check<double, double>(r, known);
    case type::i8: return check<int8_t, int32_t>(r, known);
    default: return check<uint8_t, uint32_t>(r, known);
    }
}

int main(int argc, char** argv)
{
    int status = 0;
    for(int i = 1; i < argc; i++)
    {
        row_reduce_request r;
        bool known = parse(r, argv[i]), right = !known || check(r, known);
        std::printf("%s: %s\n", argv[i], !known ? "no such kernel" : right ? "right" : "WRONG");
        status = !known ? 2 : !right ? 1 : status;
    }
    return status;
}
