// The functions are in the header, so that callers inline them. A target needs one source file.
#include "CEventLogChecksum.h"
