#include "headers/namesake_c.cuh"
//= host
