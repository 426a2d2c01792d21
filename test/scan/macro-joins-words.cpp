#include "headers/macros.hpp"
namespace n { JOINED(fast, half) }
//= blob fast_run
