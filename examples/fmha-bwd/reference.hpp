// Attention and its gradients by the book, in double precision: no tiles, no splits, no workspace.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

// One head of one sequence. Rows lie one behind the other.
struct reference_head
{
    int seqlen_q, seqlen_k, hdim_q, hdim_v;
    double scale;
    std::vector<double> q, k, v, do_;          // in
    std::vector<double> o, lse, dq, dk, dv;    // out

    // sees(i, j): whether key j counts for query i
    template <typename Sees>
    void compute(Sees sees)
    {
        o.assign(size_t(seqlen_q) * hdim_v, 0);
        lse.assign(seqlen_q, -std::numeric_limits<double>::infinity());
        dq.assign(q.size(), 0);
        dk.assign(k.size(), 0);
        dv.assign(v.size(), 0);
        std::vector<double> p(seqlen_k), dp(seqlen_k);
        for(int i = 0; i < seqlen_q; i++)
        {
            double sum = 0;
            for(int j = 0; j < seqlen_k; j++)
                sum += p[j] = sees(i, j) ? std::exp(scale * dot(q, i, k, j, hdim_q)) : 0;
            if(sum == 0)
                continue; // sees nothing: no output, no gradient
            lse[i]   = std::log(sum);
            double d = 0;
            for(int j = 0; j < seqlen_k; j++)
            {
                p[j] /= sum;
                dp[j] = dot(do_, i, v, j, hdim_v);
                d += p[j] * dp[j];
                add(o, i, v, j, hdim_v, p[j]);
                add(dv, j, do_, i, hdim_v, p[j]);
            }
            for(int j = 0; j < seqlen_k; j++)
            {
                const double ds = scale * p[j] * (dp[j] - d);
                add(dq, i, k, j, hdim_q, ds);
                add(dk, j, q, i, hdim_q, ds);
            }
        }
    }

private:
    static double dot(const std::vector<double>& a, int i, const std::vector<double>& b, int j, int n)
    {
        double sum = 0;
        for(int c = 0; c < n; c++)
            sum += a[size_t(i) * n + c] * b[size_t(j) * n + c];
        return sum;
    }
    static void add(std::vector<double>& to, int i, const std::vector<double>& from, int j, int n, double factor)
    {
        for(int c = 0; c < n; c++)
            to[size_t(i) * n + c] += factor * from[size_t(j) * n + c];
    }
};
