#include "headers/namesake_twice.cuh"
//= host
