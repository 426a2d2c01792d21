// Copied to include/ck/config.h of the build's own copy of CK, as a configure step would write it.
#pragma once
#define CK_MINI 1
