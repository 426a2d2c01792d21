// nothing
/* at all */
//= unsure
