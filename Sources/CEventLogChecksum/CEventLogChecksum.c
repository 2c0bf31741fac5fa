// The functions stand in the header so that callers inline them; a target needs one source file.
#include "CEventLogChecksum.h"
