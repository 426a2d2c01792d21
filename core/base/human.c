#include "human.h"

char *human_size(uint64_t bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double n = (double)bytes;
  unsigned unit = 0;
  while (n >= 999.95) { /* would be printed as 1000.0 */
    n /= 1000;
    unit++;
  }
  return unit ? xasprintf("%.1f %s", n, units[unit])
              : xasprintf("%llu B", (unsigned long long)bytes);
}

char *human_seconds(double seconds) {
  enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
  if (seconds < 9.995)
    return xasprintf("%.2f s", seconds > 0 ? seconds : 0);
  if (seconds < 2 * MINUTE)
    return xasprintf("%.1f s", seconds);
  if (seconds < 2 * HOUR)
    return xasprintf("%.0f min", seconds / MINUTE);
  if (seconds < 3 * DAY)
    return xasprintf("%.1f h", seconds / HOUR);
  return xasprintf("%.0f days", seconds / DAY);
}
