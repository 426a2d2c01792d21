/* page.h - a trace as one HTML page, which needs nothing else: no network, no other file. */
#ifndef CKJIT_PREBUILD_TRACE_PAGE_H
#define CKJIT_PREBUILD_TRACE_PAGE_H

#include "events.h"

/* Append the page of T, which lanes_lay has laid out, under TITLE. */
void page_write(struct buf *out, const struct trace *t, const char *title);

#endif
