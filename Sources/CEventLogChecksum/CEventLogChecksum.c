// The functions are in the header, so that callers inline them.
#include "CEventLogChecksum.h"
