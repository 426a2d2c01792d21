#pragma once

// Causal masks differ in where the diagonal starts: at the first row and key, or so that it ends at the last ones.
enum class mask_enum
{
    no_mask = 0,
    mask_top_left,
    mask_bottom_right,
};
