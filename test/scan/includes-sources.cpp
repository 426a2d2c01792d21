// flash-attention 3: two units in one, to have fewer of them
#include "headers/part_a.cu"
#include "headers/part_b.cu"
//= blob run step
