// hvx/hvx.h -- the whole vector vocabulary.
#pragma once

#include "hvx/activation.h"
#include "hvx/convert.h"
#include "hvx/float.h"
#include "hvx/integer.h"
#include "hvx/memory.h"
#include "hvx/permute.h"
#include "hvx/reduce.h"
